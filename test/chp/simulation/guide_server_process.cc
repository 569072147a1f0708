#include "test/chp/simulation/guide_server_process.h"

#include "chp/command.h"
#include "test/chp/simulation/server_process.h"
#include "zmtp/runtime/timer.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/use_awaitable.hpp>
#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace chp::simulation {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

constexpr auto poll = 5ms;

std::vector<std::string> parts_of(const zmtp::message& m) {
  std::vector<std::string> all;
  for (const auto part : m) {
    all.emplace_back(part);
  }
  return all;
}

std::string frame_of(std::uint64_t number) {
  std::string bytes(8, '\0');
  boost::endian::store_big_u64(reinterpret_cast<unsigned char*>(bytes.data()), number);
  return bytes;
}

std::uint64_t number_in(const std::string& frame) {
  return frame.size() == 8
             ? boost::endian::load_big_u64(reinterpret_cast<const unsigned char*>(frame.data()))
             : 0;
}

}  // namespace

struct guide_server_process::sockets {
  // The threads of libzmq write the parts of a snapshot while the server adds others. Here nothing is
  // written before all of them are in the queue.
  static zmtp::socket_options without_limit() {
    zmtp::socket_options options;
    options.send_mark.messages.reset();
    return options;
  }
  explicit sockets(const asio::any_io_executor& executor)
      : requests{executor, without_limit()},
        publisher{executor},
        collector{executor},
        feed{executor},
        state_out{executor},
        state_in{executor},
        own{zmtp::runtime::of(executor)} {}

  zmtp::router_socket requests;
  zmtp::pub_socket publisher;
  zmtp::sub_socket collector;
  zmtp::sub_socket feed;
  zmtp::pub_socket state_out;
  zmtp::sub_socket state_in;
  zmtp::runtime& own;
};

guide_server_process::guide_server_process(zmtp::simulation::world& in, server who,
                                           const options& how)
    : world_{&in}, process_{&in.add(host_of(who))}, who_{who}, options_{how} {
  process_->set_clock(options_.clock);
}

void guide_server_process::start() {
  state_ = who_ == 0 ? primary : backup;
  gave_up_ = false;
  copies_ = false;
  has_snapshot_ = false;
  sequence_ = 0;
  map_.clear();
  pending_.clear();
  process_->run([this] { return serve(); });
}

map_history::content guide_server_process::published() const {
  map_history::content all;
  if (running()) {
    for (const auto& [key, u] : map_) {
      all.emplace(key, u.value);
    }
  }
  return all;
}

asio::awaitable<void> guide_server_process::serve() {
  const auto executor = co_await asio::this_coro::executor;
  sockets s{executor};
  const auto peer = host_of(1 - who_);
  s.requests.bind("tcp://*:5556");
  s.publisher.bind("tcp://*:5557");
  s.collector.bind("tcp://*:5558");
  s.state_out.bind("tcp://*:5555");
  s.feed.connect("tcp://" + peer + ":5557");
  s.state_in.connect("tcp://" + peer + ":5555");
  for (auto* const each : {&s.collector, &s.feed, &s.state_in}) {
    each->subscribe("");
  }
  silent_at_ = s.own.now() + options_.expiry;
  auto next_beat = s.own.now();
  zmtp::timer pause{executor};
  zmtp::message m;
  while (!gave_up_) {
    if (s.own.now() >= next_beat) {
      next_beat += options_.heartbeat;
      beat(s);
    }
    while (!gave_up_ && s.state_in.try_receive(m)) {
      on_state(m, s);
    }
    while (s.requests.try_receive(m)) {
      on_request(m, s);
    }
    while (s.collector.try_receive(m)) {
      on_set(m, s);
    }
    // Only a passive server reads the publications of its peer.
    while (state_ == passive && s.feed.try_receive(m)) {
      co_await on_publication(m);
    }
    pause.expires_after(poll);
    co_await pause.async_wait(asio::use_awaitable);
  }
}

void guide_server_process::beat(sockets& s) const {
  static_cast<void>(s.state_out.try_send(zmtp::message{std::to_string(state_)}));
  static_cast<void>(s.publisher.try_send(zmtp::message{"HUGZ", frame_of(sequence_), "", "", ""}));
}

