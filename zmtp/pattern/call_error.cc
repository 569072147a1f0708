#include "zmtp/pattern/call_error.h"

#include <boost/asio/error.hpp>

#include <string>

namespace zmtp {

namespace {

const char* text(call_errc e) noexcept {
  switch (e) {
    case call_errc::not_sent:
      return "call failed: no server was available and no server executed it; check the endpoints";
    case call_errc::no_answer:
      return "call timed out: no server answered, but one may have executed it; retry only if it "
             "may run twice";
    case call_errc::no_servers: return "no servers: the list is empty; name at least one endpoint";
    case call_errc::call_in_flight:
      return "call rejected: another call is in flight on this client; wait for its answer or use "
             "another client";
    case call_errc::too_many_calls:
      return "call rejected: too many calls are in flight on this client; wait for some or raise "
             "its limit";
    case call_errc::no_request:
      return "no such request: already answered, or its client has disconnected; reply once to "
             "each request";
    case call_errc::bad_call_option:
      return "invalid option: out of range; use positive timeouts, intervals and numbers, and no "
             "negative pauses";
  }
  return "unknown error of a call";
}

class category final : public boost::system::error_category {
public:
  const char* name() const noexcept override { return "zmtp.call"; }
  std::string message(int value) const override { return text(static_cast<call_errc>(value)); }
};

}  // namespace

const boost::system::error_category& call_category() noexcept {
  static const category instance;
  return instance;
}

call_outcome outcome_of(const boost::system::error_code& ec) noexcept {
  if (!ec) {
    return call_outcome::answered;
  }
  return ec == call_errc::no_answer || ec == boost::asio::error::operation_aborted
             ? call_outcome::unknown
             : call_outcome::refused;
}

}  // namespace zmtp
