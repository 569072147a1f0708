#pragma once
// Base of tests in which an authenticator answers when the test says so.

#include "test/support/monitored_test.h"
#include "zmtp/authenticator.h"

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

namespace zmtp::test {

// Keeps every question until the test answers it.
class desk final : public authenticator {
public:
  struct question {
    peer_info peer;
    credentials shown;
    handler done;
  };

  void authenticate(const peer_info& peer, const credentials& shown, handler done) override {
    questions.push_back(std::make_unique<question>(question{peer, shown, std::move(done)}));
  }
  // Takes the question of a peer.
  std::unique_ptr<question> take(std::size_t which = 0) {
    auto taken = std::move(questions.at(which));
    questions.erase(questions.begin() + static_cast<std::ptrdiff_t>(which));
    return taken;
  }
  void answer(std::size_t which, verdict v) { std::move(take(which)->done)(std::move(v)); }

  std::deque<std::unique_ptr<question>> questions;
};

// Decides inside the call.
class clerk final : public authenticator {
public:
  explicit clerk(std::function<void(const peer_info&, handler)> decide)
      : decide_{std::move(decide)} {}

  void authenticate(const peer_info& peer, const credentials&, handler done) override {
    decide_(peer, std::move(done));
  }

private:
  std::function<void(const peer_info&, handler)> decide_;
};

class authentication : public monitored_test {
protected:
  [[nodiscard]] socket_options asking() const {
    auto options = impatient();
    options.authenticator = asked;
    return options;
  }
  [[nodiscard]] static socket_options asking(std::shared_ptr<authenticator> whom) {
    auto options = impatient();
    options.authenticator = std::move(whom);
    return options;
  }
  void wait_for_questions(std::size_t count) {
    run_until([&] { return asked->questions.size() == count; });
  }
  // Runs everything that could happen by a mistake.
  void settle() {
    for (int i = 0; i < 20; ++i) {
      run_ready();
    }
  }

  std::shared_ptr<desk> asked = std::make_shared<desk>();
};

}  // namespace zmtp::test
