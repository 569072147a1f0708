#include "mdp/error.h"

#include <string>

namespace mdp {

namespace {

const char* text(errc e) noexcept {
  switch (e) {
    case errc::no_header:
      return "message without a Majordomo header: send MDPC01, MDPW01, MDPC02 or MDPW02 first";
    case errc::unknown_header:
      return "unknown header: this broker speaks MDPC01, MDPW01, MDPC02 and MDPW02";
    case errc::not_delimited:
      return "MDP/0.1 header without an empty frame before it: use a REQ socket or send the empty "
             "frame";
    case errc::no_command: return "message ends after its header: send the command frame";
    case errc::unknown_command:
      return "unknown command: see 7/MDP and 18/MDP for the commands of each version";
    case errc::misdirected_command: return "command of the opposite side: check which end sends it";
    case errc::no_service:
      return "no service name: name the service in one frame of 1 to 255 bytes";
    case errc::service_too_long: return "service name above 255 bytes: use a shorter name";
    case errc::no_address: return "no client address: send back the address frame of the request";
    case errc::address_not_delimited:
      return "no empty frame after the client address: send exactly one address frame, then an "
             "empty one";
    case errc::no_body: return "no body: send at least one frame, which may be empty";
    case errc::surplus_frames:
      return "frames after a command without a body: send the command alone";
    case errc::unknown_reason: return "NACK with an unknown reason: send `refused` or `failed`";
    case errc::too_many_frames: return "too many frames: send several messages";
    case errc::role_changed:
      return "peer is both client and worker: use a connection for each role";
    case errc::version_changed:
      return "worker changed the version of MDP: open a new connection and register again";
    case errc::unsolicited_reply:
      return "unsolicited reply: check which other peers are connected to the broker";
    case errc::surplus_request:
      return "request above the worker's capacity: the broker must wait for a reply first";
    case errc::service_reserved:
      return "service name begins with mmi., which is reserved: choose another name";
    case errc::no_request:
      return "no such request in flight: reply to each request once, before its broker disconnects";
    case errc::partial_not_possible: return "MDP/0.1 has no partial replies: use MDP/0.2";
    case errc::request_in_flight:
      return "a request is in flight on this connection: await its reply or use another connection";
    case errc::bad_option:
      return "option out of its range: a duration is at most 8760 h; see the comments of the "
             "options";
    case errc::not_connected:
      return "request not sent: no connection to the broker; check the endpoint and that the "
             "broker "
             "runs";
    case errc::no_reply:
      return "no reply in time, the request may have been executed: resend it only if it may "
             "run "
             "twice";
    case errc::reply_cut_short:
      return "reply ended early, the request may have been executed: resend it only if it may "
             "run "
             "twice";
    case errc::not_offered:
      return "request not executed: no worker offers the service; start a worker, or check the "
             "name";
    case errc::not_taken:
      return "request not executed: no worker took it in time; start more workers, or retry "
             "later";
    case errc::worker_lost:
      return "workers lost, the request may have been executed: find out why they ended, and "
             "resend it only if it may run twice";
    case errc::request_refused:
      return "request not executed: the workers of the service refused it; retry later, or find "
             "out why they refuse";
    case errc::request_failed:
      return "the worker failed to execute the request, perhaps in part: see its log, and resend "
             "it only if it may run twice";
    case errc::reply_too_large:
      return "the request was executed, but its reply is too large for the broker: use MDP/0.2, "
             "or "
             "allow larger replies at the broker";
    case errc::broker_replaced:
      return "broker replaced, the request may have been executed: resend it only if it may run "
             "twice";
    case errc::request_forgotten:
      return "the broker has forgotten the request, which may have been executed: resend it "
             "only "
             "if it may run twice, or let the broker remember outcomes for longer";
    case errc::forbidden:
      return "request not executed: this client may not call the service; add a rule to the "
             "roles of the broker, or use the credentials of another principal";
  }
  return "unknown mdp error";
}

class category final : public boost::system::error_category {
public:
  const char* name() const noexcept override { return "mdp"; }
  std::string message(int value) const override { return text(static_cast<errc>(value)); }
};

}  // namespace

const boost::system::error_category& mdp_category() noexcept {
  static const category instance;
  return instance;
}

}  // namespace mdp
