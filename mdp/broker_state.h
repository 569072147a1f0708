#pragma once
// The Majordomo broker's decisions: MDP/0.1 and MDP/0.2 on one ROUTER, and MMI. Pure; the shell
// around it is `broker`.

#include "mdp/broker_actions.h"
#include "mdp/command.h"
#include "mdp/dispatcher.h"
#include "mdp/options.h"
#include "mdp/peer_table.h"
#include "zmtp/message.h"
#include "zmtp/metadata.h"
#include "zmtp/routing/peer_id.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace mdp {

// Each call appends to the actions what it wants done. `now` never decreases. A peer speaks between
// its attach and its detach; what comes from others is ignored. Nothing a peer sends is a
// precondition.
//
// A peer is a client or a worker, by its first message; it may not become the other. Clients and
// workers of both versions share the services. Who breaks the protocol is closed. A worker that
// says something valid at the wrong time is sent DISCONNECT and from then on neither heard nor
// spoken to, even if it registers again on the same connection: 7/MDP and 18/MDP have it come back
// on a new one, and if it does not, the broker's silence makes it.
//
// A request that was accepted is answered at most once, by the worker that holds it, and until then
// it counts as unanswered for its client and its service.
class broker_state {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using actions = broker_actions;

  // `instance` are 64 random bits, which tell this broker's requests from those of an earlier one.
  broker_state(const broker_options& options, std::uint64_t instance);
  broker_state(const broker_state&) = delete;
  broker_state& operator=(const broker_state&) = delete;

  // `routing_id` is what a ROUTER addresses the peer by, `announced` what the peer said of itself in
  // its handshake.
  void on_attached(zmtp::peer_id id, std::string_view routing_id, const zmtp::metadata& announced,
                   time_point now, actions& out);
  void on_message(zmtp::peer_id id, zmtp::message&& m, time_point now, actions& out);
  // The connection is gone.
  void on_detached(zmtp::peer_id id, time_point now, actions& out);
  // A send of ours could not be queued: the peer does not read, and is closed. `out` may be the
  // actions that the shell is working on, if it goes through them by index.
  void on_not_taken(zmtp::peer_id id, zmtp::message content, time_point now, actions& out);

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // May be called early. If it comes more than a heartbeat interval late, this process was stopped
  // or overloaded: nobody is judged for another interval, so that what came meanwhile is read
  // first.
  void on_deadline(time_point now, actions& out);

  // What the options say of services (`services` and `rules`) counts from now on; all else they say is
  // not looked at. Services that are there have their new limits and times at once; those that are named
  // no more go when they have neither worker nor request. Workers that are there see the kind of client
  // address that they saw.
  void change_services(const broker_options& options, time_point now, actions& out);

  // The broker stops: from now on a request is refused, and so is one that waits for a service without a
  // worker. The others are carried out and answered.
  void drain(time_point now, actions& out) { dispatcher_.drain(now, out); }
  // Ends all requests that are not answered yet. Clients that announce `mdp-errors` are told what is known.
  void give_up(time_point now, actions& out) { dispatcher_.give_up(now, out); }
  // Requests that clients wait for.
  [[nodiscard]] std::size_t unanswered() const noexcept { return dispatcher_.unanswered(); }

  // To be called at the end of each turn: copies what is still kept out of slices of read buffers.
  void compact() { dispatcher_.compact(); }

  [[nodiscard]] broker_status status() const;
  // In the order of their names, octet by octet: up to `count` from the first behind `after`.
  [[nodiscard]] std::vector<service_status> services(std::string_view after = {},
                                                     std::size_t count = SIZE_MAX) const {
    return dispatcher_.services(after, count);
  }

private:
  [[nodiscard]] errc on_command(peer& from, const client_request& asked, zmtp::message& m,
                                time_point now, actions& out);
  [[nodiscard]] errc on_command(peer& from, const worker_reply& given, zmtp::message& m,
                                time_point now, actions& out);
  [[nodiscard]] errc on_command(peer& from, const worker_ready& wish, zmtp::message& m,
                                time_point now, actions& out);
  [[nodiscard]] errc on_command(peer& from, const worker_nack& given, zmtp::message& m,
                                time_point now, actions& out);
  [[nodiscard]] errc on_command(peer& from, const worker_drain& wish, zmtp::message& m,
                                time_point now, actions& out);
  [[nodiscard]] errc on_command(peer& from, const worker_heartbeat& sign, zmtp::message& m,
                                time_point now, actions& out);
  [[nodiscard]] errc on_command(peer& from, const worker_disconnect& farewell, zmtp::message& m,
                                time_point now, actions& out);
  void answer_mmi(const peer& to, const client_request& asked, const zmtp::message& m,
                  actions& out);

  [[nodiscard]] errc check_worker(peer& from, dialect how, time_point now, actions& out);
  [[nodiscard]] request* find_held(peer& from, std::string_view address, dialect how,
                                   time_point now, actions& out);
  void part_if_done(peer& from, time_point now, actions& out);
  void send_away(peer& from, dialect how, time_point now, actions& out);
  void close(peer& from, time_point now, actions& out);
  void become(peer& changed, standing next, time_point now, actions& out);

  const broker_options options_;
  broker_counters counters_;
  peer_table peers_;
  dispatcher dispatcher_;
};

}  // namespace mdp
