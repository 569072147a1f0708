// The principals of clients: on the way to workers, and represented by other clients.
#include "test/mdp/restricted_broker.h"

#include <string>
#include <variant>

namespace mdp {
namespace {

zmtp::access_rules rules_of_a_proxy() {
  return zmtp::access_rules{{{"titanic", verb_of(right::offer), "*"},
                             {"titanic", verb_of(right::represent), "alice"},
                             {"titanic", verb_of(right::represent), "anonymous"},
                             {"alice", verb_of(right::call), "echo"},
                             {"mallory", verb_of(right::call), "echo"},
                             {"anonymous", verb_of(right::call), "public"}}};
}

class broker_principals : public restricted_broker {
public:
  broker_principals() : restricted_broker{rules_of_a_proxy()} {}
  zmtp::peer_id reading_worker(std::string_view service, dialect how = dialect::v02) {
    const auto id = attach_as("titanic", "principal");
    say_to_broker(id, make_ready(version_of(how), service));
    return id;
  }
  void call_for(zmtp::peer_id id, std::string_view principal, std::string_view service,
                version v = version::v02) {
    zmtp::message body{"x"sv};
    push_client_request(body, v, service, {}, principal);
    say_to_broker(id, std::move(body));
  }
  // Returns the principal that the worker gets with its next request, or "no request".
  std::string principal_at(zmtp::peer_id worker, dialect how = dialect::v02) {
    auto m = next(worker);
    const auto input = parse_for_worker(m, how, true);
    const auto* const asked = input ? std::get_if<broker_request>(&*input) : nullptr;
    if (asked == nullptr) {
      return "no request";
    }
    const auto principal = asked->principal.value_or("no principal");
    zmtp::message reply{"x"sv};
    push_worker_reply(reply, version_of(how), true, asked->address);
    say_to_broker(worker, std::move(reply));
    return principal;
  }
};

TEST_F(broker_principals, a_worker_that_asks_for_them_gets_the_principals_of_clients) {
  for (const auto how : {dialect::v01, dialect::v02}) {
    const auto worker = reading_worker("echo", how);
    const auto alice = attach_as("alice");
    call(alice, "echo", version_of(how));
    EXPECT_EQ(principal_at(worker, how), "alice");
    const auto mallory = attach_as("mallory");
    call(mallory, "echo", version_of(how));
    EXPECT_EQ(principal_at(worker, how), "mallory");
    broker.on_detached(worker, now, actions);
    take();
  }
  const auto worker = reading_worker("public");
  call(attach_as(""), "public");
  EXPECT_EQ(principal_at(worker), "");
}

TEST_F(broker_principals, a_redelivered_request_keeps_its_principal) {
  const auto lost = reading_worker("echo");
  call(attach_as("alice"), "echo");
  EXPECT_FALSE(silent(lost));
  broker.on_detached(lost, now, actions);
  take();
  EXPECT_EQ(principal_at(reading_worker("echo")), "alice");
}

TEST_F(broker_principals, another_worker_gets_the_frames_of_the_specification) {
  const auto worker = register_as("titanic", "echo");
  call(attach_as("alice"), "echo");
  EXPECT_EQ(next_request(worker).body, zmtp::message{"x"sv});
}

TEST_F(broker_principals, a_client_cannot_claim_to_be_another_principal) {
  const auto worker = reading_worker("echo");
  const auto mallory = attach_as("mallory", "mdp-errors");
  call_for(mallory, "alice", "echo");
  EXPECT_EQ(next(mallory),
            make_error(dialect::v02, request_fault::forbidden, request_outcome::refused, "echo"));
  EXPECT_TRUE(silent(worker));
  // A frame of the body that looks like a principal stays in the body.
  zmtp::message body{"mmi.for:alice"sv, "alice"sv};
  push_client_request(body, version::v02, "echo");
  say_to_broker(mallory, std::move(body));
  EXPECT_EQ(principal_at(worker), "mallory");
  EXPECT_EQ(refusals, lines{"mallory represent alice"});
  EXPECT_EQ(counters().forbidden_calls, 1U);
}

TEST_F(broker_principals, a_representative_has_the_rights_of_the_principal) {
  const auto worker = reading_worker("echo");
  const auto open = reading_worker("public");
  const auto titanic = attach_as("titanic", "mdp-errors");
  const auto refused = [](std::string_view service) {
    return make_error(dialect::v02, request_fault::forbidden, request_outcome::refused, service);
  };
  // The rights of Titanic do not count, and mallory may not be represented.
  call_for(titanic, "alice", "public");
  EXPECT_EQ(next(titanic), refused("public"));
  call_for(titanic, "", "echo");
  EXPECT_EQ(next(titanic), refused("echo"));
  call_for(titanic, "mallory", "echo");
  EXPECT_EQ(next(titanic), refused("echo"));
  call(titanic, "echo");
  EXPECT_EQ(next(titanic), refused("echo"));
  call_for(titanic, "alice", "echo");
  EXPECT_EQ(principal_at(worker), "alice");
  call_for(titanic, "", "public");
  EXPECT_EQ(principal_at(open), "");
  EXPECT_EQ(refusals, (lines{"alice call public", " call echo", "titanic represent mallory",
                             "titanic call echo"}));
}

TEST_F(broker_principals, without_rules_a_claim_is_ignored) {
  broker.change_access({}, now, actions);
  take();
  const auto worker = reading_worker("echo");
  const auto mallory = attach_as("mallory");
  call_for(mallory, "alice", "echo");
  EXPECT_EQ(principal_at(worker), "mallory");
}

}  // namespace
}  // namespace mdp
