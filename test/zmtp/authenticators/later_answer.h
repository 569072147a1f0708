#pragma once
// The answers of an authenticator that has a thread of its own.

#include "zmtp/authenticator.h"

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace zmtp::test {

inline peer_info peer_at(std::string address, std::string mechanism = {}) {
  peer_info made;
  made.address = std::move(address);
  made.mechanism = std::move(mechanism);
  return made;
}

using later_answer = std::future<authenticator::verdict>;

inline later_answer ask(authenticator& whom, const credentials& shown, const peer_info& peer = {}) {
  const auto to = std::make_shared<std::promise<authenticator::verdict>>();
  whom.authenticate(peer, shown,
                    [to](authenticator::verdict answer) { to->set_value(std::move(answer)); });
  return to->get_future();
}

// Waits for the answer.
inline std::string text_of(later_answer answer) {
  if (answer.wait_for(std::chrono::seconds{60}) != std::future_status::ready) {
    return "no answer";
  }
  try {
    const auto given = answer.get();
    const auto* const who = std::get_if<authenticator::principal>(&given);
    return who != nullptr ? "user " + who->user_id
                          : "refused " + std::get<authenticator::refusal>(given).status;
  } catch (const std::future_error&) {
    return "dropped";
  }
}

}  // namespace zmtp::test
