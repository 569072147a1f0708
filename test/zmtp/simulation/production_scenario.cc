#include "test/zmtp/simulation/production_scenario.h"

#include "test/zmtp/simulation/history.h"
#include "zmtp/runtime/timer.h"
#include "zmtp/simulation/world.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp::simulation {

namespace {

using asio::awaitable;
using asio::use_awaitable;
using std::chrono::milliseconds;
using std::chrono::seconds;
constexpr auto no_throw = asio::as_tuple(use_awaitable);
constexpr auto rethrow = [](const std::exception_ptr& thrown) {
  if (thrown) {
    std::rethrow_exception(thrown);
  }
};

struct pair_of_types {
  socket_type hub;
  socket_type spokes;
};

constexpr std::array patterns = {
    pair_of_types{socket_type::push, socket_type::pull},
    pair_of_types{socket_type::pull, socket_type::push},
    pair_of_types{socket_type::dealer, socket_type::dealer},
    pair_of_types{socket_type::router, socket_type::dealer},
    pair_of_types{socket_type::router, socket_type::req},
    pair_of_types{socket_type::rep, socket_type::req},
    pair_of_types{socket_type::rep, socket_type::dealer},
    pair_of_types{socket_type::pair, socket_type::pair},
    pair_of_types{socket_type::pub, socket_type::sub},
    pair_of_types{socket_type::sub, socket_type::pub},
    pair_of_types{socket_type::xpub, socket_type::sub},
};

constexpr std::string_view empty_part;

bool publishes(socket_type type) noexcept {
  return type == socket_type::pub || type == socket_type::xpub;
}

struct troubles {
  bool cuts = false;
  bool kills = false;
  bool pauses = false;
  bool parts = false;

  [[nodiscard]] bool lossy() const noexcept { return cuts || kills; }
};

// One process with one socket.
struct participant {
  process* in = nullptr;
  std::uint32_t number = 0;
  socket_type type{};
  bool binds = false;
  std::vector<std::string> connects_to;
  socket_options options;
  milliseconds pace{};
  std::size_t to_send = 0;
  std::size_t due = 0;  // parcels that it sends without a pause, and whatever else it still has
};

// The first connection of a run, and how much of it the programs have read.
class first_connection : public stream_observer {
public:
  void plan(virtual_connection& s, const planned_cut& cut) {
    if (stream_) {
      return;
    }
    stream_ = s.shared_from_this();
    if (cut.bytes == 0) {
      return;
    }
    cut.what == planned_cut::kind::taken ? s.cut_when_taken(cut.from, cut.bytes)
                                         : s.cut_when_arrived(cut.from, cut.bytes);
  }
  // Call when the cut should have happened. It does not happen later.
  void spare() { stream_->spare(); }
  [[nodiscard]] bool is_cut() const { return stream_->is_cut(); }
  [[nodiscard]] std::size_t taken(end_of_stream from) const { return stream_->taken(from); }
  // Bytes from the connecting program that its kernel took and the other program did not read.
  [[nodiscard]] std::size_t lost() const {
    return stream_->taken(end_of_stream::connecting) - read_;
  }

private:
  void on_written(std::uint64_t, end_of_stream, std::span<const std::byte>) override {}
  void on_read(std::uint64_t stream, end_of_stream at, std::size_t count) override {
    if (stream_ && stream == stream_->id() && at == end_of_stream::accepting) {
      read_ += count;
    }
  }

  simulated_network::stream_ptr stream_;
  std::size_t read_ = 0;
};

class scenario {
public:
  scenario(std::uint64_t seed, const production_options& options);

  production_result run();

private:
  void choose();
  void start(participant& p);
  void make_trouble();
  void make_trouble_later();
  void come_to_rest();
  void check_cut();

  template <class Socket>
  awaitable<void> live(participant& p);
  template <class Socket>
  awaitable<void> speak(participant& p, Socket& socket);
  template <class Socket>
  awaitable<void> listen(participant& p, Socket& socket);
  awaitable<void> ask(participant& p, req_socket& socket);
  awaitable<void> answer(participant& p, rep_socket& socket);
  awaitable<void> answer(participant& p, router_socket& socket);
  awaitable<bool> wait_for_turn(participant& p);
  std::optional<parcel> record(const participant& p, routed_message m);
  [[nodiscard]] message wrap_next(const participant& p, parcel& parcel, bool delimited);

