#include "zmtp/socket/message_ends.h"

#include "test/support/pattern_test.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <optional>
#include <string>
#include <utility>

namespace zmtp::test {
namespace {

template <class Socket>
constexpr bool both = message_source<Socket>&& message_sink<Socket>;

static_assert(both<dealer_socket> && both<router_socket> && both<req_socket> && both<rep_socket>);
static_assert(message_source<pull_socket> && !message_sink<pull_socket>);
static_assert(message_source<sub_socket> && !message_sink<sub_socket>);
static_assert(message_sink<push_socket> && !message_source<push_socket>);
static_assert(message_sink<pub_socket> && !message_source<pub_socket>);

class router_envelopes : public pattern_test {
protected:
  void SetUp() override {
    socket_options named;
    named.routing_id = "A";
    dealer_.emplace(executor(), named);
    join(static_cast<socket&>(router_), *dealer_);
  }
  router_socket router_{executor(), announcing()};
  std::optional<dealer_socket> dealer_;
};

TEST_F(router_envelopes, are_received_and_sent_one_by_one) {
  put(*dealer_, {"question"});
  auto m = take(router_);
  EXPECT_EQ(m, (message{"A", "question"}));
  EXPECT_FALSE(router_.readable());
  EXPECT_EQ(router_.try_send(std::move(m)), send_status::queued);
  EXPECT_EQ(take(*dealer_), message{"question"});
  EXPECT_EQ(router_.try_send({"B", "to nobody"}), send_status::queued);
  EXPECT_EQ(router_.counters().dropped_unknown, 1U);
}

TEST_F(router_envelopes, are_received_and_sent_in_batches) {
  constexpr std::size_t count = 3'000;
  message_batch batch;
  for (std::size_t i = 0; i < count; ++i) {
    batch.append(std::to_string(i));
  }
  message_batch got;
  std::size_t echoed = 0;
  error_code end;
  const auto echo = [&](const auto& self) -> void {
    router_.async_receive_enveloped(got, [&](error_code ec, std::size_t n) {
      if (ec) {
        end = ec;
        return;
      }
      EXPECT_EQ(got.size(), n);
      EXPECT_EQ(got.front().front(), "A");
      router_.async_send_enveloped(got, [&, n](error_code why, std::size_t sent) {
        EXPECT_FALSE(why);
        EXPECT_EQ(sent, n);
        echoed += sent;
        self(self);
      });
    });
  };
  echo(echo);
  dealer_->async_send(batch, [](error_code ec, std::size_t) { EXPECT_FALSE(ec); });
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(take(*dealer_), message{std::to_string(i)});
  }
  run_until([&] { return echoed == count; });
  run_ready();
  router_.close();
  run_until([&] { return end.failed(); });
  EXPECT_EQ(end, errc::socket_closed);
}

TEST_F(router_envelopes, are_received_and_sent_in_batches_without_waiting) {
  message_batch batch;
  EXPECT_FALSE(router_.try_receive_enveloped(batch));
  put(*dealer_, {"question"});
  run_until([&] { return router_.try_receive_enveloped(batch); });
  EXPECT_EQ(batch.size(), 1U) << "the notice of the peer is not in the batch";
  batch.append("B", "to nobody");
  EXPECT_EQ(router_.try_send_enveloped(batch), send_status::queued);
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(take(*dealer_), message{"question"});
  EXPECT_EQ(router_.counters().dropped_unknown, 1U);
}

}  // namespace
}  // namespace zmtp::test
