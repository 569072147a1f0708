#pragma once
// Counts unanswered requests against the quotas of their clients and services. At a quota, the broker
// stops reading from clients. It drops nothing.

#include "mdp/broker_actions.h"
#include "mdp/options.h"
#include "mdp/service_table.h"

#include <cstddef>

namespace mdp {

class quotas {
public:
  quotas(client_quota per_client, broker_counters& counters) noexcept
      : client_limit_{per_client}, counters_{counters} {}

  // Adds a new request of a client for a service. May pause the client.
  void enter(request& r, client_record& from, service& to, broker_actions& out);
  // Removes a request that was answered or dropped, and sets its client to null. May resume
  // clients.
  void leave(request& r, broker_actions& out);
  // Checks the service after a change of its limits. May resume clients.
  void look_again(service& of, broker_actions& out);
  // The client disconnects, so it is not resumed any more.
  void forget(client_record& leaving) noexcept;

  [[nodiscard]] std::size_t paused() const noexcept { return paused_; }
  // Returns the number of requests that were entered and have not left.
  [[nodiscard]] std::size_t unanswered() const noexcept { return unanswered_; }

private:
  void pause(client_record& c, broker_actions& out);
  void resume_unless_held(client_record& c, broker_actions& out);

  client_quota client_limit_;
  broker_counters& counters_;
  std::size_t paused_ = 0;
  std::size_t unanswered_ = 0;
};

}  // namespace mdp
