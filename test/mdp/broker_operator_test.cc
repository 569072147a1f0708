// Workers that an operator drains.
#include "test/mdp/broker_fixture.h"

namespace mdp {
namespace {

class broker_operator : public broker_fixture {
public:
  bool drain(zmtp::peer_id worker) {
    const auto known = broker.drain_worker(worker, now, actions);
    carry_out();
    return known;
  }
};

TEST_F(broker_operator, the_state_says_that_the_broker_drains) {
  EXPECT_FALSE(broker.status().draining);
  broker.drain(now, actions);
  EXPECT_TRUE(broker.status().draining);
}

TEST_F(broker_operator, a_drained_worker_finishes_and_gets_no_more) {
  const auto client = attach();
  const auto leaving = attach_worker("echo");
  ask(client, "echo", {"1"sv});
  ask(client, "echo", {"2"sv});
  const auto given = next_request(leaving);
  EXPECT_TRUE(drain(leaving));
  EXPECT_TRUE(drain(leaving)) << "it is still registered";
  EXPECT_TRUE(silent(leaving));
  ASSERT_EQ(broker.workers(10, now).size(), 1U);
  EXPECT_TRUE(broker.workers(10, now)[0].leaving);
  EXPECT_EQ(broker.services()[0].workers, 0U);
  reply(leaving, given.address, {"1"sv});
  EXPECT_EQ(next(client), final_reply("echo", "1"));
  EXPECT_EQ(next(leaving), disconnect());
  EXPECT_TRUE(silent(leaving));
  EXPECT_FALSE(drain(leaving));
  EXPECT_TRUE(broker.workers(10, now).empty());
  const auto other = attach_worker("echo");
  EXPECT_EQ(next_request(other).body, zmtp::message{"2"sv});
  EXPECT_EQ(counters().requeued, 0U);
}

TEST_F(broker_operator, an_idle_worker_is_sent_disconnect_at_once) {
  for (const auto how : {dialect::v01, dialect::v02, dialect::v02_delimited}) {
    const auto worker = attach_worker("echo", how);
    EXPECT_TRUE(drain(worker));
    EXPECT_EQ(next(worker), disconnect(how));
    EXPECT_FALSE(drain(worker));
    EXPECT_TRUE(silent(worker));
    EXPECT_EQ(broker.status().services, 0U);
  }
}

TEST_F(broker_operator, other_workers_of_the_service_are_not_drained) {
  const auto client = attach();
  const auto leaving = attach_worker("echo");
  const auto other = attach_worker("echo");
  EXPECT_TRUE(drain(leaving));
  for (int i = 0; i < 3; ++i) {
    ask(client, "echo", {"m"sv});
    echo(other);
    EXPECT_EQ(next(client), final_reply("echo", "m"));
  }
  EXPECT_EQ(next(leaving), disconnect());
  EXPECT_TRUE(silent(leaving));
}

TEST_F(broker_operator, only_registered_workers_are_drained) {
  const auto unknown = attach();
  const auto client = attach();
  ask(client, "echo", {"m"sv});
  const auto gone = attach_worker("other");
  detach(gone);
  for (const auto id : {unknown, client, gone}) {
    EXPECT_FALSE(drain(id));
    EXPECT_TRUE(silent(id));
  }
  EXPECT_EQ(broker.status().waiting, 1U);
}

TEST_F(broker_operator, the_request_of_a_worker_lost_while_it_drains_is_redelivered) {
  const auto client = attach();
  const auto leaving = attach_worker("echo");
  ask(client, "echo", {"m"sv});
  (void)next_request(leaving);
  EXPECT_TRUE(drain(leaving));
  detach(leaving);
  EXPECT_EQ(counters().requeued, 1U);
  EXPECT_FALSE(drain(leaving));
  const auto other = attach_worker("echo");
  echo(other);
  EXPECT_EQ(next(client), final_reply("echo", "m"));
}

}  // namespace
}  // namespace mdp
