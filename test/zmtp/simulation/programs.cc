#include "test/zmtp/simulation/programs.h"

#include "zmtp/runtime/completion.h"
#include "zmtp/runtime/timer.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <type_traits>

namespace zmtp::simulation {

namespace asio = boost::asio;
using asio::awaitable;
using asio::use_awaitable;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr auto no_throw = asio::as_tuple(use_awaitable);
constexpr std::array<std::string_view, 1> delimiter{std::string_view{}};

}  // namespace

void programs::start(participant& p) {
  ++p.starts;
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
      case socket_type::xsub: spawn(live<xsub_socket>(p)); break;
    }
    return nullptr;
  });
}

void programs::kill(participant& p, death how) {
  history_.end_life(p.number);
  p.socket = nullptr;
  p.change_topic = nullptr;
  p.waits = false;
  p.in->kill(how);
}

void programs::leave(participant& p) {
  asio::post(p.in->executor(), [this, &p] {
    error_code ec;
    p.socket->unbind(p.endpoint(), ec);
    p.socket->unbind(p.endpoint_at("*"), ec);
    for (auto* const to : p.connects_to) {
      p.socket->disconnect(to->endpoint(), ec);
      history_.disconnected(p.number, to->number);
    }
  });
}

template <class Socket>
awaitable<void> programs::live(participant& p) {
  auto options = p.options;
  if (fault_.options) {
    fault_.options(p, options);
  }
  Socket socket{co_await asio::this_coro::executor, options};
  p.socket = &socket;
  history_.begin_life(p.number, socket);
  if (fault_.opened) {
    fault_.opened(world_, p);
  }
  for (auto* const to : p.connects_to) {
    socket.connect(to->endpoint());
    history_.connected(p.number, to->number);
  }
  if (p.binds) {
    if (p.binds_after.count() != 0) {
      co_await pause(p.binds_after);
    }
    socket.bind(p.endpoint_at("*"));
  }
  co_await converse(p, socket);
}

awaitable<void> programs::pause(milliseconds most) {
  timer wait{co_await asio::this_coro::executor};
  wait.expires_after(world_.random().up_to(most));
  co_await wait.async_wait(use_awaitable);
}

// Returns when there is something to send, or after a pause.
awaitable<void> programs::wait_for_turn(participant& p) {
  co_await pause(p.pace);
  const auto count = std::min(p.to_send, world_.random().between(1, p.burst));
  p.to_send -= count;
  p.due += count;
}

message programs::wrap_next(const participant& p, parcel& next,
                            std::span<const std::string_view> envelope) {
  next = history_.next(p.number);
  return wrap(next, envelope, p.sizes, world_.random());
}

void programs::edit(const participant& p, batch& got) const {
  if (fault_.received) {
    fault_.received(p, got);
  }
}

void programs::record(const participant& p, batch& got) {
  edit(p, got);
  for (const auto& m : got) {
    (void)history_.received(p.number, m);
  }
}

template <class Socket>
awaitable<void> programs::speak(participant& p, Socket& socket) {
  const auto delimited = std::span{delimiter}.first(p.peers == socket_type::rep ? 1 : 0);
  for (;;) {
    for (co_await wait_for_turn(p); p.due != 0; --p.due) {
      parcel next;
      auto m = wrap_next(p, next, delimited);
      history_.offered(next);
      co_await socket.async_send(std::move(m), use_awaitable);
      history_.queued(next);
      history_.check_marks(p.number);
    }
  }
}

// Takes a batch, as objects that a planted fault can change.
template <class Socket>
awaitable<programs::batch> programs::receive(Socket& from) {
  message_batch received;
  co_await from.async_receive(received, use_awaitable);
  batch got;
  for (const auto m : received) {
    got.push_back(m.to_routed_message());
  }
  co_return got;
}
// For publishing_programs.cc.
template awaitable<programs::batch> programs::receive(xpub_socket& from);

template <class Socket>
awaitable<void> programs::listen(participant& p, Socket& socket) {
  for (;;) {
    history_.check_marks(p.number);
    auto got = co_await receive(socket);
    record(p, got);
    if (!p.eager) {
      co_await pause(p.pace);
    }
  }
}

awaitable<void> programs::converse(participant& p, push_socket& socket) {
  co_await speak(p, socket);
}

awaitable<void> programs::converse(participant& p, pull_socket& socket) {
  co_await listen(p, socket);
}

