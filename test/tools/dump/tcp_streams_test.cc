#include "tools/zinc/dump/tcp_streams.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace zinc::dump {
namespace {

constexpr std::uint32_t client_begin = 0xffff'fffc;  // so that numbers wrap around
constexpr std::uint32_t server_begin = 500;

// Writes down all calls: `>` and `<` with the bytes of each side.
class told final : public stream_observer {
public:
  explicit told(std::string& to) : to_{to} {}

  void on_opened(const std::string& from, const std::string& to) override {
    to_ += from + " to " + to;
  }
  void on_bytes(side from, std::string_view bytes) override { say(from, std::string{bytes}); }
  void on_missing(side from, std::uint64_t bytes) override {
    say(from, std::to_string(bytes) + " missing");
  }
  void on_end(side from) override { say(from, "end"); }
  void on_closed(const std::string& why) override { to_ += " closed " + why + ';'; }

private:
  void say(side from, const std::string& what) {
    to_ += (from == side::connecting ? " >" : " <") + what;
  }
  std::string& to_;
};

class tcp_streams_test : public ::testing::Test {
protected:
  // A segment whose first byte is the byte `at` of its side.
  static tcp_segment client(std::uint32_t at, std::string_view bytes = {}) {
    return {.from = "c:1",
            .to = "s:2",
            .number = client_begin + 1 + at,
            .acknowledged = server_begin + 1,
            .ack = true,
            .bytes = bytes,
            .size = static_cast<std::uint32_t>(bytes.size())};
  }
  static tcp_segment server(std::uint32_t at, std::string_view bytes = {}) {
    auto one = client(0, bytes);
    std::swap(one.from, one.to);
    one.number = server_begin + 1 + at;
    one.acknowledged = client_begin + 1;
    return one;
  }
  static tcp_segment with_fin(tcp_segment one) {
    one.fin = true;
    return one;
  }
  void open() {
    auto syn = client(0);
    syn.number = client_begin;
    syn.syn = true;
    syn.ack = false;
    streams.add(syn);
    auto answer = server(0);
    answer.number = server_begin;
    answer.syn = true;
    answer.acknowledged = client_begin + 1;
    streams.add(answer);
  }

