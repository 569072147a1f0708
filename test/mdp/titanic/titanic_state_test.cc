// Titanic's decisions, by scripts: the times of answers, and the operations of the store before them.

#include "test/mdp/titanic/titanic_fixture.h"

namespace mdp::titanic {
namespace {

TEST_F(titanic_test,
       a_request_is_answered_when_it_is_stored_and_not_before) {  // TSP-2, TSP-3, TSP-5
  ask("echo", "body");
  EXPECT_TRUE(actions.answers.empty());
  EXPECT_TRUE(actions.dispatches.empty());
  ASSERT_EQ(actions.operations.size(), 1U);
  EXPECT_EQ(actions.operations[0].what, operation::accept);
  EXPECT_EQ(actions.operations[0].service, "echo");
  EXPECT_EQ(actions.operations[0].body, zmtp::message{"body"});
  store_all();
  const auto reply = answer();
  EXPECT_EQ(reply[0], "200");
  EXPECT_EQ(reply[1], id_of(1).to_string());
  EXPECT_EQ(reply[1].size(), 32U);
}

TEST_F(titanic_test, from_the_request_to_the_closing) {  // TSP-4, TSP-6, TSP-7, TSP-8
  const auto id = accept("echo", "body");
  EXPECT_EQ(ask_for_reply(id), zmtp::message{"300"});
  const auto question = dispatched();
  EXPECT_FALSE(question.of) << "it is of the service";
  end(question.id, {"200"});
  const auto given = dispatched();
  EXPECT_EQ(given.of, id);
  EXPECT_EQ(given.service, "echo");
  EXPECT_EQ(given.body, zmtp::message{"body"});
  EXPECT_EQ(given.timeout, 10s);
  end(given.id, {"the", "", "reply"});
  // The reply is not available before it is stored.
  state->on_reply(++caller, zmtp::message{id.to_string()}, actions);
  EXPECT_EQ(answer(), zmtp::message{"300"});
  store_all();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(ask_for_reply(id), (zmtp::message{"200", "the", "", "reply"}));
  }
  EXPECT_EQ(close(id), zmtp::message{"200"});
  EXPECT_EQ(ask_for_reply(id), zmtp::message{"400"});
  EXPECT_EQ(state->status(now).requests, 0U);
  EXPECT_EQ(state->status(now).pending, 0U);
}

TEST_F(titanic_test, a_malformed_request_is_refused_and_not_stored) {  // TSP-4, TSP-11
  const std::vector<zmtp::message> wrong{
      {"echo"}, {""}, {"", "body"}, {std::string(256, 's'), "body"}};
  for (const auto& m : wrong) {
    auto asked = m;
    state->on_request(++caller, std::move(asked), id_of(++last_id), actions);
    EXPECT_TRUE(actions.operations.empty());
    EXPECT_EQ(answer(), zmtp::message{"400"});
  }
  EXPECT_EQ(state->status(now).counters.refused, wrong.size());
}

TEST_F(titanic_test,
       an_id_without_32_digits_does_not_reach_the_store) {  // TSP-6, TSP-9, TSP-11
  accept("echo", "body");
  actions.clear();
  const auto real = id_of(1).to_string();
  const std::vector<zmtp::message> wrong{{""},
                                         {"../../../../etc/passwd"},
                                         {"../../../../../../etc/passwd/////"sv.substr(0, 32)},
                                         {std::string(32, '\0')},
                                         {std::string(32, 'g')},
                                         {std::string(300, 'A')},
                                         {real + "0"},
                                         {real.substr(1)},
                                         {real + ".req"},
                                         {real, real},
                                         {real, ""}};
  for (const auto& m : wrong) {
    state->on_reply(++caller, m, actions);
    EXPECT_TRUE(actions.operations.empty());
    EXPECT_EQ(answer(), zmtp::message{"400"});
    state->on_close(++caller, m, now, actions);
    EXPECT_TRUE(actions.operations.empty());
    EXPECT_EQ(answer(), zmtp::message{"200"});
  }
  EXPECT_EQ(ask_for_reply(id_of(1)), zmtp::message{"300"});
}

TEST_F(titanic_test, an_id_may_come_in_either_case) {
  const auto id = accept("echo", "body");
  std::string lower;
  for (const auto digit : id.to_string()) {
    lower += static_cast<char>(std::tolower(digit));
  }
  EXPECT_NE(lower, id.to_string());
  state->on_reply(++caller, zmtp::message{lower}, actions);
  EXPECT_EQ(answer(), zmtp::message{"300"});
}

TEST_F(titanic_test, an_unknown_id_has_no_reply_and_is_closed_already) {  // TSP-6, TSP-9
  EXPECT_EQ(ask_for_reply(id_of(99)), zmtp::message{"400"});
  EXPECT_EQ(close(id_of(99)), zmtp::message{"200"});
  EXPECT_TRUE(done.empty());
}

TEST_F(titanic_test, does_not_dispatch_a_request_that_is_closed_while_waiting) {
  const auto id = accept("echo", "1");
  const auto asked = dispatched();
  EXPECT_EQ(close(id), zmtp::message{"200"});
  end(asked.id, {"200"});
  EXPECT_TRUE(actions.dispatches.empty());
}

TEST_F(titanic_test, drops_the_reply_of_a_request_closed_in_flight) {
  const auto first = accept("echo", "1");
  look_up("echo", "200");
  const auto given = dispatched();
  EXPECT_EQ(close(first), zmtp::message{"200"});
  // The slot is used again, and is not to be taken for the one before.
  const auto second = accept("echo", "2");
  EXPECT_EQ(done.back().number, 1U);
  const auto next = dispatched();
  end(given.id, {"of the first"});
  EXPECT_TRUE(actions.operations.empty());
  EXPECT_EQ(ask_for_reply(first), zmtp::message{"400"});
  EXPECT_EQ(ask_for_reply(second), zmtp::message{"300"});
  end(next.id, {"of the second"});
  store_all();
  EXPECT_EQ(ask_for_reply(second), (zmtp::message{"200", "of the second"}));
  EXPECT_EQ(state->status(now).in_flight, 0U);
}

TEST_F(titanic_test, closed_while_its_reply_is_stored_or_its_body_is_read) {
  const auto id = accept("echo", "1");
  look_up("echo", "200");
  end(dispatched().id, {"reply"});
  EXPECT_EQ(close(id), zmtp::message{"200"});
  ASSERT_GE(done.size(), 2U);
  EXPECT_EQ(done[done.size() - 2].what, operation::answer);
  EXPECT_EQ(done.back().what, operation::close);
  EXPECT_EQ(ask_for_reply(id), zmtp::message{"400"});

  auto options = strict_options();
  options.held_bytes = 0;
  state.emplace(options);
  const auto read = accept("echo", "2");
  look_up("echo", "200");
  ASSERT_EQ(actions.operations.size(), 1U);
  EXPECT_EQ(actions.operations[0].what, operation::read_request);
  EXPECT_EQ(state->status(now).in_flight, 1U);
  EXPECT_EQ(close(read), zmtp::message{"200"});
  EXPECT_EQ(state->status(now).in_flight, 0U);
  EXPECT_TRUE(actions.dispatches.empty());
}

TEST_F(titanic_test, closed_twice_at_once) {
  const auto id = accept("echo", "1");
  state->on_close(1001, zmtp::message{id.to_string()}, now, actions);
  state->on_close(1002, zmtp::message{id.to_string()}, now, actions);
  store_all();
  ASSERT_EQ(actions.answers.size(), 2U);
  for (const auto& one : actions.answers) {
    EXPECT_EQ(one.body, zmtp::message{"200"});
  }
  EXPECT_EQ(state->status(now).counters.closed, 1U);
  EXPECT_EQ(state->status(now).requests, 0U);
}

TEST_F(titanic_test, no_room_is_500_and_nothing_is_kept) {  // TSP-4, TSP-14
  ask("echo", "body");
  fail_all(zmtp::storage_errc::store_full);
  EXPECT_EQ(answer(), zmtp::message{"500"});
  EXPECT_EQ(ask_for_reply(id_of(1)), zmtp::message{"400"});
  EXPECT_TRUE(actions.dispatches.empty());
  // Later there is.
  accept("echo", "body");
  EXPECT_EQ(state->status(now).counters.not_stored, 1U);
}

TEST_F(titanic_test, keeps_a_reply_until_the_store_has_room) {
  const auto id = accept("echo", "body");
  look_up("echo", "200");
  end(dispatched().id, {"reply"});
  for (int i = 0; i < 3; ++i) {
    fail_all(zmtp::storage_errc::store_full);
    EXPECT_EQ(ask_for_reply(id), zmtp::message{"300"});
    pass(2s);
    ASSERT_EQ(actions.operations.size(), 1U);
  }
  EXPECT_TRUE(actions.dispatches.empty()) << "it was carried out already";
  store_all();
  EXPECT_EQ(ask_for_reply(id), (zmtp::message{"200", "reply"}));
}

TEST_F(titanic_test, closed_while_its_reply_finds_no_room_it_leaves_its_place) {
  const auto id = accept("echo", "body");
  look_up("echo", "200");
  end(dispatched().id, {"reply"});
  fail_all(zmtp::storage_errc::store_full);
  EXPECT_EQ(state->status(now).in_flight, 1U);
  EXPECT_EQ(close(id), zmtp::message{"200"});
  EXPECT_EQ(state->status(now).in_flight, 0U);
  // The next request in this slot is not taken for the closed one.
  accept("echo", "next");
  const auto next = dispatched();
  pass(2s);
  EXPECT_TRUE(actions.operations.empty());
  end(next.id, {"of the next"});
  store_all();
  EXPECT_EQ(ask_for_reply(id_of(2)), (zmtp::message{"200", "of the next"}));
}

TEST_F(titanic_test, a_close_that_was_not_stored_is_no_200) {
  const auto id = accept("echo", "body");
  state->on_close(++caller, zmtp::message{id.to_string()}, now, actions);
  fail_all(zmtp::storage_errc::store_full);
  EXPECT_EQ(answer(), zmtp::message{"500"});
  EXPECT_EQ(close(id), zmtp::message{"200"});
}

TEST_F(titanic_test, a_store_that_failed_accepts_and_dispatches_nothing_more) {  // TSP-4
  const auto answered = accept("echo", "1");
  look_up("echo", "200");
  end(dispatched().id, {"reply"});
  store_all();
  const auto waiting = accept("other", "2");
  actions.dispatches.clear();
  ask("echo", "3");
  fail_all(zmtp::storage_errc::store_failed);
  EXPECT_EQ(answer(), zmtp::message{"500"});
  EXPECT_FALSE(state->status(now).accepting);
  ask("echo", "4");
  EXPECT_TRUE(actions.operations.empty());
  EXPECT_EQ(answer(), zmtp::message{"500"});
  EXPECT_EQ(close(answered), zmtp::message{"500"});
  EXPECT_EQ(ask_for_reply(waiting), zmtp::message{"500"});
  EXPECT_EQ(ask_for_reply(answered), (zmtp::message{"200", "reply"}));
  pass(1min);
  EXPECT_TRUE(actions.dispatches.empty());
}

TEST_F(titanic_test, a_reply_that_cannot_be_read_is_500) {
  const auto id = accept("echo", "1");
  look_up("echo", "200");
  end(dispatched().id, {"reply"});
  store_all();
  state->on_reply(++caller, zmtp::message{id.to_string()}, actions);
  fail_all(zmtp::storage_errc::row_damaged);
  EXPECT_EQ(answer(), zmtp::message{"500"});
  EXPECT_EQ(state->status(now).counters.unreadable, 1U);
}

TEST_F(titanic_test, a_failed_read_of_a_reply_is_300) {
  const auto id = accept("echo", "1");
  look_up("echo", "200");
  end(dispatched().id, {"reply"});
  store_all();
  state->on_reply(++caller, zmtp::message{id.to_string()}, actions);
  fail_all(zmtp::storage_errc::read_failed);
  EXPECT_EQ(answer(), zmtp::message{"300"}) << "500 would be the end of it";
  EXPECT_EQ(state->status(now).counters.unreadable, 0U);
  EXPECT_EQ(state->status(now).counters.read_failures, 1U);
  EXPECT_EQ(ask_for_reply(id), (zmtp::message{"200", "reply"}));
}

TEST_F(titanic_test, a_request_is_not_given_up_after_failed_reads) {
  requests = {{}, {"body"}};
  restart({{.number = 1, .accepted = 7, .id = id_of(7), .service = "echo"}});
  const auto end_of_it = now + 10min;
  std::size_t failures = 0;
  while (now < end_of_it) {
    for (auto& one : std::exchange(actions.dispatches, {})) {
      ASSERT_EQ(one.service, "mmi.service");
      end(one.id, {"200"});
    }
    ASSERT_LE(actions.operations.size(), 1U);
    for (const auto& one : actions.operations) {
      ASSERT_EQ(one.what, operation::read_request) << "an outcome of a request that was not read";
      ++failures;
    }
    fail_all(zmtp::storage_errc::read_failed);
    EXPECT_FALSE(state->status(now).accepting);
    EXPECT_EQ(state->status(now).in_flight, 0U);
    ask("echo", "another");
    EXPECT_EQ(answer(), zmtp::message{"500"});
    submit(id_of(99), "another");
    EXPECT_EQ(answer(), zmtp::message{"500"});
    ASSERT_TRUE(state->next_deadline());
    now = std::max(now, *state->next_deadline());
    state->on_deadline(now, actions);
  }
  EXPECT_GT(failures, 100U);
  EXPECT_LT(failures, 500U) << "reads without a pause";
  // The store is readable again.
  for (int i = 0; i < 3; ++i) {
    store_all();
    for (auto& one : std::exchange(actions.dispatches, {})) {
      end(one.id, one.of ? zmtp::message{"reply"} : zmtp::message{"200"});
    }
    pass(3s);
  }
  store_all();
  EXPECT_TRUE(state->status(now).accepting);
  EXPECT_EQ(ask_for_reply(id_of(7)), (zmtp::message{"200", "reply"}));
  EXPECT_EQ(state->status(now).counters.given_up, 0U);
  EXPECT_EQ(state->status(now).counters.dispatched, 1U);
  accept("echo", "another");
}

TEST_F(titanic_test, accepts_again_after_a_probe_succeeds) {
  const auto id = accept("echo", "1");
  look_up("echo", "200");
  end(dispatched().id, {"reply"});
  store_all();
  state->on_reply(++caller, zmtp::message{id.to_string()}, actions);
  fail_all(zmtp::storage_errc::read_failed);
  EXPECT_EQ(answer(), zmtp::message{"300"});
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(state->status(now).accepting);
    pass(2s);
    ASSERT_EQ(actions.operations.size(), 1U);
    fail_all(zmtp::storage_errc::read_failed);
  }
  pass(2s);
  store_all();
  EXPECT_TRUE(state->status(now).accepting);
  EXPECT_TRUE(actions.answers.empty());
  EXPECT_FALSE(state->next_deadline() && *state->next_deadline() < now + 1h);
  ask("echo", "2");
  store_all();
  EXPECT_EQ(answer()[0], "200");
}