awaitable<void> programs::converse(participant& p, dealer_socket& socket) {
  asio::co_spawn(co_await asio::this_coro::executor, speak(p, socket), rethrow);
  co_await listen(p, socket);
}

awaitable<void> programs::converse(participant& p, pair_socket& socket) {
  asio::co_spawn(co_await asio::this_coro::executor, speak(p, socket), rethrow);
  co_await listen(p, socket);
}

// Takes no answer but the one to its last question. A relaxed REQ asks again after a while.
awaitable<void> programs::converse(participant& p, req_socket& socket) {
  for (;;) {
    for (co_await wait_for_turn(p); p.due != 0;) {
      parcel next;
      auto m = wrap_next(p, next, {});
      history_.offered(next);
      co_await socket.async_send(std::move(m), use_awaitable);
      history_.queued(next);
      p.waits = !p.options.relaxed;
      const auto until = p.options.relaxed ? deadline{seconds{5}} : deadline{};
      auto [ec, reply] = co_await socket.async_receive_from(until, no_throw);
      p.waits = false;
      if (ec) {
        continue;
      }
      --p.due;
      batch got;
      got.push_back(std::move(reply));
      edit(p, got);
      for (const auto& one : got) {
        const auto parcel = history_.received(p.number, one);
        if (parcel && parcel->answers != next.sequence) {
          history_.report(violation::wrong_answer, p.name() + " asked " +
                                                       std::to_string(next.sequence) + ", got " +
                                                       std::to_string(parcel->answers));
        }
      }
    }
  }
}

awaitable<void> programs::converse(participant& p, rep_socket& socket) {
  for (;;) {
    batch got;
    got.push_back(co_await socket.async_receive_from(use_awaitable));
    edit(p, got);
    std::optional<parcel> request;
    for (const auto& m : got) {
      request = history_.received(p.number, m);
    }
    if (!p.eager) {
      co_await pause(p.pace);
    }
    auto reply = request ? history_.next(p.number, request->sender, request->sequence)
                         : history_.next(p.number);
    auto m = wrap(reply, {}, p.sizes, world_.random());
    history_.offered(reply);
    // A REP drops a reply that its peer has no space for.
    const auto sent_before = socket.counters().messages_sent;
    const auto [ec] = co_await socket.async_send(std::move(m), no_throw);
    if (!ec && socket.counters().messages_sent != sent_before) {
      history_.queued(reply);
    }
  }
}

// Answers requests, and sends unsolicited messages to peers other than REQ.
awaitable<void> programs::converse(participant& p, router_socket& socket) {
  std::deque<answer> answers;
  asio::co_spawn(co_await asio::this_coro::executor, send_answers(p, socket, answers), rethrow);
  for (;;) {
    history_.check_marks(p.number);
    auto got = co_await receive(socket);
    edit(p, got);
    for (const auto& m : got) {
      const auto request = history_.received(p.number, m);
      if (request && request->answers == 0 &&
          (p.peers == socket_type::req || world_.random().chance(50))) {
        const auto envelope = unwrap(m.content).envelope;
        answers.push_back({m.peer, *request, {envelope.begin(), envelope.end()}});
      }
    }
    if (!p.eager) {
      co_await pause(p.pace);
    }
  }
}

awaitable<void> programs::send_answers(participant& p, router_socket& socket,
                                       std::deque<answer>& answers) {
  for (;;) {
    co_await wait_for_turn(p);
    for (; !answers.empty(); answers.pop_front()) {
      send_to(p, socket, answers.front());
    }
    for (; p.due != 0; --p.due) {
      const auto peers = socket.peers();
      if (peers.empty()) {
        break;
      }
      const auto to = peers[world_.random().pick(peers.size())].id;
      send_to(p, socket, {to, {.sender = history_.participant_at(p.number, to)}, {}});
    }
    history_.check_marks(p.number);
  }
}

// Drops a message that the socket cannot queue.
void programs::send_to(participant& p, router_socket& socket, const answer& what) {
  auto next = history_.next(p.number, what.request.sender, what.request.sequence);
  const std::vector<std::string_view> envelope{what.envelope.begin(), what.envelope.end()};
  auto m = wrap(next, envelope, p.sizes, world_.random());
  history_.offered(next);
  // By its name, if it has one, or as the one that spoke.
  const auto named = socket.find("participant " + std::to_string(what.request.sender));
  const auto to = named && world_.random().chance(50) ? *named : what.to;
  if (socket.try_send(to, std::move(m)) == send_status::queued) {
    history_.queued(next);
  }
}

}  // namespace zmtp::simulation
