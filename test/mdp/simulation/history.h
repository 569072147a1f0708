#pragma once
// The history of a simulation of Majordomo: the calls, the workers that had them, the workers that
// executed them, their outcomes, and the contradictions between them.

#include "mdp/broker_actions.h"
#include "mdp/client.h"
#include "test/mdp/simulation/parcel.h"
#include "test/mdp/simulation/violation.h"
#include "test/simulation/run_result.h"
#include "zmtp/message.h"
#include "zmtp/simulation/run_state.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace mdp::simulation {

using zmtp::simulation::event_queue;

using time_point = event_queue::time_point;

// The expected properties of a service, whatever settings the broker has.
struct trade {
  std::string name;
  bool idempotent = true;
  // The broker may pass over a busy worker that is silent for this time, or has had a request for this time.
  std::optional<std::chrono::milliseconds> busy_expiry{};
  std::optional<std::chrono::milliseconds> busy_timeout{};
};

class history {
public:
  using finding = zmtp::simulation::finding<violation>;

  explicit history(zmtp::simulation::run_state& in) : world_{&in} {}

  // Calls of callers. `asked` must outlive the history. Numbers begin with 1.
  std::uint32_t begin_call(const trade& asked, std::optional<time_point> until = {});
  // Once more: an attempt.
  void on_sent(std::uint32_t call);
  // A part of the reply, more to come.
  void on_part(std::uint32_t call, const zmtp::message& body);
  // The end: the last part of the reply, or all of it.
  void on_reply(std::uint32_t call, const zmtp::message& body);
  // … or the known outcome instead.
  void on_failure(std::uint32_t call, outcome known);
  // The caller has ended, or has given the call up.
  void forget(std::uint32_t call);
  // The caller's host has been paused: its deadlines were not looked at.
  void excuse_lateness() { excused_until_ = now(); }
  [[nodiscard]] bool is_answered(std::uint32_t call) const { return at(call).answered; }
  // There must have been a reply.
  void expect_answer(std::uint32_t call);

  // Messages between a broker and its workers. `worker` names a connection of one run of a broker.
  void on_given(std::uint32_t call, const std::string& worker, const std::string& address);
  // The worker has answered it.
  void on_returned(std::uint32_t call, const std::string& worker);
  // The worker has refused the request with this address, or has reported a failure: it is not with
  // this worker any more.
  void on_handed_back(const std::string& address, const std::string& worker);
  // The worker is not registered any more, or its broker has ended.
  void on_gone(const std::string& worker) { gone_.insert(worker); }

  // A worker begins with a call that it got under this address.
  [[nodiscard]] std::uint32_t begin_run(std::uint32_t call, const std::string& address);
  // Sets the number of pieces of the reply.
  void say_in(std::uint32_t which, unsigned pieces) { runs_[which - 1].pieces = pieces; }

  void report(violation what, std::string text);
  [[nodiscard]] const std::vector<finding>& findings() const noexcept { return findings_; }
  // Checks the counters of a broker that has nothing to do.
  void check_rest(const std::string& broker, const broker_status& s);
  // Checks that every call has ended. All deadlines must have passed.
  void check_all_ended();
  [[nodiscard]] std::size_t open_calls() const;

  [[nodiscard]] std::size_t calls() const noexcept { return calls_.size(); }
  [[nodiscard]] std::size_t replies() const noexcept { return replies_; }
  // Runs of calls behind their first.
  [[nodiscard]] std::size_t repetitions() const;

private:
  struct giving {
    std::string worker;
    std::string address;
    bool used = false;  // the worker has begun with it
    bool handed_back = false;
  };
  struct call_record {
    const trade* asked;
    std::optional<time_point> until;
    unsigned sends = 0;
    bool ended = false;
    bool refused = false;
    bool answered = false;
    std::vector<giving> givings{};
    unsigned runs = 0;
    // The reply, as far as it has arrived.
    std::uint32_t run = 0;
    unsigned pieces = 0;
  };
  struct run_record {
    std::uint32_t call;
    unsigned pieces = 0;
  };

  [[nodiscard]] time_point now() const { return world_->events.now(); }
  [[nodiscard]] call_record& at(std::uint32_t number) { return calls_[number - 1]; }
  [[nodiscard]] const call_record& at(std::uint32_t number) const { return calls_[number - 1]; }
  [[nodiscard]] bool take_pieces(std::uint32_t number, const zmtp::message& body);
  // False if it had ended before.
  [[nodiscard]] bool end(std::uint32_t number);
  [[nodiscard]] std::string name(std::uint32_t number) const;

  zmtp::simulation::run_state* world_;
  std::vector<call_record> calls_;
  std::vector<run_record> runs_;
  std::map<std::string, std::multiset<std::uint32_t>> in_flight_;  // calls by worker
  std::set<std::string> gone_;
  std::vector<finding> findings_;
  time_point excused_until_{};
  std::size_t replies_ = 0;
};

}  // namespace mdp::simulation
