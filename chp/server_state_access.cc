// server_options::access: updates that clients may not make, and new rules.

#include "chp/command.h"
#include "chp/server_state.h"

#include <utility>

namespace chp {

void server_state::on_client_update(const message_parts& m, std::string_view user_id) {
  auto p = parse_proposal(m, options_.wire_format, options_.limit);
  if (check_update(p, user_id)) {
    propose(std::move(p));
  }
}

// Returns false if the update is dropped. A refused update of a client that waits for its outcome goes
// to the log, because the log has all updates of a session. Only the owner of a session may choose its
// counters and `low`.
bool server_state::check_update(proposal& p, std::string_view user_id) {
  if (!access_.restricted()) {
    return true;
  }
  const bool has_session = p.id.has_session();
  if (has_session && !access_.may_use(user_id, p.id.session())) {
    refuse(errc::forbidden);
    return false;
  }
  if (p.fault == errc{} && !access_.may_write(user_id, p.key)) {
    p.fault = errc::forbidden;
  }
  if (p.fault == errc{} || (has_session && active() && access_.owns(user_id, p.id.session()))) {
    return true;  // the log counts a fault
  }
  refuse(p.fault);
  return false;
}

void server_state::change_access(zmtp::access_rules rules, actions& out) {
  if (!options_.access.permits_all()) {
    access_.change(std::move(rules), out.subscriptions, out.close_subscribers);
    if (backup_ && access_.restricted() && !access_.may_copy(streams_.user_of(*backup_))) {
      out.close_snapshot_clients.push_back(*backup_);
    }
  }
}

}  // namespace chp
