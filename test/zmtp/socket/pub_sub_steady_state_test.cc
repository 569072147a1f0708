// Once warm, publishing to any number of subscribers costs no memory.

#include "test/support/allocations.h"
#include "test/zmtp/socket/pub_sub_fixture.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace zmtp::test {
namespace {

// The number of subscribers, the bytes of a message (within a message object), and the messages of
// a turn.
using load = std::tuple<std::size_t, std::size_t, int>;

// Receives messages as they arrive.
struct reader {
  explicit reader(asio::any_io_executor executor) : socket{std::move(executor)} {}
  void start() {
    socket.async_receive(batch, [this](error_code ec, std::size_t count) {
      if (!ec) {
        received += count;
        start();
      }
    });
  }

  sub_socket socket;
  message_batch batch;
  std::size_t received = 0;
};

class pub_sub_steady_state : public pub_sub_test, public testing::WithParamInterface<load> {
protected:
  template <class Publisher>
  void expect_no_allocations(const socket_options& options);
};

INSTANTIATE_TEST_SUITE_P(subscribers_bytes_messages, pub_sub_steady_state,
                         testing::Combine(testing::Values(1U, 10U, 100U), testing::Values(10U, 90U),
                                          testing::Values(1, 100)));

template <class Publisher>
void pub_sub_steady_state::expect_no_allocations(const socket_options& options) {
  const auto subscribers = std::get<0>(GetParam());
  const auto size = std::get<1>(GetParam());
  const auto messages = std::get<2>(GetParam());
  Publisher publisher{executor(), options};
  const auto at = publisher.bind("tcp://127.0.0.1:*").to_string();
  std::vector<std::unique_ptr<reader>> all;
  for (std::size_t n = 0; n < subscribers; ++n) {
    all.push_back(std::make_unique<reader>(executor()));
    all.back()->socket.subscribe("x");
    all.back()->socket.connect(at);
    agree(publisher, all.back()->socket);
    all.back()->start();
  }
  const message model{std::string(size, 'x')};
  std::size_t expected = 0;
  const auto round = [&] {
    for (int i = 0; i < messages; ++i) {
      auto m = model;
      ASSERT_EQ(publisher.try_send(std::move(m)), send_status::queued);
    }
    expected += static_cast<std::size_t>(messages);
    for (const auto& each : all) {
      run_until([&] { return each->received >= expected; });
    }
  };
  for (int i = 0; i < 20; ++i) {
    round();
  }
  const auto before = counted().requests;
  for (int i = 0; i < 20; ++i) {
    round();
  }
  EXPECT_EQ(counted().requests - before, 0U);
}

TEST_P(pub_sub_steady_state, pub_allocates_nothing) { expect_no_allocations<pub_socket>({}); }

TEST_P(pub_sub_steady_state, xpub_allocates_nothing) { expect_no_allocations<xpub_socket>({}); }

TEST_P(pub_sub_steady_state, xpub_that_keeps_last_values_allocates_nothing) {
  socket_options options;
  options.xpub.last_values.emplace();
  expect_no_allocations<xpub_socket>(options);
}

}  // namespace
}  // namespace zmtp::test
