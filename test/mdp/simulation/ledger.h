#pragma once
// The ledger of a simulation of Majordomo: the calls, the workers that had them, the workers that executed
// them, their outcomes, and the contradictions between them.

#include "mdp/client.h"
#include "test/mdp/simulation/parcel.h"
#include "test/mdp/simulation/violation.h"
#include "test/simulation/run_result.h"
#include "test/simulation/socket_watcher.h"
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

using zmtp::simulation::end_of_stream;
using zmtp::simulation::event_queue;
using zmtp::simulation::sim_socket;

using time_point = event_queue::time_point;

// The expected properties of a service, whatever settings the broker has.
struct trade {
  std::string name;
  bool idempotent = true;
  // The broker may pass over a busy worker that is silent for this time, or has had a request for this time.
  std::optional<std::chrono::milliseconds> busy_expiry{};
  std::optional<std::chrono::milliseconds> busy_timeout{};
};

class ledger final : public zmtp::simulation::socket_watcher {
public:
  using finding = zmtp::simulation::finding<violation>;

  explicit ledger(zmtp::simulation::run_state& in) : world_{&in} {}

  // Calls of callers. `asked` must outlive the ledger. Numbers begin with 1.
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
  // A client has left its broker for the next.
  void on_moved();
  // There must have been a reply.
  void expect_answer(std::uint32_t call);

  // Calls of the broker: requests that it sends to a worker, by the number of the stream.
  void on_given(std::uint32_t call, std::uint64_t stream);
  // The worker has answered it.
  void on_returned(std::uint32_t call, std::uint64_t stream);
  // The worker has refused the call, or has reported a failure: the call is not with this worker any more.
  void on_handed_back(std::uint32_t call, std::uint64_t stream);
  // The worker sent a message.
  void on_heard(std::uint64_t stream);
  // The broker parts with the worker, though the connection lives.
  void on_graceful_close(std::uint64_t stream) { over_.insert(stream); }

  // Calls of workers, by the number of their socket.
  [[nodiscard]] std::uint32_t begin_run(std::uint32_t call, std::uint32_t socket);
  // Sets the number of pieces of the reply.
  void say_in(std::uint32_t which, unsigned pieces) { runs_[which - 1].pieces = pieces; }

  void report(violation what, std::string text);
  [[nodiscard]] const std::vector<finding>& findings() const noexcept { return findings_; }
  // Checks that every call has ended. All deadlines must have passed.
  void check_all_ended();
  [[nodiscard]] std::size_t open_calls() const;

  [[nodiscard]] std::size_t calls() const noexcept { return calls_.size(); }
  [[nodiscard]] std::size_t runs() const noexcept { return runs_.size(); }
  [[nodiscard]] std::size_t sends() const noexcept { return sends_; }
  [[nodiscard]] std::size_t replies() const noexcept { return replies_; }
  [[nodiscard]] std::size_t moves() const noexcept { return moves_; }
  // Runs of calls behind their first.
  [[nodiscard]] std::size_t repetitions() const;

  // How many connections this socket has had.
  [[nodiscard]] std::size_t streams_of(std::uint32_t socket) const;
  // The stream of this socket's present connection, or of its last; 0 if it had none.
  [[nodiscard]] std::uint64_t stream_of(std::uint32_t socket) const;
  [[nodiscard]] bool is_over(std::uint64_t stream) const { return over_.contains(stream); }

  void on_link(const sim_socket&, std::uint64_t, end_of_stream) override {}
  void on_connected(const sim_socket&, zmtp::peer_id) override {}
  void on_disconnected(const sim_socket&, zmtp::peer_id) override {}
  void on_attached(const sim_socket& socket, zmtp::peer_id pipe, std::uint64_t stream,
                   end_of_stream e) override;
  void on_subscription(const sim_socket&, zmtp::peer_id, bool, std::string_view) override {}
  void on_decoded(const sim_socket&, std::uint64_t, end_of_stream, std::size_t) override {}
  void on_detached(const sim_socket&, zmtp::peer_id) override {}
  void on_ended(const sim_socket&, std::uint64_t stream, end_of_stream, zmtp::error_code) override {
    over_.insert(stream);
  }
  void on_turn(const sim_socket&) override {}
  // The stream that a socket of many connections has with this peer.
  [[nodiscard]] std::uint64_t stream_of(std::uint32_t socket, zmtp::peer_id pipe) const;

private:
  struct giving {
    std::uint64_t stream;
    time_point when;
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
  // Whether the worker is still at it, as far as the broker can know.
  [[nodiscard]] bool is_with(const call_record& of, const giving& one) const;
  [[nodiscard]] bool take_pieces(std::uint32_t number, const zmtp::message& body);
  // False if it had ended before.
  [[nodiscard]] bool end(std::uint32_t number);
  [[nodiscard]] std::string name(std::uint32_t number) const;

  zmtp::simulation::run_state* world_;
  std::vector<call_record> calls_;
  std::vector<run_record> runs_;
  std::map<std::uint32_t, std::vector<std::uint64_t>> streams_;  // by socket
  std::map<std::pair<std::uint32_t, zmtp::peer_id>, std::uint64_t> pipes_;
  // Calls in flight by stream, and their start.
  std::map<std::uint64_t, std::multimap<std::uint32_t, time_point>> in_flight_;
  std::map<std::uint64_t, time_point> received_;
  std::set<std::uint64_t> over_;
  std::vector<finding> findings_;
  time_point excused_until_{};
  std::size_t sends_ = 0;
  std::size_t replies_ = 0;
  std::size_t moves_ = 0;
};

}  // namespace mdp::simulation
