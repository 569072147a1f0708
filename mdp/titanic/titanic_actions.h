#pragma once
// What Titanic decides to do.

#include "mdp/titanic/request_id.h"
#include "mdp/titanic/request_store.h"
#include "zmtp/message.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mdp::titanic {

// Appended to by the state, carried out and cleared by the shell.
struct titanic_actions {
  struct answer {
    std::uint64_t caller;
    zmtp::message body;
  };
  struct dispatch {
    std::uint64_t id;  // to be named when it ends; never used twice
    std::string service;
    zmtp::message body;
    std::chrono::milliseconds deadline;
    std::optional<request_id> of{};  // what is given to a service; absent: it is looked up
  };
  std::vector<store_operation> operations;
  std::vector<answer> answers;
  std::vector<dispatch> dispatches;  // one attempt each

  void clear() noexcept {
    operations.clear();
    answers.clear();
    dispatches.clear();
  }
};

}  // namespace mdp::titanic
