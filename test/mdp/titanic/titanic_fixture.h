#pragma once
// A titanic_state with a clock of the test's own, between clients, a store and services that the test
// plays.

#include "mdp/error.h"
#include "mdp/titanic/titanic_state.h"
#include "test/mdp/titanic/request_ids.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mdp::titanic {

using namespace std::chrono_literals;
using namespace std::string_view_literals;
using test::id_of;

inline titanic_options strict_options() {
  titanic_options options;
  options.service = {.in_flight = 2, .timeout = 10s, .attempts = 3};
  return options;
}

class titanic_test : public testing::Test {
protected:
  // Requests, stores and answers titanic.request. Returns the id.
  request_id accept(std::string_view service, std::string_view body) {
    ask(service, body);
    store_all();
    EXPECT_EQ(answer(), (zmtp::message{ok, id_of(last_id).to_string()}));
    return id_of(last_id);
  }
  void ask(std::string_view service, std::string_view body) {
    state->on_request(++caller, zmtp::message{service, body}, id_of(++last_id), actions);
  }
  void submit(const request_id& id, std::string_view body, std::string_view service = "echo") {
    state->on_submit(++caller, zmtp::message{id.to_string(), service, body}, actions);
  }
  zmtp::message ask_for_reply(const request_id& id) {
    state->on_reply(++caller, zmtp::message{id.to_string()}, actions);
    store_all();
    return answer();
  }
  zmtp::message close(const request_id& id) {
    state->on_close(++caller, zmtp::message{id.to_string()}, now, actions);
    store_all();
    return answer();
  }

  // Carries out the pending store operations, as a store that has room.
  void store_all() {
    while (!actions.operations.empty()) {
      for (auto& one : std::exchange(actions.operations, {})) {
        store_one(one);
      }
    }
  }
  void store_one(const store_operation& one, boost::system::error_code ec = {}) {
    store_result result{.ticket = one.ticket, .ec = ec};
    auto& bodies =
        one.what == operation::read_reply || one.what == operation::answer ? replies : requests;
    if (ec) {
    } else if (one.what == operation::accept || one.what == operation::answer) {
      bodies.resize(std::max<std::size_t>(bodies.size(), one.number + 1));
      bodies[one.number] = one.body;
    } else if (one.what == operation::read_reply || one.what == operation::read_request) {
      result.body = bodies.at(one.number);
    }
    done.push_back(one);
    state->on_stored(std::move(result), now, actions);
  }
  void fail_all(zmtp::storage_errc why) {
    for (auto& one : std::exchange(actions.operations, {})) {
      store_one(one, why);
    }
  }

  // The one answer there is.
  zmtp::message answer() {
    EXPECT_EQ(actions.answers.size(), 1U);
    if (actions.answers.empty()) {
      return {};
    }
    EXPECT_EQ(actions.answers.back().caller, caller);
    auto body = std::move(actions.answers.back().body);
    actions.answers.clear();
    return body;
  }
  // The one dispatch there is.
  titanic_actions::dispatch dispatched() {
    EXPECT_EQ(actions.dispatches.size(), 1U);
    if (actions.dispatches.empty()) {
      return {};
    }
    auto one = std::move(actions.dispatches.back());
    actions.dispatches.clear();
    return one;
  }
  // Answers the question whether the service is there, which must be all there is.
  void look_up(std::string_view service, std::string_view code) {
    const auto asked = dispatched();
    EXPECT_EQ(asked.service, "mmi.service");
    EXPECT_EQ(asked.body, zmtp::message{service});
    end(asked.id, zmtp::message{code});
  }
  void end(std::uint64_t dispatch, zmtp::message reply) {
    state->on_dispatch_end(dispatch, {}, std::move(reply), now, actions);
  }
  void fail(std::uint64_t dispatch, mdp::errc why) {
    state->on_dispatch_end(dispatch, why, {}, now, actions);
  }
  // Until then, with all deadlines in between.
  void pass(std::chrono::milliseconds time) {
    const auto until = now + time;
    while (const auto next = state->next_deadline()) {
      if (*next > until) {
        break;
      }
      now = std::max(now, *next);
      state->on_deadline(now, actions);
    }
    now = until;
  }
  void restart(std::vector<stored_request> slots) {
    state.emplace(strict_options());
    actions.clear();
    state->on_recovered(std::move(slots), now, actions);
  }

  std::chrono::steady_clock::time_point now{1h};
  std::optional<titanic_state> state{std::in_place, strict_options()};
  titanic_actions actions;
  std::vector<store_operation> done;  // operations passed to the store
  std::vector<zmtp::message> requests;
  std::vector<zmtp::message> replies;
  std::uint64_t caller = 0;
  std::uint8_t last_id = 0;
};

}  // namespace mdp::titanic