  production_options options_;
  world world_;
  pair_of_types pattern_{};
  troubles troubles_;
  std::vector<std::unique_ptr<participant>> all_;
  std::optional<history> history_;
  first_connection first_;
  bool troubled_ = false;
  std::size_t made_ = 0;
  std::string description_;
};

net_options some_net() {
  net_options how;
  how.cuts = true;
  how.jitter = milliseconds{2};
  how.least_window = 512;
  return how;
}

scenario::scenario(std::uint64_t seed, const production_options& options)
    : options_{options}, world_{seed, some_net()} {
  world_.net().here().notes.print_to(options.print);
  if (options_.cut) {
    world_.net().observe(&first_);
    world_.net().on_stream([this](virtual_connection& s) { first_.plan(s, *options_.cut); });
  }
}

void scenario::choose() {
  auto& random = world_.random();
  pattern_ = patterns[options_.pattern.value_or(random.pick(patterns.size()))];
  if (!options_.no_troubles && !options_.cut && random.chance(80)) {
    troubles_ = {.cuts = random.chance(60),
                 .kills = random.chance(40),
                 .pauses = random.chance(40),
                 .parts = random.chance(30)};
  }
  history_.emplace(publishes(pattern_.hub) || publishes(pattern_.spokes));
  const auto spokes = pattern_.hub == socket_type::pair || options_.cut ? 1 : random.between(1, 6);
  const bool hub_binds = options_.cut ? options_.hub_binds : random.chance(50);
  for (std::uint32_t number = 1; number <= spokes + 1; ++number) {
    auto& p = *all_.emplace_back(std::make_unique<participant>());
    p.number = number;
    p.in = &world_.add("host" + std::to_string(number));
    p.type = number == 1 ? pattern_.hub : pattern_.spokes;
    p.binds = (number == 1) == hub_binds;
    p.options.send_mark.messages = random.between(1, 20);
    p.options.receive_mark.messages = random.between(1, 20);
    p.options.relaxed = p.options.correlate = p.type == socket_type::req;
    p.options.no_drop = publishes(p.type);
    p.options.mandatory = p.type == socket_type::router;
    p.options.reconnect.initial = milliseconds{random.between(10, 100)};
    p.options.heartbeat.interval = seconds{1};
    p.options.heartbeat.timeout = seconds{1};
    p.pace = milliseconds{random.between(1, 50)};
    p.to_send = options_.cut ? 12 : random.between(5, 100);
  }
  for (std::uint32_t i = 1; i < all_.size(); ++i) {
    auto& connects = *all_[hub_binds ? i : 0];
    connects.connects_to.push_back("tcp://" + all_[hub_binds ? 0 : i]->in->host() + ":5555");
  }
  description_ = std::string{to_string(pattern_.hub)} + " with " + std::to_string(spokes) + " " +
                 std::string{to_string(pattern_.spokes)} + (hub_binds ? ", the hub binds" : "") +
                 (troubles_.cuts ? ", cuts" : "") + (troubles_.kills ? ", kills" : "") +
                 (troubles_.pauses ? ", pauses" : "") + (troubles_.parts ? ", parts" : "");
}

void scenario::start(participant& p) {
  p.in->start([this, &p](const asio::any_io_executor& in) {
    const auto spawn = [&](awaitable<void> body) { asio::co_spawn(in, std::move(body), rethrow); };
    switch (p.type) {
      case socket_type::push: spawn(live<push_socket>(p)); break;
      case socket_type::pull: spawn(live<pull_socket>(p)); break;
      case socket_type::dealer: spawn(live<dealer_socket>(p)); break;
      case socket_type::router: spawn(live<router_socket>(p)); break;
      case socket_type::req: spawn(live<req_socket>(p)); break;
      case socket_type::rep: spawn(live<rep_socket>(p)); break;
      case socket_type::pair: spawn(live<pair_socket>(p)); break;
      case socket_type::pub: spawn(live<pub_socket>(p)); break;
      case socket_type::sub: spawn(live<sub_socket>(p)); break;
      case socket_type::xpub: spawn(live<xpub_socket>(p)); break;
      default: break;
    }
    return nullptr;
  });
}

// The types differ here: they speak, listen, or answer.
template <class Socket>
awaitable<void> scenario::live(participant& p) {
  const auto in = co_await asio::this_coro::executor;
  Socket socket{in, p.options};
  if constexpr (std::is_same_v<Socket, sub_socket>) {
    socket.subscribe("");
  }
  if (p.binds) {
    socket.bind("tcp://*:5555");
  }
  for (const auto& to : p.connects_to) {
    socket.connect(to);
  }
  if constexpr (std::is_same_v<Socket, req_socket>) {
    co_await ask(p, socket);
  } else if constexpr (std::is_same_v<Socket, rep_socket> ||
                       std::is_same_v<Socket, router_socket>) {
    co_await answer(p, socket);
  } else if constexpr (std::is_same_v<Socket, xpub_socket>) {
    asio::co_spawn(in, speak(p, socket), rethrow);
    for (;;) {
      // Further subscriptions wait until these are received.
      (void)co_await socket.async_receive(use_awaitable);
    }
  } else if constexpr (std::is_same_v<Socket, push_socket> || std::is_same_v<Socket, pub_socket>) {
    co_await speak(p, socket);
  } else if constexpr (std::is_same_v<Socket, pull_socket> || std::is_same_v<Socket, sub_socket>) {
    co_await listen(p, socket);
  } else {
    asio::co_spawn(in, speak(p, socket), rethrow);
    co_await listen(p, socket);
  }
}

// Returns whether there is something to send now.
awaitable<bool> scenario::wait_for_turn(participant& p) {
  timer pause{co_await asio::this_coro::executor};
  pause.expires_after(world_.random().up_to(p.pace));
  co_await pause.async_wait(use_awaitable);
  if (p.to_send != 0) {
    --p.to_send;
    ++p.due;
  }
  co_return p.due != 0;
}

message scenario::wrap_next(const participant& p, parcel& next, bool delimited) {
  next = history_->next(p.number);
  const std::array<std::string_view, 1> delimiter{empty_part};
  auto m = wrap(next, std::span{delimiter}.first(delimited ? 1 : 0), {}, world_.random());
  history_->offered(next);
  return m;
}

template <class Socket>
awaitable<void> scenario::speak(participant& p, Socket& socket) {
  if (publishes(p.type)) {
    // Without a subscription a publication goes nowhere.
    co_await socket.async_wait_peers(p.number == 1 ? all_.size() - 1 : 1, use_awaitable);
    timer subscriptions_come{co_await asio::this_coro::executor};
    subscriptions_come.expires_after(seconds{1});
    co_await subscriptions_come.async_wait(use_awaitable);
  }
  const bool delimited = pattern_.hub == socket_type::rep;
  for (;;) {
    if (!co_await wait_for_turn(p)) {
      continue;
    }
    parcel next;
    auto m = wrap_next(p, next, delimited);
    co_await socket.async_send(std::move(m), use_awaitable);
    history_->queued(next);
    --p.due;
  }
}

std::optional<parcel> scenario::record(const participant& p, routed_message m) {
  if (!options_.edit) {
    return history_->received(p.number, m);
  }
  std::optional<parcel> got;
  for (auto& edited : options_.edit(std::move(m.content))) {
    m.content = std::move(edited);
    got = history_->received(p.number, m);
  }
  return got;
}

template <class Socket>
awaitable<void> scenario::listen(participant& p, Socket& socket) {
  for (;;) {
    (void)record(p, co_await socket.async_receive_from(use_awaitable));
  }
}

awaitable<void> scenario::ask(participant& p, req_socket& socket) {
  for (;;) {
    if (!co_await wait_for_turn(p)) {
      continue;
    }
    parcel next;
    auto m = wrap_next(p, next, false);
    co_await socket.async_send(std::move(m), use_awaitable);
    history_->queued(next);
    const auto [ec, reply] = co_await socket.async_receive_from(seconds{5}, no_throw);
    if (ec) {
      continue;  // asks again
    }
    --p.due;
    const auto got = record(p, reply);
    if (got && got->answers != next.sequence) {
      history_->report(violation::wrong_answer, "party " + std::to_string(p.number) + " asked " +
                                                    std::to_string(next.sequence) + ", got " +
                                                    std::to_string(got->answers));
    }
  }
}

awaitable<void> scenario::answer(participant& p, rep_socket& socket) {
  for (;;) {
    const auto request = record(p, co_await socket.async_receive_from(use_awaitable));
    if (!request) {
      continue;
    }
    auto reply = history_->next(p.number, request->sender, request->sequence);
    auto m = wrap(reply, {}, {}, world_.random());
    history_->offered(reply);
    // A REP drops a reply that its peer has no space for.
    const auto sent_before = socket.counters().messages_sent;
    const auto [ec] = co_await socket.async_send(std::move(m), no_throw);
    if (!ec && socket.counters().messages_sent != sent_before) {
      history_->queued(reply);
    }
  }
}

awaitable<void> scenario::answer(participant& p, router_socket& socket) {
  for (;;) {
    auto request = co_await socket.async_receive(use_awaitable);
    const auto from = request.peer;
    const auto envelope = unwrap(request.content).envelope;
    const std::vector<std::string> parts{envelope.begin(), envelope.end()};
    const auto got = record(p, std::move(request));
    if (!got) {
      continue;
    }
    const std::vector<std::string_view> views{parts.begin(), parts.end()};
    auto reply = history_->next(p.number, got->sender, got->sequence);
    auto m = wrap(reply, views, {}, world_.random());
    history_->offered(reply);
    const auto [ec] = co_await socket.async_send(from, std::move(m), no_throw);
    if (!ec) {
      history_->queued(reply);
    }
  }
}

void scenario::make_trouble_later() {
  world_.after(world_.random().up_to(milliseconds{400}), [this] {
    if (troubled_) {
      make_trouble();
      make_trouble_later();
    }
  });
}

void scenario::make_trouble() {
  auto& random = world_.random();
  auto& one = *all_[random.pick(all_.size())];
  auto& other = *all_[random.pick(all_.size())];
  const auto living = world_.net().living();
  switch (random.pick(4)) {
    case 0:
      if (troubles_.cuts && !living.empty()) {
        ++made_;
        const auto& s = living[random.pick(living.size())];
        const auto learns = [&]() -> virtual_connection::learns_after {
          if (random.chance(30)) {
            return std::nullopt;
          }
          return random.up_to(milliseconds{100});
        };
        const auto connecting = learns();
        s->cut(connecting, learns());
      }
      return;
    case 1:
      if (troubles_.kills) {
        ++made_;
        one.in->kill(random.chance(30) ? death::power : death::process);
        history_->restarted(one.number);
        start(one);
      }
      return;
    case 2:
      if (troubles_.pauses) {
        ++made_;
        one.in->pause();
        world_.after(random.up_to(seconds{3}), [&one] { one.in->resume(); });
      }
      return;
    default:
      if (troubles_.parts && &one != &other) {
        ++made_;
        world_.net().part(one.in->machine(), other.in->machine());
        world_.after(random.up_to(seconds{3}), [this, &one, &other] {
          world_.net().rejoin(one.in->machine(), other.in->machine());
        });
      }
  }
}

// Waits until each participant has sent all its parcels, and those that must arrive have arrived.
void scenario::come_to_rest() {
  const auto done = [this] {
    return history_->missing() == 0 && std::all_of(all_.begin(), all_.end(), [](const auto& p) {
             return p->type == socket_type::pull || p->type == socket_type::sub ||
                    p->type == socket_type::rep || p->type == socket_type::router ||
                    (p->to_send == 0 && p->due == 0);
           });
  };
  (void)world_.run_until(done, std::chrono::minutes{5});
  for (const auto& p : all_) {
    if (p->to_send + p->due != 0 &&
        (p->type != socket_type::pull && p->type != socket_type::sub &&
         p->type != socket_type::rep && p->type != socket_type::router)) {
      history_->report(violation::stuck, std::string{to_string(p->type)} + " " +
                                             std::to_string(p->number) + " has " +
                                             std::to_string(p->to_send + p->due) + " to send");
    }
  }
}

// A socket that connects keeps the messages of a lost connection that the kernel has not taken.
void scenario::check_cut() {
  const auto connecting =
      std::find_if(all_.begin(), all_.end(), [](const auto& p) { return !p->connects_to.empty(); });
  const auto type = (*connecting)->type;
  if (type != socket_type::push && type != socket_type::dealer && type != socket_type::pair) {
    return;
  }
  const auto lost = history_->bytes_lost((*connecting)->number);
  if (lost > first_.lost()) {
    history_->report(violation::lost, std::to_string(lost) + " bytes of messages, of " +
                                          std::to_string(first_.lost()) + " that may be");
  }
}

production_result scenario::run() {
  choose();
  const auto receivers = pattern_.hub == socket_type::pub || pattern_.hub == socket_type::xpub
                             ? all_.size() - 1
                             : std::size_t{1};
  const bool cut = options_.cut && options_.cut->bytes != 0;
  if (!troubles_.lossy() && !troubles_.parts && !cut) {
    history_->expect_all(receivers);
  }
  const auto began = world_.now();
  for (const auto& p : all_) {
    start(*p);
  }
  troubled_ = true;
  make_trouble_later();
  world_.run_for(seconds{world_.random().between(1, 10)});
  troubled_ = false;
  world_.run_for(seconds{10});  // what was paused and parted goes on, and connections come back
  come_to_rest();
  std::size_t bytes = 0;
  if (options_.cut) {
    first_.spare();
    bytes = first_.taken(options_.cut->from);
    check_cut();
  }
  history_->expect_all(receivers);
  for (const auto& p : all_) {
    p->to_send = 3;
  }
  come_to_rest();
  history_->close();
  world_.net().here().note("received", {history_->count()});
  return {{.description = description_,
           .trace_hash = world_.net().here().notes.hash(),
           .events = world_.net().here().events.happened(),
           .virtual_time = world_.now() - began,
           .figures = {{"parcels", history_->count()},
                       {"troubles", made_},
                       {"cut", options_.cut && first_.is_cut() ? 1U : 0U},
                       {"bytes", bytes}}},
          history_->findings()};
}

}  // namespace

std::size_t production_patterns() noexcept { return patterns.size(); }

production_result run_production(std::uint64_t seed, const production_options& options) {
  return scenario{seed, options}.run();
}

}  // namespace zmtp::simulation
