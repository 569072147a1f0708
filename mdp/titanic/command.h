#pragma once
// What is said to the three services of 9/TSP and what they answer, recognised and built. Pure.

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
// An extension: a request that brings its own id, so that saying it again makes no second one. 9/TSP has
// only titanic.request, whose sender cannot know whether a lost answer was a 200.
inline constexpr std::string_view submit_service = "titanic.submit";

// Its state and counters. Brokers of this project answer mmi.titanic from it.
inline constexpr std::string_view status_service = "titanic.status";

inline constexpr std::string_view ok = "200";
inline constexpr std::string_view not_yet = "300";
inline constexpr std::string_view refused = "400";
inline constexpr std::string_view broken = "500";

template <class T>
using result = boost::system::result<T>;

// The service that a request is for, from the front of what titanic.request was asked; it is left
// there, and is followed by the body. A view, which holds until the message is changed.
// Errors: bad_request.
[[nodiscard]] result<std::string_view> parse_request(const zmtp::message& asked);
// What titanic.submit was asked: an id, then what titanic.request takes. The view is as above.
struct submission {
  request_id id;
  std::string_view service;
};
// Errors: bad_request.
[[nodiscard]] result<submission> parse_submission(const zmtp::message& asked);
// The id that titanic.reply or titanic.close was asked for, which is one frame of 32 hexadecimal digits.
// Errors: unknown_id.
[[nodiscard]] result<request_id> parse_id(const zmtp::message& asked);

// What the services answered; codes are compared by their three digits, since text may follow them.
// Errors of all: not_stored or request_failed (500), bad_reply.
// Returns the id from the answer of titanic.request or titanic.submit, byte for byte. Each Titanic chooses the
// form of its ids. Errors: bad_request.
[[nodiscard]] result<std::string> parse_accepted(const zmtp::message& answer);
// Of titanic.reply; the reply's parts. Errors: pending, unknown_id.
[[nodiscard]] result<zmtp::message> parse_reply(zmtp::message&& answer);
// Of titanic.close.
[[nodiscard]] result<void> parse_closed(const zmtp::message& answer);

}  // namespace mdp::titanic