TEST_F(titanic_test, a_request_that_could_not_be_read_can_be_closed) {
  const auto id = accept("echo", "1");
  look_up("echo", "200");
  end(dispatched().id, {"reply"});
  store_all();
  state->on_reply(++caller, zmtp::message{id.to_string()}, actions);
  fail_all(zmtp::storage_errc::read_failed);
  EXPECT_EQ(answer(), zmtp::message{"300"});
  EXPECT_EQ(close(id), zmtp::message{"200"});
  pass(2s);
  fail_all(zmtp::storage_errc::row_damaged);
  EXPECT_TRUE(state->status(now).accepting);
  EXPECT_EQ(state->status(now).counters.unreadable, 0U) << "the slot is empty";
}

TEST_F(titanic_test, an_outcome_is_stored_again_after_a_failed_read) {
  const auto id = accept("echo", "body");
  look_up("echo", "200");
  end(dispatched().id, {"reply"});
  fail_all(zmtp::storage_errc::read_failed);
  EXPECT_FALSE(state->status(now).accepting);
  EXPECT_EQ(ask_for_reply(id), zmtp::message{"300"});
  pass(2s);
  store_all();
  EXPECT_EQ(ask_for_reply(id), (zmtp::message{"200", "reply"}));
  EXPECT_TRUE(actions.dispatches.empty()) << "it was carried out already";
  ask("echo", "next");
  fail_all(zmtp::storage_errc::read_failed);
  EXPECT_EQ(answer(), zmtp::message{"500"});
}

