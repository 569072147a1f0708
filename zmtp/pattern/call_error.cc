#include "zmtp/pattern/call_error.h"

#include <boost/asio/error.hpp>

#include <string>

namespace zmtp {

namespace {

const char* text(call_errc e) noexcept {
  switch (e) {
    case call_errc::not_sent:
      return "no server was there, and the call was not carried out: check the endpoints";
    case call_errc::no_answer:
      return "no server has answered in time, the call may have been carried out: repeat only what "
             "may run twice";
    case call_errc::no_servers: return "no servers: name an endpoint at least";
    case call_errc::call_in_flight:
      return "a call is in flight on this client: await its answer or use another client";
    case call_errc::too_many_calls:
      return "too many calls are in flight on this client: await some, or raise its limit";
    case call_errc::no_request:
      return "no such request is in hand: it was answered already, or who asked is lost";
    case call_errc::bad_call_option:
      return "bad option: timeouts, intervals and numbers are positive, pauses not negative";
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