  std::string text;
  tcp_streams streams{[this] { return std::make_unique<told>(text); }};
};

TEST_F(tcp_streams_test, passes_both_sides_on_and_closes_after_both_ends) {
  open();
  streams.add(client(0, "abc"));
  streams.add(server(0, "xyz"));
  streams.add(with_fin(client(3, "de")));
  streams.add(with_fin(server(3)));
  EXPECT_EQ(text, "c:1 to s:2 >abc <xyz >de >end <end closed ;");
}

TEST_F(tcp_streams_test, puts_segments_in_order) {
  open();
  streams.add(client(6, "ghi"));
  streams.add(client(3, "def"));
  streams.add(client(0, "abc"));
  EXPECT_EQ(text, "c:1 to s:2 >abc >def >ghi");
}

TEST_F(tcp_streams_test, counts_bytes_once_that_are_sent_again) {
  open();
  streams.add(client(0, "abc"));
  streams.add(client(0, "abc"));
  streams.add(client(1, "bcde"));
  streams.add(client(6, "g"));
  streams.add(client(6, "ghi"));
  streams.add(client(4, "efgh"));
  EXPECT_EQ(text, "c:1 to s:2 >abc >de >fgh >i");
}

TEST_F(tcp_streams_test, says_what_is_missing_at_the_end) {
  open();
  streams.add(client(0, "abc"));
  streams.add(client(10, "def"));
  streams.finish();
  EXPECT_EQ(text, "c:1 to s:2 >abc >7 missing closed the capture ends;");
}

TEST_F(tcp_streams_test, waits_for_missing_bytes_up_to_a_limit) {
  open();
  const std::string piece(1024 * 1024, 'x');
  for (std::uint32_t i = 0; i < 5; ++i) {
    streams.add(client(1 + i * 1024 * 1024, piece));
  }
  streams.add(client(0, "abc"));
  streams.add(with_fin(server(0)));
  EXPECT_EQ(text, "c:1 to s:2 >1 missing <end closed bytes are missing;");
}

TEST_F(tcp_streams_test, keeps_a_limited_number_of_connections) {
  const auto syn_of = [](std::size_t number) {
    auto syn = client(0);
    syn.from = "c:" + std::to_string(number);
    syn.syn = true;
    syn.ack = false;
    return syn;
  };
  open();
  streams.add(client(0, "abc"));
  for (std::size_t i = 2; i <= 10'001; ++i) {
    streams.add(syn_of(i));
  }
  EXPECT_TRUE(text.ends_with(" to s:2 closed too many connections;c:10001 to s:2"));
  text.clear();
  streams.add(client(3, "def"));  // only silent ones had to go
  EXPECT_EQ(text, " >def");
}

TEST_F(tcp_streams_test, counts_the_memory_of_small_pieces) {
  open();
  for (std::uint32_t i = 0; i < 40'000; ++i) {
    streams.add(client(1 + 2 * i, "x"));
  }
  EXPECT_EQ(text, "c:1 to s:2 >1 missing");
}

TEST_F(tcp_streams_test, limits_the_early_bytes_of_all_connections) {
  const std::string piece(1024 * 1024, 'x');
  for (int i = 0; i < 22; ++i) {
    auto syn = client(0);
    syn.from = "c:" + std::to_string(i);
    syn.number = client_begin;
    syn.syn = true;
    syn.ack = false;
    streams.add(syn);
    text.clear();
    for (std::uint32_t at = 0; at < 3; ++at) {
      auto early = client(1 + at * 1024 * 1024, piece);
      early.from = syn.from;
      streams.add(early);
    }
  }
  EXPECT_EQ(text, " >1 missing");
}

TEST_F(tcp_streams_test, does_not_wait_for_bytes_that_the_receiver_has) {
  open();
  streams.add(client(0, "abc"));
  streams.add(client(5, "fgh"));
  auto answer = server(0, "x");
  answer.acknowledged = client_begin + 1 + 4;
  streams.add(answer);
  EXPECT_EQ(text, "c:1 to s:2 >abc <x");
  answer.acknowledged += 1;
  streams.add(answer);
  EXPECT_EQ(text, "c:1 to s:2 >abc <x >2 missing");
}

TEST_F(tcp_streams_test, notices_a_packet_that_was_cut) {
  open();
  auto cut = client(0, "abc");
  cut.size = 100;
  streams.add(cut);
  streams.add(client(100, "def"));
  streams.finish();
  EXPECT_EQ(text, "c:1 to s:2 >abc >97 missing closed the capture ends;");
}

TEST_F(tcp_streams_test, closes_at_a_reset) {
  open();
  auto reset = server(0);
  reset.rst = true;
  streams.add(reset);
  EXPECT_EQ(text, "c:1 to s:2 closed reset;");
}

TEST_F(tcp_streams_test, ignores_a_reset_that_no_receiver_takes) {
  open();
  for (const std::uint32_t number : {0x7000'0000U, server_begin}) {
    auto reset = server(0);
    reset.number = number;
    reset.rst = true;
    streams.add(reset);
  }
  streams.add(server(0, "abc"));
  EXPECT_EQ(text, "c:1 to s:2 <abc");
}

TEST_F(tcp_streams_test, tells_connections_of_the_same_addresses_apart) {
  open();
  open();  // sent again
  auto syn = client(0);
  syn.number = 77;
  syn.syn = true;
  syn.ack = false;
  streams.add(syn);
  EXPECT_EQ(text, "c:1 to s:2 closed another connection of the same addresses begins;c:1 to s:2");
}

TEST_F(tcp_streams_test, knows_the_client_by_the_answer) {
  auto answer = server(0);
  answer.number = server_begin;
  answer.syn = true;
  answer.acknowledged = client_begin + 1;
  streams.add(answer);
  streams.add(client(0, "abc"));
  EXPECT_EQ(text, "c:1 to s:2 >abc");
}

TEST_F(tcp_streams_test, counts_segments_of_earlier_connections) {
  streams.add(client(0, "abc"));
  streams.add(client(3));
  EXPECT_EQ(text, "");
  EXPECT_EQ(streams.strays(), 1U);
}

}  // namespace
}  // namespace zinc::dump
