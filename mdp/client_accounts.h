#pragma once
// What clients and services may have unanswered, and who is not read meanwhile: limits push back,
// they drop nothing.

#include "mdp/broker_actions.h"
#include "mdp/options.h"
#include "mdp/service_table.h"

#include <cstddef>

namespace mdp {

class client_accounts {
public:
  client_accounts(client_quota per_client, broker_counters& counters) noexcept
      : client_limit_{per_client}, counters_{counters} {}

  // Enters a new request of a client for a service; the client may be paused.
  void enter(request& r, client_record& from, service& to, broker_actions& out);
  // Takes out a request that is answered or dropped: clients may be resumed. Forgets who asked.
  void leave(request& r, broker_actions& out);
  // The service's limit has changed: clients may be resumed.
  void look_again(service& of, broker_actions& out);
  // The client is going: it is not resumed any more.
  void forget(client_record& leaving) noexcept;

  [[nodiscard]] std::size_t paused() const noexcept { return paused_; }
  // Requests that were entered and not taken out.
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
