#include "zmtp/mechanism/null.h"

#include "test/support/bytes.h"
#include "test/zmtp/mechanism/mechanism_script.h"

#include <gtest/gtest.h>

#include <string>

namespace zmtp {
namespace {

using progress = mechanism::progress;
using test::announcing;
using test::bytes;
using test::expect_fault;
using test::for_each_changed_byte;
using test::for_each_truncation;

null_mechanism fresh() { return {announcing("SUB"), limits{}}; }

const std::string ready_of_sub = bytes("05 'READY' 0b 'Socket-Type' 00 00 00 03 'SUB'");
const std::string ready_of_dealer =
    bytes("05 'READY' 0b 'Socket-Type' 00 00 00 06 'DEALER' 08 'Identity' 00 00 00 00");

void expect_admission(null_mechanism& m, std::string_view body) {
  std::string output;
  const auto step = m.on_command(body, output);
  ASSERT_TRUE(step) << step.error().message();
  EXPECT_EQ(*step, progress::authentication);
  EXPECT_EQ(m.authenticated(output), progress::admission);
  EXPECT_EQ(output, "");
}

TEST(null_mechanism, sends_ready_before_the_peer_has_sent_anything) {
  std::string output;
  fresh().start(output);
  EXPECT_EQ(output, bytes("04 19") + ready_of_sub);
  auto dealer = announcing("DEALER");
  dealer.add("Identity", "");
  output.clear();
  null_mechanism{dealer, {}}.start(output);
  EXPECT_EQ(output, bytes("04 29") + ready_of_dealer);
}

TEST(null_mechanism, an_accepting_side_sends_ready_after_admission) {
  using ready = null_mechanism::ready;
  null_mechanism pub{announcing("PUB"), {}, ready::once_admitted};
  std::string output;
  pub.start(output);
  EXPECT_EQ(output, "");
  expect_admission(pub, ready_of_sub);
  EXPECT_EQ(pub.admit(output), progress::done);
  EXPECT_EQ(output, bytes("04 19 05 'READY' 0b 'Socket-Type' 00 00 00 03 'PUB'"));
  null_mechanism strict{announcing("PUB"), {}, ready::once_admitted};
  expect_admission(strict, ready_of_sub);
  output.clear();
  strict.refuse("400", output);
  EXPECT_EQ(output, bytes("04 0a 05 'ERROR' 03 '400'"));
}

TEST(null_mechanism, long_metadata_takes_a_long_frame) {
  auto own = announcing("DEALER");
  own.add("Identity", std::string(255, 'i'));
  std::string output;
  null_mechanism{own, {}}.start(output);
  EXPECT_EQ(output.substr(0, 9), bytes("06 00 00 00 00 00 00 01 28"));
  EXPECT_EQ(output.size(), 9U + 0x128U);
}

TEST(null_mechanism, two_of_them_reach_traffic) {
  null_mechanism push{announcing("PUSH"), {}};
  null_mechanism pull{announcing("PULL"), {}};
  std::string of_push;
  std::string of_pull;
  push.start(of_push);
  pull.start(of_pull);
  expect_admission(pull, of_push.substr(2));
  expect_admission(push, of_pull.substr(2));
  EXPECT_EQ(pull.peer_metadata(), announcing("PUSH"));
  EXPECT_EQ(push.peer_metadata(), announcing("PULL"));
  std::string output;
  EXPECT_EQ(pull.admit(output), progress::done);
  EXPECT_EQ(push.admit(output), progress::done);
  EXPECT_EQ(output, "");
}

TEST(null_mechanism, asks_for_decisions_once_the_peer_is_known) {
  auto m = fresh();
  expect_admission(m, ready_of_dealer);
  EXPECT_EQ(*m.peer_metadata().find("socket-type"), "DEALER");
  EXPECT_EQ(*m.peer_metadata().find("identity"), "");
}

TEST(null_mechanism, bodies_that_libzmq_accepts_are_accepted) {
  for (const auto& body : {
           bytes("05 'READY'"),
           bytes("05 'READY' 0b 'socket-type' 00 00 00 03 'PUB'"),
           bytes("05 'READY' 08 'Identity' 00 00 01 00 69*256"),
           bytes("05 'READY' 07 'X-Thing' 00 00 00 00"),
       }) {
    auto m = fresh();
    expect_admission(m, body);
  }
}

TEST(null_mechanism, a_bad_ready_is_rejected_with_its_error) {
  const struct {
    std::string body;
    errc fault;
  } faults[] = {
      {bytes(""), errc::bad_command},
      {bytes("00"), errc::bad_command},
      {bytes("05 'READ'"), errc::bad_command},
      {ready_of_sub + "x", errc::bad_metadata},
      {ready_of_sub + bytes("00"), errc::bad_metadata},
      {bytes("05 'READY' 00 00 00 00 00"), errc::bad_property_name},
      {ready_of_sub + ready_of_sub.substr(6), errc::duplicate_property},
      {bytes("05 'ready'"), errc::unexpected_command},
      {bytes("05 'HELLO' 00 00"), errc::unexpected_command},
      {bytes("04 'PING' 00 00"), errc::unexpected_command},
      {bytes("09 'SUBSCRIBE'"), errc::unexpected_command},
  };
  for (const auto& [body, fault] : faults) {
    auto m = fresh();
    expect_fault(m, body, fault);
  }
}

TEST(null_mechanism, the_limits_hold) {
  const limits limit{.handshake_command_size = ready_of_dealer.size(), .metadata_properties = 1};
  null_mechanism large{{}, limit};
  expect_fault(large, ready_of_dealer + "x", errc::command_too_large);
  null_mechanism many{{}, limit};
  expect_fault(many, ready_of_dealer, errc::too_many_properties);
  null_mechanism within{{}, limit};
  expect_admission(within, ready_of_sub);
}

TEST(null_mechanism, the_peers_error_is_stored) {
  for (const auto& body : {bytes("05 'ERROR' 03 '400'"), bytes("5e 52 52 4f 52 03 '400'")}) {
    auto m = fresh();
    EXPECT_EQ(m.error_reason(), "");
    expect_fault(m, body, errc::refused_by_peer);
    EXPECT_EQ(m.error_reason(), "400");
  }
}

TEST(null_mechanism, the_peer_may_reject_after_its_ready) {
  auto m = fresh();
  expect_admission(m, ready_of_sub);
  expect_fault(m, bytes("05 'ERROR' 03 '300'"), errc::refused_by_peer);
  EXPECT_EQ(m.error_reason(), "300");
}

TEST(null_mechanism, an_error_that_is_cut_short_is_a_bad_command) {
  auto m = fresh();
  expect_fault(m, bytes("05 'ERROR' 03 '40'"), errc::bad_command);
  EXPECT_EQ(m.error_reason(), "");
}

TEST(null_mechanism, a_second_ready_is_unexpected) {
  auto judging = fresh();
  expect_admission(judging, ready_of_sub);
  expect_fault(judging, ready_of_sub, errc::unexpected_command);
  auto done = fresh();
  expect_admission(done, ready_of_sub);
  std::string output;
  EXPECT_EQ(done.admit(output), progress::done);
  expect_fault(done, ready_of_sub, errc::unexpected_command);
}

TEST(null_mechanism, nothing_is_accepted_after_a_fault) {
  auto m = fresh();
  expect_fault(m, bytes("05 'HELLO'"), errc::unexpected_command);
  expect_fault(m, ready_of_sub, errc::unexpected_command);
  expect_fault(m, bytes("05 'ERROR' 03 '400'"), errc::unexpected_command);
}

TEST(null_mechanism, a_rejection_sends_the_reason_and_ends_the_handshake) {
  auto m = fresh();
  expect_admission(m, ready_of_sub);
  std::string output;
  m.refuse("400", output);
  EXPECT_EQ(output, bytes("04 0a 05 'ERROR' 03 '400'"));
  expect_fault(m, bytes("05 'ERROR' 03 '300'"), errc::unexpected_command);
}

TEST(null_mechanism, a_peer_may_be_rejected_before_its_authentication) {
  auto m = fresh();
  std::string output;
  EXPECT_EQ(*m.on_command(ready_of_sub, output), progress::authentication);
  m.refuse("500", output);
  EXPECT_EQ(output, bytes("04 0a 05 'ERROR' 03 '500'"));
  expect_fault(m, ready_of_sub, errc::unexpected_command);
}

void expect_defined(std::string_view body) {
  auto m = fresh();
  std::string output;
  const auto step = m.on_command(body, output);
  EXPECT_EQ(output, "");
  if (step) {
    EXPECT_EQ(*step, progress::authentication);
    std::string written;
    null_mechanism{m.peer_metadata(), {}}.start(written);
    EXPECT_EQ(written.substr(2), body);
  } else {
    EXPECT_TRUE(step.error() == condition::protocol_violation) << step.error().message();
  }
}

TEST(null_mechanism, any_truncation_or_changed_byte_is_rejected_or_accepted) {
  expect_defined(ready_of_dealer);
  for_each_truncation(ready_of_dealer, expect_defined);
  for_each_changed_byte(ready_of_dealer, expect_defined);
}

}  // namespace
}  // namespace zmtp
