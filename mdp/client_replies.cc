#include "mdp/client_replies.h"

#include "mdp/service_table.h"

#include <cstddef>
#include <memory>
#include <utility>

namespace mdp {

std::string_view name_for_client(const request& r) noexcept {
  return r.by_mmi ? mmi_titanic : std::string_view{r.asked->name};
}

void send_part(const request& r, zmtp::message& body, broker_actions& out) {
  push_client_reply(body, r.how, false, name_for_client(r));
  out.send(r.asked_by->peer, std::move(body));
}

void send_reply(const request& r, zmtp::message& body, broker_actions& out) {
  push_client_reply(body, r.how, true, name_for_client(r));
  out.send(r.asked_by->peer, std::move(body));
}

void send_outcome(const client_record& to, const keyed_request& ended, dialect how,
                  broker_actions& out) {
  if (ended.is == keyed_request::state::failed) {
    if (to.reads_errors) {
      out.send(to.peer, make_error(how, ended.fault, ended.result, ended.service));
    }
    return;
  }
  zmtp::message whole;
  for (std::size_t i = 0; i < ended.parts.size(); ++i) {
    const bool last = i + 1 == ended.parts.size();
    whole.append(ended.parts[i]);
    if (last || how != dialect::v01) {
      push_client_reply(whole, how, last, ended.service);
      out.send(to.peer, std::exchange(whole, {}));
    }
  }
}

bool gather(request& r, const zmtp::message& body, const gathering_quota& limit) {
  if (r.gathered == nullptr) {
    r.gathered = std::make_unique<zmtp::message>();
  }
  if (r.gathered->framed_size() + body.framed_size() > limit.bytes ||
      r.gathered->size() + body.size() > limit.parts) {
    return false;
  }
  r.gathered->append(body);
  return true;
}

}  // namespace mdp
