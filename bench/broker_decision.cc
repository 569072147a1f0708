// The broker's decisions about a request and its reply, without sockets: from the two messages that it reads to the
// two that it writes. bazel run -c opt //bench:broker_decision

#include "mdp/broker_state.h"
#include "mdp/command.h"
#include "zmtp/message.h"
#include "zmtp/metadata.h"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mdp {
namespace {

class setting {
public:
  setting(std::size_t clients, std::size_t workers, std::size_t capacity, version v) : v_{v} {
    zmtp::metadata announced;
    if (capacity > 1) {
      announced.add("X-Zinc", "capacity=" + std::to_string(capacity));
    }
    for (std::size_t i = 0; i < clients; ++i) {
      clients_.push_back(attach({}));
    }
    for (std::size_t i = 0; i < workers; ++i) {
      broker_.on_message(attach(announced), make_ready(v, "echo"), now_, actions_);
    }
    zmtp::message m{"Hello world"};
    push_client_request(m, v, "echo");
    request_ = m;
  }

  // One request of each client, and the replies to those that are given to workers, until none is.
  std::size_t turn() {
    for (const auto id : clients_) {
      broker_.on_message(id, zmtp::message{request_}, now_, actions_);
      take_sends();
    }
    std::size_t replies = 0;
    // A reply frees its worker for a request that waits, which is behind it then.
    for (std::size_t i = 0; i < given_.size(); ++i) {
      auto [worker, m] = std::move(given_[i]);
      answer(m);
      broker_.on_message(worker, std::move(m), now_, actions_);
      take_sends();
      ++replies;
    }
    given_.clear();
    broker_.compact();
    return replies;
  }

private:
  zmtp::peer_id attach(const zmtp::metadata& announced) {
    const zmtp::peer_id id{next_slot_++, 1};
    broker_.on_attached(id, {}, announced, now_, actions_);
    return id;
  }

  void take_sends() {
    for (auto& send : actions_.sends) {
      if (send.to.slot >= clients_.size()) {
        given_.push_back(std::move(send));
      }
    }
    actions_.clear();
  }

  // The worker's part: another command in front of the same address and body.
  void answer(zmtp::message& m) const {
    if (v_ == version::v01) {
      m.pop_front();
    }
    m.pop_front();
    m.pop_front();
    m.push_front(v_ == version::v01 ? "\x03" : "\x04");
    m.push_front(v_ == version::v01 ? "MDPW01" : "MDPW02");
    if (v_ == version::v01) {
      m.push_front({});
    }
  }

  const version v_;
  broker_state::time_point now_{std::chrono::hours{1}};
  broker_state::actions actions_;
  broker_state broker_{{}, 0x0123'4567'89ab'cdef};
  std::uint32_t next_slot_ = 0;
  std::vector<zmtp::peer_id> clients_;
  zmtp::message request_;
  std::vector<broker_actions::send_action> given_;
};

// The time includes the worker's part, an exchange of envelopes.
void request_and_reply(benchmark::State& state) {
  setting s{static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)),
            static_cast<std::size_t>(state.range(2)),
            state.range(3) == 1 ? version::v01 : version::v02};
  std::size_t replies = 0;
  for (auto _ : state) {
    replies += s.turn();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(replies));
  state.counters["per_request"] = benchmark::Counter(
      static_cast<double>(replies), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(request_and_reply)
    ->ArgNames({"clients", "workers", "capacity", "version"})
    ->Args({1, 1, 1, 1})
    ->Args({1, 1, 1, 2})
    ->Args({100, 4, 8, 1})
    ->Args({1'000, 100, 1, 1})
    ->Args({1'000, 100, 8, 1})
    ->Args({1'000, 100, 8, 2});

}  // namespace
}  // namespace mdp
