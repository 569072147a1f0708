#pragma once
// Parser and builder of the requests and answers of the services of 9/TSP. Pure.

#include "mdp/titanic/error.h"
#include "mdp/titanic/request_id.h"
#include "zmtp/message.h"

#include <boost/system/result.hpp>

#include <string>
#include <string_view>

namespace mdp::titanic {

inline constexpr std::string_view request_service = "titanic.request";
inline constexpr std::string_view reply_service = "titanic.reply";
inline constexpr std::string_view close_service = "titanic.close";
// Extension: a request with an id of the client, so that a resent request is not stored twice.
// 9/TSP has only titanic.request. A client that lost the answer does not know whether its request
// was stored.
inline constexpr std::string_view submit_service = "titanic.submit";

// Extension: state and counters. Zinc's broker forwards mmi.titanic to it.
inline constexpr std::string_view status_service = "titanic.status";

inline constexpr std::string_view ok = "200";
inline constexpr std::string_view not_yet = "300";
inline constexpr std::string_view refused = "400";
inline constexpr std::string_view broken = "500";

template <class T>
using result = boost::system::result<T>;

// Returns the service of a request, from the body of titanic.request. The message stays as it is.
// The view is valid until the message changes.
// Errors: bad_request.
[[nodiscard]] result<std::string_view> parse_request(const zmtp::message& asked);
// The start of the body of titanic.submit, which continues like that of titanic.request. The view is
// valid until the message changes.
struct submission {
  request_id id;
  std::string_view service;
};
// Errors: bad_request.
[[nodiscard]] result<submission> parse_submission(const zmtp::message& asked);
// Returns the id from the body of titanic.reply or titanic.close: one frame of 32 hexadecimal
// digits.
// Errors: unknown_id.
[[nodiscard]] result<request_id> parse_id(const zmtp::message& asked);

// Parsers of the answers. They compare only the three digits of a code, because text may follow.
// Errors: not_stored or request_failed (500), bad_reply, and those below.
//
// Returns the id from the answer of titanic.request or titanic.submit, byte for byte, because each
// Titanic chooses the form of its ids.
// Errors: bad_request.
[[nodiscard]] result<std::string> parse_accepted(const zmtp::message& answer);
// Returns the parts of the reply from the answer of titanic.reply.
// Errors: pending, unknown_id.
[[nodiscard]] result<zmtp::message> parse_reply(zmtp::message&& answer);
// Checks the answer of titanic.close.
[[nodiscard]] result<void> parse_closed(const zmtp::message& answer);

}  // namespace mdp::titanic
