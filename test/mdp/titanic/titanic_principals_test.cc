// Titanic's decisions, by scripts: requests belong to the principals of their clients.

#include "test/mdp/titanic/titanic_fixture.h"

namespace mdp::titanic {
namespace {

class titanic_principals : public titanic_test {
protected:
  void ask_as(std::string_view principal, std::string_view service, std::string_view body) {
    state->on_request(++caller, zmtp::message{service, body}, id_of(++last_id), actions, principal);
    store_all();
    EXPECT_EQ(answer(), (zmtp::message{ok, id_of(last_id).to_string()}));
  }
  void submit_as(std::string_view principal, const request_id& id, std::string_view body) {
    state->on_submit(++caller, zmtp::message{id.to_string(), "echo", body}, actions, principal);
    store_all();
    EXPECT_EQ(answer(), (zmtp::message{ok, id.to_string()}));
  }
  zmtp::message reply_to(std::string_view principal, const request_id& id) {
    state->on_reply(++caller, zmtp::message{id.to_string()}, actions, principal);
    store_all();
    return answer();
  }
  zmtp::message close_as(std::string_view principal, const request_id& id) {
    state->on_close(++caller, zmtp::message{id.to_string()}, now, actions, principal);
    store_all();
    return answer();
  }
  // Executes the next request, and returns the principal that Titanic represents.
  std::string execute(std::string_view reply) {
    const auto given = dispatched();
    end(given.id, {reply});
    store_all();
    return given.on_behalf_of.value_or("titanic itself");
  }
};

TEST_F(titanic_principals, a_service_is_called_on_behalf_of_the_client) {
  ask_as("alice", "echo", "of alice");
  const auto lookup = dispatched();
  EXPECT_FALSE(lookup.on_behalf_of) << "Titanic looks for services itself";
  end(lookup.id, {"200"});
  EXPECT_EQ(execute("reply"), "alice");
  ask_as("", "echo", "of an anonymous client");
  EXPECT_EQ(execute("reply"), "");
}

TEST_F(titanic_principals, other_principals_can_neither_read_nor_close_a_request) {
  ask_as("alice", "echo", "body");
  const auto id = id_of(last_id);
  const auto unknown = id_of(200);
  for (const auto* const phase : {"pending", "answered"}) {
    for (const auto* const other : {"mallory", "", "alice2", "alic"}) {
      EXPECT_EQ(reply_to(other, id), reply_to(other, unknown)) << phase << other;
      EXPECT_EQ(close_as(other, id), close_as(other, unknown)) << phase << other;
    }
    if (phase == std::string_view{"pending"}) {
      EXPECT_EQ(reply_to("alice", id), zmtp::message{not_yet});
      look_up("echo", "200");
      EXPECT_EQ(execute("secret"), "alice");
    }
  }
  EXPECT_EQ(reply_to("alice", id), (zmtp::message{ok, "secret"}));
  EXPECT_EQ(close_as("alice", id), zmtp::message{ok});
  EXPECT_EQ(state->status(now).requests, 0U);
  EXPECT_EQ(state->status(now).counters.closed, 1U);
}

TEST_F(titanic_principals, each_principal_has_ids_of_its_own) {
  const auto id = id_of(77);
  submit_as("alice", id, "of alice");
  submit_as("mallory", id, "of mallory");
  submit_as("alice", id, "again");
  EXPECT_EQ(state->status(now).requests, 2U);
  EXPECT_EQ(state->status(now).counters.repeated, 1U);
  look_up("echo", "200");
  for (auto& given : std::exchange(actions.dispatches, {})) {
    const auto body = std::string{given.body.front()};
    EXPECT_EQ(body, "of " + given.on_behalf_of.value_or("titanic itself"));
    end(given.id, {"reply " + body});
  }
  store_all();
  EXPECT_EQ(reply_to("alice", id), (zmtp::message{ok, "reply of alice"}));
  EXPECT_EQ(reply_to("mallory", id), (zmtp::message{ok, "reply of mallory"}));
  EXPECT_EQ(close_as("mallory", id), zmtp::message{ok});
  EXPECT_EQ(reply_to("mallory", id), zmtp::message{refused});
  EXPECT_EQ(reply_to("alice", id), (zmtp::message{ok, "reply of alice"}));
}

TEST_F(titanic_principals, a_restart_keeps_the_principal) {
  restart({{.number = 1,
            .accepted = 1,
            .id = id_of(1),
            .state = outcome::answered,
            .service = "echo",
            .principal = "alice"},
           {.number = 2,
            .accepted = 2,
            .id = id_of(1),
            .state = outcome::pending,
            .service = "echo",
            .principal = "bob"}});
  requests = {{}, {"of alice"}, {"of bob"}};
  replies = {{}, {"secret"}, {}};
  EXPECT_EQ(reply_to("mallory", id_of(1)), zmtp::message{refused});
  EXPECT_EQ(reply_to("", id_of(1)), zmtp::message{refused});
  EXPECT_EQ(reply_to("alice", id_of(1)), (zmtp::message{ok, "secret"}));
  EXPECT_EQ(reply_to("bob", id_of(1)), zmtp::message{not_yet});
  look_up("echo", "200");
  store_all();
  EXPECT_EQ(execute("reply"), "bob");
  EXPECT_EQ(reply_to("bob", id_of(1)), (zmtp::message{ok, "reply"}));
}

TEST_F(titanic_principals, a_forbidden_call_ends_the_request_and_delays_no_other) {
  ask_as("mallory", "echo", "not allowed");
  const auto forbidden = id_of(last_id);
  look_up("echo", "200");
  const auto given = dispatched();
  ask_as("alice", "echo", "allowed");
  const auto allowed = id_of(last_id);
  EXPECT_EQ(dispatched().on_behalf_of, "alice");
  fail(given.id, mdp::errc::forbidden);
  store_all();
  EXPECT_EQ(reply_to("mallory", forbidden), zmtp::message{broken});
  EXPECT_EQ(state->status(now).counters.given_up, 1U);
  // Without a pause, and without another lookup.
  ask_as("alice", "echo", "next");
  EXPECT_EQ(dispatched().on_behalf_of, "alice");
  EXPECT_EQ(reply_to("alice", allowed), zmtp::message{not_yet});
}

}  // namespace
}  // namespace mdp::titanic
