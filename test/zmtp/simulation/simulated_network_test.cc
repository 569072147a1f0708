#include "zmtp/simulation/simulated_network.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace zmtp::simulation {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using fault = virtual_connection::fault;
constexpr auto here = end_of_stream::connecting;
constexpr auto there = end_of_stream::accepting;

class a_network : public testing::Test {
protected:
  // A connection whose bytes take a millisecond.
  void connect(const net_options& options = usual()) {
    net = std::make_unique<simulated_network>(1, options);
    auto& server = net->add_host();
    net->listen("server", server, [](const simulated_network::stream_ptr&) {});
    host = &net->add_host();
    server_host = &server;
    net->connect("server", *host, [this](const simulated_network::stream_ptr& s) { stream = s; });
    rest();
    ASSERT_TRUE(stream);
  }
  static net_options usual() {
    net_options options;
    options.least_delay = options.most_delay = milliseconds{1};
    return options;
  }
  void rest() {
    while (!net->here().events.empty()) {
      net->here().events.run_next();
    }
  }
  void pass(event_queue::duration time) { net->here().events.run_until(net->now() + time); }

  std::size_t write(end_of_stream e, std::string_view bytes) {
    const std::array pieces{std::as_bytes(std::span{bytes})};
    return stream->write_some(e, pieces).count;
  }
  // Returns the bytes that have arrived, up to `most`; "lost" if the connection is lost.
  std::string read(end_of_stream e, std::size_t most = 1000) {
    std::string bytes(most, '\0');
    const auto got = stream->read_some(e, std::as_writable_bytes(std::span{bytes}));
    bytes.resize(got.count);
    return got.why_none == fault::lost ? "lost" : got.why_none == fault::ended ? "ended" : bytes;
  }

  std::unique_ptr<simulated_network> net;
  simulated_host* host = nullptr;
  simulated_host* server_host = nullptr;
  simulated_network::stream_ptr stream;
};

TEST_F(a_network, carries_bytes_in_order_and_with_a_delay) {
  connect();
  EXPECT_EQ(write(here, "one "), 4U);
  EXPECT_EQ(write(here, "two"), 3U);
  EXPECT_EQ(read(there), "");
  EXPECT_FALSE(stream->acknowledged(here));
  pass(milliseconds{1});
  EXPECT_TRUE(stream->acknowledged(here));
  EXPECT_EQ(read(there, 2), "on");
  EXPECT_EQ(read(there), "e two");
  EXPECT_EQ(read(here), "");
}

TEST_F(a_network, holds_no_more_than_its_window) {
  auto options = usual();
  options.least_window = options.most_window = 10;
  connect(options);
  EXPECT_EQ(write(here, "123456789012"), 10U);
  EXPECT_EQ(write(here, "3"), 0U);
  bool writable = false;
  stream->wait_writable(here, [&] { writable = true; });
  rest();
  EXPECT_FALSE(writable);
  EXPECT_EQ(read(there, 4), "1234");
  rest();
  EXPECT_TRUE(writable);
  EXPECT_EQ(write(here, "345678"), 4U);
}

TEST_F(a_network, calls_a_program_that_waits_for_bytes) {
  connect();
  int notified = 0;
  stream->wait_readable(there, [&] { ++notified; });
  rest();
  EXPECT_EQ(notified, 0);
  write(here, "x");
  rest();
  write(here, "y");
  rest();
  EXPECT_EQ(notified, 1);
}

TEST_F(a_network, delivers_bytes_written_before_the_end) {
  connect();
  write(here, "last");
  stream->close(here);
  rest();
  EXPECT_EQ(read(there), "last");
  EXPECT_EQ(read(there), "ended");
}