void guide_server_process::become(state next, sockets& s) {
  world_->net().here().note(
      process_->host() + ": the Guide's server is " + (next == active ? "active" : "passive"), {});
  state_ = next;
  if (next == active) {
    for (const auto& each : std::exchange(pending_, {})) {
      store(each, s);
    }
  } else {
    map_.clear();
    has_snapshot_ = false;
  }
}

void guide_server_process::on_state(const zmtp::message& m, sockets& s) {
  const auto peer = static_cast<state>(m.front().at(0) - '0');
  silent_at_ = s.own.now() + options_.expiry;
  if (state_ == primary && (peer == backup || peer == active)) {
    become(peer == backup ? active : passive, s);
  } else if (state_ == backup && peer == active) {
    become(passive, s);
  } else if (state_ == passive && (peer == primary || peer == backup)) {
    become(active, s);
  } else if (state_ == peer && (state_ == active || state_ == passive)) {
    world_->net().here().note(process_->host() + ": the Guide's server gives up", {});
    gave_up_ = true;
  }
}

void guide_server_process::on_request(const zmtp::message& m, sockets& s) {
  if ((state_ == primary || state_ == passive) && s.own.now() >= silent_at_) {
    become(active, s);
  }
  const auto parts = parts_of(m);
  if (state_ != active || parts.size() != 3) {
    return;
  }
  const auto& who = parts[0];
  for (const auto& [key, u] : map_) {
    if (key.starts_with(parts[2])) {
      static_cast<void>(s.requests.try_send(
          zmtp::message{who, key, frame_of(sequence_), u.id, u.properties, u.value}));
    }
  }
  static_cast<void>(
      s.requests.try_send(zmtp::message{who, "KTHXBAI", frame_of(sequence_), "", "", parts[2]}));
}

void guide_server_process::store(const update& u, sockets& s) {
  ++sequence_;
  static_cast<void>(
      s.publisher.try_send(zmtp::message{u.key, frame_of(sequence_), u.id, u.properties, u.value}));
  apply(u);
}

void guide_server_process::apply(const update& u) {
  if (u.value.empty()) {
    map_.erase(u.key);
  } else {
    map_[u.key] = u;
  }
}

bool guide_server_process::take_pending(const std::string& id) {
  return std::erase_if(pending_, [&](const update& each) { return each.id == id; }) != 0;
}

void guide_server_process::on_set(const zmtp::message& m, sockets& s) {
  const auto parts = parts_of(m);
  if (parts.size() != 5) {
    return;
  }
  const update u{parts[0], parts[2], parts[3], parts[4]};
  if (state_ == active) {
    store(u, s);
  } else if (!take_pending(u.id)) {
    pending_.push_back(u);
  }
}

asio::awaitable<void> guide_server_process::on_publication(const zmtp::message& m) {
  const auto parts = parts_of(m);
  if (parts.size() != 5 || parts[0] == "HUGZ") {
    co_return;
  }
  if (!has_snapshot_) {
    co_await copy();
  }
  const update u{parts[0], parts[2], parts[3], parts[4]};
  if (!take_pending(u.id)) {
    pending_.push_back(u);
  }
  if (const auto number = number_in(parts[1]); number > sequence_) {
    sequence_ = number;
    apply(u);
  }
}

// The Guide's server waits without limit, and does nothing else meanwhile.
asio::awaitable<void> guide_server_process::copy() {
  copies_ = true;
  zmtp::dealer_socket from{co_await asio::this_coro::executor};
  from.connect(endpoint_of(1 - who_));
  co_await from.async_send(make_snapshot_request(""), asio::use_awaitable);
  for (;;) {
    const auto parts = parts_of(co_await from.async_receive(asio::use_awaitable));
    if (parts.size() != 5) {
      continue;
    }
    if (parts[0] == "KTHXBAI") {
      sequence_ = number_in(parts[1]);
      break;
    }
    map_[parts[0]] = {parts[0], parts[2], parts[3], parts[4]};
  }
  has_snapshot_ = true;
  copies_ = false;
}

}  // namespace chp::simulation
