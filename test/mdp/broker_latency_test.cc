// The time of requests in the queue and at the worker.
#include "test/mdp/broker_fixture.h"

#include <numeric>

namespace mdp {
namespace {

using namespace std::chrono_literals;

class broker_latency : public broker_fixture {
public:
  static std::uint64_t count(const zmtp::duration_histogram& of) {
    return std::accumulate(of.counts().begin(), of.counts().end(), std::uint64_t{0});
  }
  zmtp::peer_id client = attach();
};

TEST_F(broker_latency, separates_the_wait_from_the_work) {
  ask(client, "echo", {"x"sv});
  pass(300ms);
  const auto worker = attach_worker("echo");
  EXPECT_EQ(counters().queue_time.sum(), 300ms);
  EXPECT_EQ(count(counters().queue_time), 1U);
  EXPECT_EQ(count(counters().work_time), 0U);
  pass(40ms);
  echo(worker);
  EXPECT_EQ(counters().work_time.sum(), 40ms);
  EXPECT_EQ(count(counters().work_time), 1U);
  const auto of_service = broker.services();
  ASSERT_EQ(of_service.size(), 1U);
  EXPECT_EQ(of_service[0].times.queue_time.sum(), 300ms);
  EXPECT_EQ(of_service[0].times.work_time.sum(), 40ms);
}

TEST_F(broker_latency, request_that_an_idle_worker_takes_waits_for_no_time) {
  const auto worker = attach_worker("echo");
  pass(100ms);
  ask(client, "echo", {"x"sv});
  EXPECT_EQ(counters().queue_time.counts().front(), 1U);
  EXPECT_EQ(counters().queue_time.sum(), 0ns);
  echo(worker);
}

TEST_F(broker_latency, each_wait_of_a_redelivered_request_counts) {
  const auto first = attach_worker("echo");
  ask(client, "echo", {"x"sv});
  pass(50ms);
  detach(first);
  pass(200ms);
  const auto second = attach_worker("echo");
  pass(10ms);
  echo(second);
  EXPECT_EQ(count(counters().queue_time), 2U);
  EXPECT_EQ(counters().queue_time.sum(), 200ms);
  EXPECT_EQ(count(counters().work_time), 1U);
  EXPECT_EQ(counters().work_time.sum(), 10ms);
}

}  // namespace
}  // namespace mdp