TEST_F(a_network, still_reads_at_an_end_that_sends_no_more) {
  connect();
  write(here, "last");
  stream->shutdown_send(here);
  EXPECT_EQ(write(here, "more"), 0U);
  EXPECT_EQ(stream->unacknowledged(here), 5U);
  rest();
  EXPECT_EQ(stream->unacknowledged(here), 0U);
  EXPECT_EQ(read(there), "last");
  EXPECT_EQ(read(there), "ended");
  EXPECT_EQ(write(there, "answer"), 6U);
  rest();
  EXPECT_EQ(read(here), "answer");
}

TEST_F(a_network, loses_bytes_in_flight_when_it_is_cut) {
  connect();
  write(here, "arrives ");
  rest();
  write(here, "is lost");
  stream->cut(milliseconds{5}, milliseconds{9});
  EXPECT_EQ(read(there), "arrives ");
  pass(milliseconds{8});
  EXPECT_EQ(read(here), "lost");
  EXPECT_EQ(read(there), "");
  pass(milliseconds{1});
  EXPECT_EQ(read(there), "lost");
}

TEST_F(a_network, cuts_at_the_requested_byte) {
  connect();
  stream->cut_when_taken(here, 3);
  EXPECT_EQ(write(here, "12345"), 3U);
  EXPECT_TRUE(stream->is_cut());
  connect();
  stream->cut_when_arrived(here, 3);
  EXPECT_EQ(write(here, "12345"), 5U);
  rest();
  EXPECT_TRUE(stream->is_cut());
  EXPECT_EQ(read(there), "123");
}

TEST_F(a_network, leaves_an_end_half_open_until_it_writes) {
  connect();
  stream->cut(std::nullopt, milliseconds{1});
  pass(seconds{10});
  EXPECT_EQ(read(here), "");
  EXPECT_EQ(read(there), "lost");
  EXPECT_EQ(write(here, "anybody there?"), 14U);
  pass(seconds{3});
  EXPECT_EQ(read(here), "lost");
}

TEST_F(a_network, leaves_an_end_half_open_until_its_timer_runs_out) {
  connect();
  stream->cut(std::nullopt, std::nullopt);
  pass(virtual_connection::keep_alive - milliseconds{1});
  EXPECT_EQ(read(here), "");
  pass(milliseconds{1});
  EXPECT_EQ(read(here), "lost");
}

TEST_F(a_network, does_not_call_handlers_on_a_paused_host) {
  connect();
  std::string received;
  stream->wait_readable(there, [&] { received += "bytes "; });
  net->after(*server_host, milliseconds{5}, [&] { received += "timer "; });
  server_host->pause();
  write(here, "x");
  pass(seconds{1});
  EXPECT_EQ(received, "");
  server_host->resume();
  EXPECT_EQ(received, "bytes timer ");
}

TEST_F(a_network, frees_a_connection_that_both_ends_have_closed) {
  connect();
  net->part(*host, *server_host);
  write(here, "x");
  stream->close(here);
  stream->close(there);
  rest();
  const std::weak_ptr watched{stream};
  stream.reset();
  EXPECT_TRUE(watched.expired());
}

TEST_F(a_network, rejects_a_connection_without_a_listener) {
  connect();
  net->unlisten("server");
  bool refused = false;
  net->connect("server", *host,
               [&](const simulated_network::stream_ptr& s) { refused = s == nullptr; });
  rest();
  EXPECT_TRUE(refused);
}

TEST(event_queue, keeps_the_order_of_time_and_then_of_planning) {
  event_queue events;
  std::string order;
  events.after(milliseconds{2}, [&] { order += 'c'; });
  events.after(milliseconds{1}, [&] { order += 'a'; });
  const auto cancelled = events.after(milliseconds{1}, [&] { order += 'x'; });
  events.after(milliseconds{1}, [&] { order += 'b'; });
  events.cancel(cancelled);
  events.run_until(events.now() + seconds{1});
  EXPECT_EQ(order, "abc");
  EXPECT_EQ(events.happened(), 3U);
}

}  // namespace
}  // namespace zmtp::simulation
