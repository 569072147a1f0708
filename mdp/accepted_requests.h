#pragma once
// The requests that the broker has accepted and not ended, with the quotas of their clients and their idempotency
// keys. Replies and errors reach clients from here. Pure.

#include "mdp/broker_actions.h"
#include "mdp/broker_records.h"
#include "mdp/command.h"
#include "mdp/keyed_requests.h"
#include "mdp/options.h"
#include "mdp/pool.h"
#include "mdp/quotas.h"
#include "mdp/request_error.h"
#include "mdp/service_table.h"
#include "zmtp/message.h"
#include "zmtp/pattern/liveness.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mdp {

class accepted_requests {
public:
  // `liveness` and `counters` must outlive this object.
  accepted_requests(const broker_options& options, const zmtp::liveness& liveness,
                    broker_counters& counters);

  // Sets the time of the calls that follow. `now` never decreases.
  void set_time(time_point now) noexcept {
    now_ = now;
    keyed_.set_time(now);
  }

  // Rejects a request that is not accepted.
  void reject(const client_record& from, request_fault why, dialect how, std::string_view name,
              broker_actions& out);
  // Handles an attempt of a request that is not new: its key is known, or the broker may not begin the request.
  // Returns false, and does nothing, if the attempt is a new request. `to` is the service called `name`, or null.
  [[nodiscard]] bool repeat(client_record& from, service* to, std::string_view name, dialect how,
                            const keyed_attempt& attempt, zmtp::message& m, broker_actions& out);
  // Accepts a new request. The caller must queue or assign it. `m` is the message of the client from the service on.
  request& enter(client_record& from, std::string_view principal, service& to, dialect how,
                 bool by_mmi, const std::optional<keyed_attempt>& attempt, zmtp::message& m,
                 broker_actions& out);

  // Passes a part of the reply on to the client, or gathers the part for a 0.1 client.
  void answer_in_part(request& held, zmtp::message& body, broker_actions& out);

  // The next five functions destroy the request. It must not be in a queue, and no worker may hold it.
  // Passes the whole reply on, or its last part.
  void answer(request& r, zmtp::message& body, broker_actions& out);
  // Ends a request without a reply: counts the cause and reports the fault to the client.
  void fail(request& r, std::uint64_t request_counters::*cause, request_fault why,
            broker_actions& out);
  // As many workers as the service has have refused the request.
  void decline(request& r, broker_actions& out) {
    fail(r, &request_counters::declined, request_fault::refused, out);
  }
  // The request was lost with its worker in its last attempt, or its reply had begun. No other worker may get it.
  void exhaust(request& r, broker_actions& out);
  // Counts and reports nothing.
  void drop(request& r, broker_actions& out);

  // Reports to the client, if it reads errors, that there will be no reply.
  void report_failure(request& r, request_fault why, broker_actions& out);
  // No client waits for the reply any more. The worker that holds the request does not know that.
  void abandon(request& held, broker_actions& out);
  // Forgets the parts of the reply, because another worker answers the request from the beginning.
  void restart(request& r) noexcept;

  // The request has waited, and a worker gets it now.
  void count_queue_time(const request& r, time_point now) noexcept {
    counters_.queue_time.add(now - r.queued_at);
    r.asked->times.queue_time.add(now - r.queued_at);
  }
  // Counts an event of a request for this service.
  void count(service& s, std::uint64_t request_counters::*what) noexcept {
    ++(counters_.*what);
    ++(s.counters.*what);
  }

  // The quota of the service has changed.
  void on_quota_changed(service& of, broker_actions& out) { quotas_.look_again(of, out); }
  // The client has disconnected. Its requests are still here.
  void forget(client_record& leaving) noexcept { quotas_.forget(leaving); }

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  void expire_outcomes();

  // Copies bodies out of the read buffers that they are slices of.
  void compact();

  [[nodiscard]] std::size_t size() const noexcept { return requests_.size(); }
  // Requests that clients wait for.
  [[nodiscard]] std::size_t unanswered() const noexcept { return quotas_.unanswered(); }
  void describe(broker_status& s) const;

private:
  void set_body(request& r, zmtp::message& m, dialect how);
  void take_over(request& r, client_record& from, dialect how, zmtp::message& m,
                 broker_actions& out);
  void pass_on_part(request& r, zmtp::message& body, broker_actions& out);
  [[nodiscard]] bool gather_or_end(request& r, const zmtp::message& body, broker_actions& out);
  void end_too_large(request& r, broker_actions& out);

  const gathering_quota gathered_limit_;
  const zmtp::liveness& liveness_;
  broker_counters& counters_;
  time_point now_{};
  pool<request> requests_;
  quotas quotas_;
  keyed_requests keyed_;
  list_of<request, &request::slice> slices_;  // requests whose bodies may be slices of read buffers
};

}  // namespace mdp
