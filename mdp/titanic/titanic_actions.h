#pragma once
// Actions of Titanic.

#include "mdp/titanic/request_database.h"
#include "mdp/titanic/request_id.h"
#include "zmtp/message.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mdp::titanic {

// titanic_state appends to the actions. The shell carries them out and clears them.
struct titanic_actions {
  struct answer {
    std::uint64_t caller;
    zmtp::message body;
  };
  struct dispatch {
    std::uint64_t id;  // for the end of the attempt; never used twice
    std::string service;
    zmtp::message body;
    std::chrono::milliseconds timeout;
    std::optional<request_id> of{};  // the request; absent: a lookup of the service
    // The client that made the request. Absent: Titanic asks for itself.
    std::optional<std::string> on_behalf_of{};
  };
  std::vector<store_operation> operations;
  std::vector<answer> answers;
  std::vector<dispatch> dispatches;  // one attempt each, without retry

  void clear() noexcept {
    operations.clear();
    answers.clear();
    dispatches.clear();
  }
};

}  // namespace mdp::titanic
