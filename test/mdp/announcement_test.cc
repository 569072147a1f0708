#include "mdp/announcement.h"

#include "zmtp/metadata.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace mdp {
namespace {

zmtp::metadata said(const std::string& list) {
  zmtp::metadata m;
  m.add("X-Zinc", list);
  return m;
}

worker_options of_capacity(std::size_t capacity) {
  worker_options options;
  options.in_flight = capacity;
  return options;
}

TEST(announcement, a_stock_peer_has_a_capacity_of_one) {
  EXPECT_EQ(parse_announcement({}).capacity, 1U);
  EXPECT_FALSE(parse_announcement({}).malformed);
  EXPECT_EQ(parse_announcement(said("something-newer=3")).capacity, 1U);
  EXPECT_FALSE(parse_announcement(said("something-newer=3")).malformed);
}

TEST(announcement, a_capacity_survives_a_round_trip) {
  for (const std::size_t capacity : {2U, 8U, 1'000'000U}) {
    zmtp::metadata own;
    zmtp::announce_extensions(own, announce(of_capacity(capacity)));
    EXPECT_EQ(parse_announcement(own).capacity, capacity);
    EXPECT_FALSE(parse_announcement(own).malformed);
  }
  EXPECT_EQ(parse_announcement(said("a,capacity=16,b")).capacity, 16U);
}

TEST(announcement, is_not_made_without_a_capacity) {
  EXPECT_TRUE(announce(of_capacity(1)).empty());
  EXPECT_TRUE(announce(of_capacity(0)).empty());
}

TEST(announcement, reads_whether_a_peer_understands_errors) {
  EXPECT_TRUE(parse_announcement(said("mdp-errors")).errors);
  EXPECT_TRUE(parse_announcement(said("capacity=2,mdp-errors")).errors);
  EXPECT_FALSE(parse_announcement(said("capacity=2,mdp-error")).errors);
  EXPECT_FALSE(parse_announcement({}).errors);
}

TEST(announcement, workers_and_brokers_announce_principals) {
  auto options = of_capacity(4);
  EXPECT_EQ(announce(options), std::vector<std::string>{"capacity=4"});
  options.reads_principals = true;
  zmtp::metadata own;
  zmtp::announce_extensions(own, announce(options));
  EXPECT_TRUE(parse_announcement(own).principals);
  EXPECT_EQ(parse_announcement(own).capacity, 4U);
  EXPECT_FALSE(parse_announcement(said("capacity=4")).principals);
  zmtp::metadata broker;
  zmtp::announce_extensions(broker, announce_broker(1));
  EXPECT_TRUE(parse_broker_announcement(broker).principals);
  EXPECT_FALSE(parse_broker_announcement(said("nack")).principals);
}

TEST(announcement, that_is_malformed_counts_as_none) {
  for (const auto* const text :
       {"capacity", "capacity=", "capacity=0", "capacity=-1", "capacity=+8", "capacity= 8",
        "capacity=8 ", "capacity=8x", "capacity=0x8", "capacity=1e3", "capacity=8.0", "capacity==8",
        "capacity=99999999999999999999999", "capacity=eight,capacity=8"}) {
    EXPECT_EQ(parse_announcement(said(text)).capacity, 1U) << text;
    EXPECT_TRUE(parse_announcement(said(text)).malformed) << text;
  }
}

TEST(announcement, a_broker_announces_its_run) {
  for (const std::uint64_t instance : {0ULL, 1ULL, 0x0123'4567'89ab'cdefULL, ~0ULL}) {
    zmtp::metadata own;
    zmtp::announce_extensions(own, announce_broker(instance));
    EXPECT_EQ(parse_broker_announcement(own).idempotency, instance);
  }
  EXPECT_EQ(parse_broker_announcement(said("a,idempotency=ff,b")).idempotency, 255U);
}

TEST(announcement, a_malformed_run_of_a_broker_is_ignored) {
  EXPECT_FALSE(parse_broker_announcement({}).idempotency);
  for (const auto* const text : {"idempotency", "idempotency=", "idempotency=x", "idempotency=1 ",
                                 "idempotency=-1", "idempotency=10000000000000000"}) {
    EXPECT_FALSE(parse_broker_announcement(said(text)).idempotency) << text;
  }
}

TEST(announcement, a_broker_takes_nacks) {
  zmtp::metadata own;
  zmtp::announce_extensions(own, announce_broker(1));
  EXPECT_TRUE(parse_broker_announcement(own).nack);
  EXPECT_TRUE(parse_broker_announcement(said("newer,nack")).nack);
  EXPECT_FALSE(parse_broker_announcement(said("nacks,mdp-errors")).nack);
  EXPECT_FALSE(parse_broker_announcement({}).nack);
}

}  // namespace
}  // namespace mdp
