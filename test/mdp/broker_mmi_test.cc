// 8/MMI.
#include "test/mdp/broker_fixture.h"

namespace mdp {
namespace {

class broker_mmi : public broker_fixture {
public:
  std::string lookup(std::string_view name) {
    ask(client, "mmi.service", {name});
    const auto m = next(client);
    EXPECT_EQ(m.part_count(), 4U);
    return std::string{m.back()};
  }
  zmtp::peer_id client = attach();
};

TEST_F(broker_mmi, service_is_there_while_it_has_a_live_worker) {  // MMI-3, MMI-6, C3-10
  EXPECT_EQ(lookup("echo"), "404");
  const auto worker = attach_worker("echo");
  EXPECT_EQ(lookup("echo"), "200");
  ask(client, "echo", {"x"sv});
  EXPECT_EQ(lookup("echo"), "200");  // busy
  detach(worker);
  EXPECT_EQ(lookup("echo"), "404");  // a waiting request does not make a worker
  const auto second = attach_worker("echo");
  EXPECT_EQ(lookup("echo"), "200");
  say(second, disconnect());
  EXPECT_EQ(lookup("echo"), "404");
  (void)attach_worker("echo");
  (void)attach_worker("idle");
  pass(10s);
  EXPECT_EQ(lookup("idle"), "404");  // silent for too long
}

TEST_F(broker_mmi, lookups_create_no_services) {  // C3-10
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(lookup("name" + std::to_string(i)), "404");
  }
  EXPECT_EQ(broker.status().services, 0U);
  EXPECT_EQ(counters().mmi_requests, 100U);
}

TEST_F(broker_mmi, other_names_are_not_implemented) {  // MMI-1, MMI-4
  for (const auto name : {"mmi."sv, "mmi.x"sv, "mmi.services"sv}) {
    ask(client, name, {"x"sv});
    EXPECT_EQ(next(client), final_reply(name, "501"));
  }
}

TEST_F(broker_mmi, last_frame_is_the_argument_and_the_reply_is_one_frame) {  // C3-11
  (void)attach_worker("echo");
  ask(client, "mmi.service", {"x"sv, "y"sv, "echo"sv});
  EXPECT_EQ(next(client), final_reply("mmi.service", "200"));
  ask(client, "mmi.service", {"echo"sv, "x"sv});
  EXPECT_EQ(next(client), final_reply("mmi.service", "404"));
}

TEST_F(broker_mmi, framing_is_the_clients) {  // MMI-5
  (void)attach_worker("echo");
  say(client, {""sv, "MDPC01"sv, "mmi.service"sv, "echo"sv});
  EXPECT_EQ(next(client), old_reply("mmi.service", "200"));
  say(client, {""sv, "MDPC02"sv, "\x01"sv, "mmi.service"sv, "echo"sv});
  EXPECT_EQ(next(client), (zmtp::message{""sv, "MDPC02"sv, "\x03"sv, "mmi.service"sv, "200"sv}));
}

TEST_F(broker_mmi, a_worker_that_registers_a_reserved_name_is_sent_away) {  // MMI-2, C3-9
  for (const auto how : {dialect::v01, dialect::v02}) {
    for (const auto name : {"mmi.service"sv, "mmi.evil"sv, "mmi."sv}) {
      const auto worker = attach_worker(name, how);
      EXPECT_EQ(next(worker), disconnect(how));
      EXPECT_EQ(broker.status().workers, 0U);
      ask(client, name, {"x"sv});
      EXPECT_TRUE(silent(worker));
      (void)next(client);
    }
  }
}

}  // namespace
}  // namespace mdp
