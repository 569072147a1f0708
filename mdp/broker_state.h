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
#include "zmtp/peer.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace mdp {

// The decisions of a broker. Each call appends actions. `now` never decreases. The broker ignores
// messages of a peer that is not attached. No message from a peer is a precondition.
//
// The first message of a peer makes it a client or a worker, and it cannot change its role. Clients
// and workers of both versions share the services. The broker closes a peer that breaks the
// protocol. A worker that sends a valid command at the wrong time gets DISCONNECT, and the broker
// ignores it from then on, even if it registers again on the same connection. 7/MDP and 18/MDP
// require a new connection, and the missing heartbeats of the broker make the worker open one.
//
// An accepted request is answered at most once, by the worker that it is assigned to. Before
// that, it counts as unanswered for its client and its service.
class broker_state {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using actions = broker_actions;

  // `instance` has 64 random bits, which distinguish the requests of this broker from those of an
  // earlier run.
  broker_state(const broker_options& options, std::uint64_t instance);
  broker_state(const broker_state&) = delete;
  broker_state& operator=(const broker_state&) = delete;

  // `routing_id` is the ROUTER's address of the peer. `announced` is the metadata of its handshake.
  // `user_id` is the peer's principal, for broker_options::access.
  void on_attached(zmtp::peer_id id, std::string_view routing_id, const zmtp::metadata& announced,
                   time_point now, actions& out, std::string_view user_id = {});
  void on_message(zmtp::peer_id id, zmtp::message&& m, time_point now, actions& out);
  // The connection was lost or closed.
  void on_detached(zmtp::peer_id id, time_point now, actions& out);
  // A message could not be queued, because the peer does not read. The broker closes the peer.
  // `out` may be the actions that the shell is carrying out, if the shell iterates by index.
  void on_not_taken(zmtp::peer_id id, zmtp::message content, time_point now, actions& out);

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // May be called early. A call that is more than one heartbeat interval late means that this
  // process was paused or overloaded. No worker is lost and no request expires for another
  // interval, so that the broker reads pending messages first.
  void on_deadline(time_point now, actions& out);

  // Replaces the options of services (`services` and `rules`). The other options have no effect.
  // Existing services get their new limits and times immediately. Services that are no longer named
  // are removed when they have neither worker nor request. Registered workers keep the kind of
  // client address that they see.
  void change_services(const broker_options& options, time_point now, actions& out);

  // Replaces broker_options::access. Workers that may no longer offer their service get DISCONNECT,
  // and their requests are redelivered. Accepted requests are executed.
  void change_access(zmtp::access_rules rules, time_point now, actions& out);

  // The worker gets no more requests, as after its DRAIN, and DISCONNECT when it holds none. Returns
  // false if the peer is not a registered worker.
  [[nodiscard]] bool drain_worker(zmtp::peer_id id, time_point now, actions& out);

  // Stops gradually: rejects new requests and requests that wait for a service without workers. The
  // other requests are executed and answered.
  void drain(time_point now, actions& out) { dispatcher_.drain(now, out); }
  // Ends all unanswered requests. Clients that announce `mdp-errors` get an error with the outcome.
  void give_up(time_point now, actions& out) { dispatcher_.give_up(now, out); }
  // Returns the number of requests that clients wait for.
  [[nodiscard]] std::size_t unanswered() const noexcept { return dispatcher_.unanswered(); }

  // Copies stored messages out of slices of read buffers. Call it at the end of each turn.
  void compact() { dispatcher_.compact(); }

  [[nodiscard]] broker_status status() const;
  // Returns up to `count` services in byte order of their names, from the first name after `after`.
  [[nodiscard]] std::vector<service_status> services(std::string_view after = {},
                                                     std::size_t count = SIZE_MAX) const {
    return dispatcher_.services(after, count);
  }

  // Return up to `count` registered workers and connected clients, in the order of their slots.
  [[nodiscard]] std::vector<worker_status> workers(std::size_t count, time_point now) const;
  [[nodiscard]] std::vector<client_status> clients(std::size_t count) const;

private:
  [[nodiscard]] errc on_command(peer& from, const client_request& asked, zmtp::message& m,
                                time_point now, actions& out);
  [[nodiscard]] errc on_command(peer& from, const worker_reply& given, zmtp::message& m,
                                time_point now, actions& out);
  [[nodiscard]] errc on_command(peer& from, const worker_ready& action, zmtp::message& m,
                                time_point now, actions& out);
  [[nodiscard]] errc on_command(peer& from, const worker_nack& given, zmtp::message& m,
                                time_point now, actions& out);
  [[nodiscard]] errc on_command(peer& from, const worker_drain& action, zmtp::message& m,
                                time_point now, actions& out);
  [[nodiscard]] errc on_command(peer& from, const worker_heartbeat& sign, zmtp::message& m,
                                time_point now, actions& out);
  [[nodiscard]] errc on_command(peer& from, const worker_disconnect& farewell, zmtp::message& m,
                                time_point now, actions& out);
  void answer_mmi(const peer& to, const client_request& asked, const zmtp::message& m,
                  time_point now, actions& out);
  [[nodiscard]] bool check_access(const peer& from, std::string_view principal, right wanted,
                                  std::string_view name, actions& out);
  [[nodiscard]] bool check_request(const peer& from, std::string_view principal,
                                   const client_request& asked, std::string_view about,
                                   actions& out);
  void list_services(const peer& to, std::string_view after, zmtp::message& reply) const;
  void list_workers(const peer& to, std::string_view after, time_point now,
                    zmtp::message& reply) const;
  void list_clients(std::string_view after, zmtp::message& reply) const;

  [[nodiscard]] errc check_worker(peer& from, dialect how, time_point now, actions& out);
  [[nodiscard]] request* find_held(peer& from, std::string_view address, dialect how,
                                   time_point now, actions& out);
  void part_if_done(peer& from, time_point now, actions& out);
  void send_away(peer& from, dialect how, time_point now, actions& out);
  void close(peer& from, time_point now, actions& out);
  void become(peer& changed, standing next, time_point now, actions& out);

  const broker_options options_;
  zmtp::liveness liveness_;
  broker_counters counters_;
  zmtp::access_guard access_;
  peer_table peers_;
  dispatcher dispatcher_;
};

}  // namespace mdp
