#pragma once
// Brings the requests of clients to the workers of their services, and the replies back. `broker_state` decides which
// peer may send which command at which time. Pure.

#include "mdp/accepted_requests.h"
#include "mdp/broker_actions.h"
#include "mdp/client_replies.h"
#include "mdp/command.h"
#include "mdp/options.h"
#include "mdp/pool.h"
#include "mdp/request_scheduler.h"
#include "mdp/worker_table.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mdp {

// The service at which a Titanic (9/TSP) answers for mmi.titanic. The broker passes such requests on.
inline constexpr std::string_view titanic_status = "titanic.status";

// References to clients and workers are valid from add_… to remove_….
class dispatcher {
public:
  // `liveness` and `counters` must outlive the dispatcher.
  dispatcher(const broker_options& options, std::uint64_t instance, const zmtp::liveness& liveness,
             broker_counters& counters);

  // `routing_id`: the address that a worker sees if its service has the option raw_client_address.
  [[nodiscard]] client_record& add_client(zmtp::peer_id peer, std::string&& routing_id,
                                          bool reads_errors);
  // Drops the pending requests of the client. The replies to its other requests will be dropped.
  void remove_client(client_record& gone, time_point now, broker_actions& out);
  // Accepts or rejects a request. If its key is known, the request is a repeat. `principal` is that of the client, or
  // the one that the client represents.
  void ask(client_record& from, std::string_view principal, std::string_view name, dialect how,
           const std::optional<keyed_attempt>& attempt, zmtp::message& m, time_point now,
           broker_actions& out);
  // Asks titanic.status, which must be served. The client gets the reply as the reply of mmi.titanic.
  void ask_titanic(client_record& from, std::string_view principal, dialect how, zmtp::message& m,
                   time_point now, broker_actions& out);

  // The worker gets up to `capacity` requests at once, or one if its service has the option raw_client_address.
  [[nodiscard]] worker_record& add_worker(zmtp::peer_id peer, std::string_view name, dialect how,
                                          std::size_t capacity, bool reads_principals,
                                          time_point now, broker_actions& out);
  // Redelivers the requests that the worker held, if their service allows another attempt.
  void remove_worker(worker_record& lost, time_point now, broker_actions& out);

  // The worker has sent DRAIN. It keeps the requests that it holds, and gets no more.
  void retire_worker(worker_record& w, time_point now, broker_actions& out);

  // Returns the request that this worker got with this address, and still holds. Null if there is none.
  [[nodiscard]] request* held_by(worker_record& w, std::string_view address) noexcept {
    return workers_.held_by(w, address);
  }
  // A PARTIAL and a REPLY or FINAL. `body` has the parts after the envelope.
  void answer_in_part(request& held, zmtp::message& body, time_point now, broker_actions& out);
  void answer(request& held, zmtp::message& body, time_point now, broker_actions& out);
  // The two kinds of NACK. A refusal does not count as an attempt: another worker gets the request, until as many
  // workers have refused it as the service has.
  void refuse(request& held, time_point now, broker_actions& out);
  void fail(request& held, time_point now, broker_actions& out);

  // Applies new options for services, including existing services. Workers continue to see the kind of client
  // address that they saw before.
  void change_services(const broker_options& options, time_point now, broker_actions& out);

  // From now on, new requests are rejected, and requests that are pending at a service without a worker end. The
  // other requests are executed.
  void drain(time_point now, broker_actions& out);
  // Ends all requests, and reports this to their clients.
  void give_up(time_point now, broker_actions& out);
  // Requests that clients wait for.
  [[nodiscard]] std::size_t unanswered() const noexcept { return requests_.unanswered(); }

  [[nodiscard]] bool is_served(std::string_view name) noexcept;

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // Sends heartbeats that are due. Returns the first worker that is dead, or null. The caller must remove the worker
  // and call again.
  [[nodiscard]] worker_record* next_dead_worker(time_point now, broker_actions& out) {
    return workers_.next_dead(now, out);
  }
  void expire_requests(time_point now, broker_actions& out);

  // Copies bodies out of the read buffers that they are slices of.
  void compact() { requests_.compact(); }
  void describe(broker_status& s) const;
  // Returns up to `count` services in the order of their names, from the first name after `after`.
  [[nodiscard]] std::vector<service_status> services(std::string_view after,
                                                     std::size_t count) const {
    return scheduler_.services(after, count);
  }

private:
  void end_all(client_record& of, bool stopping, time_point now, broker_actions& out);
  void redeliver(request& lost, time_point now, broker_actions& out);
  worker_record& end_attempt(request& held) noexcept;

  pool<client_record> clients_;
  accepted_requests requests_;
  worker_table workers_;
  request_scheduler scheduler_;
};

}  // namespace mdp
