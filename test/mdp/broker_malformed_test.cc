// A malformed message costs its sender the connection, and does not affect other peers.
#include "test/mdp/broker_fixture.h"

#include <vector>

namespace mdp {
namespace {

class broker_malformed : public broker_fixture {
public:
  void expect_good_service() {
    ask(good_client, "echo", {"still there"sv});
    echo(good_worker);
    EXPECT_EQ(next(good_client), final_reply("echo", "still there"));
    ask(old_client, "echo", {"still there"sv}, version::v01);
    echo(good_worker);
    EXPECT_EQ(next(old_client), old_reply("echo", "still there"));
  }
  zmtp::peer_id good_worker = attach_worker("echo");
  zmtp::peer_id good_client = attach();
  zmtp::peer_id old_client = attach();
};

std::vector<zmtp::message> malformed_messages() {
  const std::string long_name(256, 'n');
  const std::string blob(100'000, '\xff');
  std::vector<zmtp::message> list{
      {},
      {""sv},
      {""sv, ""sv},
      {"\0"sv},
      {blob},
      {"echo"sv, "Hello"sv},
      {""sv, "echo"sv, "Hello"sv},
      {"MDPC01"sv, "echo"sv, "x"sv},
      {"MDPW01"sv, "\x01"sv, "echo"sv},
      {"MDPC03"sv, "\x01"sv, "echo"sv, "x"sv},
      {"mdpc02"sv, "\x01"sv, "echo"sv, "x"sv},
      {""sv, ""sv, "MDPC02"sv, "\x01"sv, "echo"sv, "x"sv},
      {"id"sv, ""sv, "MDPC01"sv, "echo"sv, "x"sv},
      {""sv, "MDPC01"sv},
      {""sv, "MDPC01"sv, "echo"sv},
      {""sv, "MDPC01"sv, ""sv, "x"sv},
      {""sv, "MDPC01"sv, long_name, "x"sv},
      {"MDPC02"sv},
      {"MDPC02"sv, "\x01"sv},
      {"MDPC02"sv, "\x01"sv, "echo"sv},
      {"MDPC02"sv, ""sv, "echo"sv, "x"sv},
      {"MDPC02"sv, "\x02"sv, "echo"sv, "x"sv},
      {"MDPC02"sv, "\x03"sv, "echo"sv, "x"sv},
      {"MDPC02"sv, "\x09"sv, "echo"sv, "x"sv},
      {"MDPC02"sv, "\x01\0"sv, "echo"sv, "x"sv},
      {"MDPC02"sv, "\x01"sv, blob, "x"sv},
  };
  for (const bool old : {true, false}) {
    const auto from_worker = [&](std::initializer_list<std::string_view> parts) {
      zmtp::message m;
      for (const auto part : parts) {
        m.push_back(part);
      }
      m.push_front(old ? "MDPW01" : "MDPW02");
      if (old) {
        m.push_front("");
      }
      list.push_back(m);
    };
    const auto reply = old ? "\x03"sv : "\x04"sv;
    from_worker({});
    from_worker({""sv});
    from_worker({"\0"sv});
    from_worker({"\x07"sv});
    from_worker({"READY"sv, "echo"sv});
    from_worker({"\x01"sv});
    from_worker({"\x01"sv, ""sv});
    from_worker({"\x01"sv, long_name});
    from_worker({"\x01"sv, "echo"sv, "echo"sv});
    from_worker({"\x02"sv, "a"sv, ""sv, "x"sv});
    from_worker({reply});
    from_worker({reply, "a"sv});
    from_worker({reply, "a"sv, ""sv});
    from_worker({reply, "a"sv, "x"sv});
    from_worker({reply, ""sv, ""sv, "x"sv});
    from_worker({reply, "a"sv, "b"sv, ""sv, "x"sv});
    from_worker({old ? "\x04"sv : "\x05"sv, "x"sv});
    from_worker({old ? "\x05"sv : "\x06"sv, "x"sv});
  }
  return list;
}

TEST_F(broker_malformed, from_a_peer_without_earlier_messages) {  // MDP-22, MDP-31
  for (const auto& m : malformed_messages()) {
    const auto bad = attach();
    say(bad, m);
    EXPECT_EQ(closed.count(bad), 1U) << testing::PrintToString(m);
    say(bad, m);
    say(bad, make_ready(version::v02, "echo"));
    EXPECT_TRUE(silent(bad)) << testing::PrintToString(m);
    expect_good_service();
    detach(bad);
  }
  EXPECT_EQ(broker.status().workers, 1U);
}

TEST_F(broker_malformed, from_a_client_with_requests_in_flight) {
  for (const auto& m : malformed_messages()) {
    const auto bad = attach();
    const auto busy = attach_worker("slow");
    ask(bad, "slow", {"1"sv});
    ask(bad, "slow", {"2"sv});
    say(bad, m);
    EXPECT_EQ(closed.count(bad), 1U) << testing::PrintToString(m);
    expect_good_service();
    echo(busy);
    EXPECT_TRUE(silent(bad));
    EXPECT_TRUE(silent(busy));
    detach(busy);
    detach(bad);
  }
  EXPECT_EQ(broker.status().clients, 2U);
}

TEST_F(broker_malformed,
       from_a_worker_with_a_request_in_flight) {  // MDP-22, MDP-31, MDP-35, MDP-36
  for (const auto& m : malformed_messages()) {
    const auto bad = attach_worker("slow");
    ask(good_client, "slow", {"x"sv});
    (void)next(bad);
    say(bad, m);
    EXPECT_EQ(closed.count(bad), 1U) << testing::PrintToString(m);
    EXPECT_TRUE(silent(bad));
    const auto heir = attach_worker("slow");
    echo(heir);
    EXPECT_EQ(next(good_client), final_reply("slow", "x"));
    expect_good_service();
    detach(heir);
    detach(bad);
  }
  EXPECT_EQ(broker.status().workers, 1U);
}

TEST_F(broker_malformed, each_is_counted_by_its_cause) {
  const auto list = malformed_messages();
  for (const auto& m : list) {
    say(attach(), m);
  }
  std::uint64_t all = 0;
  for (const auto count : counters().invalid_messages) {
    all += count;
  }
  EXPECT_EQ(all, list.size());
  EXPECT_EQ(invalid(errc::misdirected_command), 4U);
  EXPECT_EQ(invalid(errc::not_delimited), 2U);
}

}  // namespace
}  // namespace mdp