TEST_F(titanic_test, a_reply_in_parts_is_kept_whole) {
  const auto id = accept("echo", "1");
  look_up("echo", "200");
  const auto first = dispatched().id;
  state->on_dispatch_part(first, {"of one that was lost"});
  fail(first, mdp::errc::reply_cut_short);
  pass(1s);
  look_up("echo", "200");
  const auto second = dispatched().id;
  state->on_dispatch_part(first, {"late"});
  state->on_dispatch_part(second, {"a", "b"});
  state->on_dispatch_part(second, {"c"});
  end(second, {"d"});
  store_all();
  EXPECT_EQ(ask_for_reply(id), (zmtp::message{ok, "a", "b", "c", "d"}));
}

TEST_F(titanic_test, rejects_a_reply_with_too_many_parts) {
  const auto id = accept("echo", "1");
  look_up("echo", "200");
  zmtp::message half;
  for (std::size_t i = 0; 2 * i < max_frames; ++i) {
    half.push_back("");
  }
  auto whole = half;
  whole.append(half);
  for (unsigned attempt = 1; attempt <= strict_options().service.attempts; ++attempt) {
    if (attempt != 1) {
      pass(1s);
      look_up("echo", "200");
    }
    const auto given = dispatched().id;
    if (attempt == 1) {
      end(given, whole);
    } else {
      state->on_dispatch_part(given, half);
      state->on_dispatch_part(given, half);
      end(given, {"end"});
    }
    store_all();
  }
  EXPECT_EQ(ask_for_reply(id), zmtp::message{"500"});
}

