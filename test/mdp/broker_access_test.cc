// broker_options::access: who may offer, call and inspect which services.
#include "mdp/broker_report.h"
#include "test/mdp/restricted_broker.h"

#include <string>
#include <vector>

namespace mdp {
namespace {

zmtp::access_rules some_rules() {
  return zmtp::access_rules{{{"worker", verb_of(right::offer), "echo*"},
                             {"alice", verb_of(right::call), "echo"},
                             {"alice", verb_of(right::inspect), "echo*"},
                             {"operator", verb_of(right::inspect), "*"},
                             {"anonymous", verb_of(right::call), "public"}}};
}

class broker_access : public restricted_broker {
public:
  broker_access() : restricted_broker{some_rules()} {}
};

TEST_F(broker_access, only_a_worker_with_the_right_registers) {
  const auto good = register_as("worker", "echo");
  EXPECT_TRUE(silent(good));
  struct {
    std::string_view user;
    std::string_view service;
    dialect how;
  } const table[] = {{"worker", "ech", dialect::v02},
                     {"worker", "other", dialect::v01},
                     {"alice", "echo", dialect::v02},
                     {"", "echo", dialect::v01},
                     {"anonymous", "echo", dialect::v02}};
  for (const auto& each : table) {
    const auto id = register_as(each.user, each.service, each.how);
    EXPECT_EQ(next(id), make_disconnect(each.how)) << each.user << ' ' << each.service;
    EXPECT_TRUE(silent(id));
    EXPECT_EQ(closed.count(id), 0U);
  }
  EXPECT_EQ(counters().forbidden_offers, 5U);
  EXPECT_EQ(counters().workers_registered, 1U);
  EXPECT_EQ(counters().unexpected_commands, 0U);
  EXPECT_EQ(broker.status().workers, 1U);
  // Once for each principal.
  EXPECT_EQ(refusals,
            (lines{"worker offer ech", "alice offer echo", " offer echo", "anonymous offer echo"}));
}

TEST_F(broker_access, a_refused_worker_gets_no_request) {
  const auto thief = register_as("alice", "echo");
  (void)next(thief);
  const auto owner = register_as("worker", "echo");
  const auto client = attach_as("alice");
  for (int i = 0; i < 10; ++i) {
    call(client, "echo");
    echo(owner);
    EXPECT_EQ(next(client), final_reply("echo", "x"));
  }
  EXPECT_TRUE(silent(thief));
}

TEST_F(broker_access, a_refused_call_gets_an_error_if_announced) {
  const auto owner = register_as("worker", "echo");
  for (const auto v : {version::v01, version::v02}) {
    const auto how = v == version::v01 ? dialect::v01 : dialect::v02;
    const auto ours = attach_as("mallory", "mdp-errors");
    call(ours, "echo", v);
    auto m = next(ours);
    EXPECT_EQ(m, make_error(how, request_fault::forbidden, request_outcome::refused, "echo"));
    EXPECT_TRUE(silent(ours));

    const auto stock = attach_as("mallory");
    call(stock, "echo", v);
    EXPECT_TRUE(silent(stock));
    EXPECT_EQ(closed.count(stock), 0U);
  }
  EXPECT_EQ(counters().forbidden_calls, 4U);
  EXPECT_EQ(counters().requests, 0U);
  EXPECT_EQ(broker.status().services, 1U);
  EXPECT_EQ(refusals, lines{"mallory call echo"});
  EXPECT_TRUE(silent(owner));

  const auto alice = attach_as("alice");
  call(alice, "echo");
  echo(owner);
  EXPECT_EQ(next(alice), final_reply("echo", "x"));
}

TEST_F(broker_access, a_refused_call_creates_no_service) {
  const auto client = attach_as("");
  call(client, "secret");
  EXPECT_EQ(broker.status().services, 0U);
  call(client, "public");
  EXPECT_EQ(broker.status().services, 1U);
}

TEST_F(broker_access, lookups_need_the_right_to_inspect) {
  (void)register_as("worker", "echo");
  const auto alice = attach_as("alice", "mdp-errors");
  const auto look = [&](zmtp::peer_id id, std::string_view mmi, std::string_view about) {
    zmtp::message body{about};
    push_client_request(body, version::v02, mmi);
    say_to_broker(id, std::move(body));
    return next(id);
  };
  const auto refused = [](std::string_view mmi) {
    return make_error(dialect::v02, request_fault::forbidden, request_outcome::refused, mmi);
  };
  EXPECT_EQ(look(alice, "mmi.service", "echo"), final_reply("mmi.service", "200"));
  EXPECT_EQ(look(alice, "mmi.service", "echo2"), final_reply("mmi.service", "404"));
  EXPECT_EQ(look(alice, "mmi.service", "public"), refused("mmi.service"));
  EXPECT_EQ(look(alice, "mmi.broker", "x"), refused("mmi.broker"));
  EXPECT_EQ(look(alice, "mmi.titanic", "x"), refused("mmi.titanic"));
  EXPECT_EQ(look(alice, "mmi.nothing", "x"), refused("mmi.nothing"));
  EXPECT_EQ(counters().forbidden_inspections, 4U);
  const auto stock = attach_as("");
  EXPECT_TRUE(look(stock, "mmi.service", "echo").empty());

  const auto chief = attach_as("operator");
  EXPECT_EQ(look(chief, "mmi.broker", "x").size(), 5U);
  EXPECT_EQ(look(chief, "mmi.titanic", "x"), final_reply("mmi.titanic", "404"));
}

TEST_F(broker_access, the_list_of_services_has_only_those_that_may_be_inspected) {
  broker.change_access({}, now, actions);
  carry_out();
  const auto one = attach_as("anyone");
  for (int i = 0; i < 120; ++i) {
    call(one, "a" + std::to_string(i));
  }
  (void)register_as("worker", "echo");
  (void)register_as("worker", "echo2");
  broker.change_access(some_rules(), now, actions);
  carry_out();
  const auto list = [&](std::string_view user) {
    const auto id = attach_as(user);
    zmtp::message body{""sv};
    push_client_request(body, version::v02, "mmi.services");
    say_to_broker(id, std::move(body));
    const auto m = next(id);
    lines names;
    for (std::size_t i = 4; i < m.size(); i += 2) {
      names.emplace_back(m[i]);
    }
    return names;
  };
  EXPECT_EQ(list("alice"), (lines{"echo", "echo2"}));
  EXPECT_EQ(list("mallory"), lines{});
  EXPECT_EQ(list("operator").size(), 100U);
}

TEST_F(broker_access, only_workers_of_services_that_may_be_inspected_are_listed) {
  (void)register_as("worker", "echo");
  const auto ask_as = [&](std::string_view user, std::string_view mmi) {
    const auto id = attach_as(user);
    zmtp::message body{""sv};
    push_client_request(body, version::v02, mmi);
    say_to_broker(id, std::move(body));
    return next(id);
  };
  const auto of_alice = ask_as("alice", "mmi.workers");
  ASSERT_EQ(of_alice.size(), 8U);
  EXPECT_EQ(of_alice[5], "echo");
  EXPECT_EQ(of_alice[6], "worker");
  EXPECT_EQ(ask_as("mallory", "mmi.workers"), final_reply("mmi.workers", "200"));
  EXPECT_TRUE(ask_as("alice", "mmi.clients").empty());
  EXPECT_EQ(counters().forbidden_inspections, 1U);
  EXPECT_EQ(ask_as("operator", "mmi.clients").size(), 4U + 3 * 4);
}

TEST_F(broker_access, a_list_of_peers_looks_at_a_limited_number_of_them) {
  const auto alice = attach_as("alice");
  // With alice, one more than the limit.
  for (int i = 0; i < 10'000; ++i) {
    (void)attach_as("mallory");
  }
  const auto worker = register_as("worker", "echo");
  const auto ask = [&](std::string_view after) {
    zmtp::message body{after};
    push_client_request(body, version::v02, "mmi.workers");
    say_to_broker(alice, std::move(body));
    return next(alice);
  };
  // Only a place to go on from.
  const auto first = ask("");
  const auto place = "9999.0"sv;
  ASSERT_EQ(first.size(), 8U);
  EXPECT_EQ(first[4], place);
  EXPECT_EQ(first[5], "");
  EXPECT_EQ(first[6], "");
  EXPECT_EQ(first[7], "");
  const auto second = ask(place);
  ASSERT_EQ(second.size(), 8U);
  EXPECT_EQ(second[4], text_of(worker));
  EXPECT_EQ(second[5], "echo");
}

// The forbidden workers fill more than one reply.
TEST_F(broker_access, a_worker_after_many_forbidden_ones_is_listed) {
  const auto alice = attach_as("alice");
  broker.change_access({}, now, actions);
  for (int i = 0; i < 150; ++i) {
    (void)register_as("worker", "secret");
  }
  const auto worker = register_as("worker", "echo");
  broker.change_access(zmtp::access_rules{{{"worker", verb_of(right::offer), "*"},
                                           {"alice", verb_of(right::inspect), "echo"}}},
                       now, actions);
  take();
  zmtp::message body{""sv};
  push_client_request(body, version::v02, "mmi.workers");
  say_to_broker(alice, std::move(body));
  const auto m = next(alice);
  ASSERT_EQ(m.size(), 8U);
  EXPECT_EQ(m[4], text_of(worker));
}

TEST_F(broker_access, new_rules_disconnect_only_workers_that_may_no_longer_offer) {
  const auto first = register_as("worker", "echo");
  const auto second = register_as("worker", "echo-more");
  const auto client = attach_as("alice");
  call(client, "echo");
  EXPECT_FALSE(silent(first));
  (void)next_request(first);

  broker.change_access(zmtp::access_rules{{{"worker", verb_of(right::offer), "echo-more"},
                                           {"heir", verb_of(right::offer), "echo"}}},
                       now, actions);
  take();
  EXPECT_EQ(next(first), disconnect());
  EXPECT_TRUE(silent(second));
  EXPECT_TRUE(closed.empty());
  EXPECT_EQ(counters().forbidden_offers, 1U);
  EXPECT_EQ(refusals, lines{"worker offer echo"});
  // The accepted request goes to the next worker. The client may send no more.
  const auto heir = register_as("heir", "echo");
  echo(heir);
  EXPECT_EQ(next(client), final_reply("echo", "x"));
  call(client, "echo");
  EXPECT_TRUE(silent(heir));
}

TEST(broker_without_rules, principals_make_no_difference) {
  broker_setting setting;
  const auto worker = setting.attach_worker("echo");
  const auto client = setting.attach();
  setting.ask(client, "echo", {"x"sv});
  setting.echo(worker);
  EXPECT_EQ(setting.next(client), final_reply("echo", "x"));
  EXPECT_EQ(setting.counters().forbidden_calls, 0U);
}

}  // namespace
}  // namespace mdp