TEST_F(titanic_test, a_request_that_cannot_be_read_is_given_up) {
  restart({{.number = 1, .accepted = 7, .id = id_of(7), .service = "echo"}});
  look_up("echo", "200");
  fail_all(zmtp::storage_errc::row_damaged);
  store_all();
  EXPECT_EQ(done.back().what, operation::give_up);
  EXPECT_EQ(ask_for_reply(id_of(7)), zmtp::message{"500"});
  EXPECT_EQ(state->status(now).in_flight, 0U);
}

TEST_F(titanic_test, continues_after_a_restart) {  // TSP-2
  requests = {{}, {"third"}, {"first"}, {}, {}, {"second"}};
  replies = {{}, {}, {}, {}, {"reply"}};
  restart(
      {{.number = 1, .accepted = 9, .id = id_of(9), .service = "echo"},
       {.number = 2, .accepted = 4, .id = id_of(4), .attempts = 2, .service = "echo"},
       {.number = 3},
       {.number = 4, .accepted = 5, .id = id_of(5), .state = outcome::answered, .service = "echo"},
       {.number = 5, .accepted = 6, .id = id_of(6), .service = "echo"},
       {.number = 6,
        .accepted = 8,
        .id = id_of(8),
        .state = outcome::given_up,
        .service = "echo"}});
  EXPECT_EQ(state->status(now).requests, 5U);
  EXPECT_EQ(state->status(now).pending, 3U);
  look_up("echo", "200");
  store_all();
  auto given = std::exchange(actions.dispatches, {});
  ASSERT_EQ(given.size(), 2U);
  EXPECT_EQ(given[0].body.front(), "first");
  EXPECT_EQ(given[1].body.front(), "second");
  EXPECT_EQ(ask_for_reply(id_of(5)), (zmtp::message{"200", "reply"}));
  EXPECT_EQ(ask_for_reply(id_of(8)), zmtp::message{"500"});
  // The number of its attempts continues.
  pass(10s);
  fail(given[0].id, mdp::errc::no_reply);
  EXPECT_EQ(actions.operations.back().what, operation::give_up);
  store_all();
  // The empty slot comes first.
  last_id = 20;
  accept("echo", "new");
  EXPECT_EQ(done.back().number, 3U);
  EXPECT_EQ(done.back().accepted, 10U);
}

TEST_F(titanic_test, limits_the_number_of_stored_requests) {
  auto options = strict_options();
  options.max_requests = 2;
  state.emplace(options);
  const auto first = accept("echo", "1");
  accept("echo", "2");
  ask("echo", "3");
  EXPECT_TRUE(actions.operations.empty());
  EXPECT_EQ(answer(), zmtp::message{"500"});
  EXPECT_EQ(close(first), zmtp::message{"200"});
  accept("echo", "4");
}

}  // namespace
}  // namespace mdp::titanic
