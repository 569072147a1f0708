#include "zmtp/socket/message_ends.h"

#include "test/support/pattern_test.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <deque>
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

// Receives routed messages only, as an XPUB does.
struct tells_peers_apart {
  [[nodiscard]] asio::any_io_executor get_executor() const { return {}; }
  [[nodiscard]] bool readable() const { return !waiting.empty(); }
  [[nodiscard]] bool try_receive(routed_message& to) {
    if (waiting.empty()) {
      return false;
    }
    to = std::move(waiting.front());
    waiting.pop_front();
    return true;
  }
  void async_wait_readable(const done_handler&) {}

  std::deque<routed_message> waiting;
};

TEST(source, passes_over_attach_and_detach_where_there_is_no_envelope) {
  using kind = routed_message::kind;
  tells_peers_apart socket;
  const auto source = source_of(socket);
  message m;
  EXPECT_FALSE(source->try_receive(m));
  for (const auto what : {kind::attached, kind::message, kind::detached, kind::attached}) {
    auto& next = socket.waiting.emplace_back();
    next.what = what;
    if (what == kind::message) {
      next.content = message{"\1topic"};
    }
  }
  EXPECT_TRUE(source->readable());
  EXPECT_TRUE(source->try_receive(m));
  EXPECT_EQ(m, message{"\1topic"});
  EXPECT_FALSE(source->try_receive(m));
  EXPECT_FALSE(source->readable());
}

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
  std::vector<message> batch;
  for (std::size_t i = 0; i < count; ++i) {
    batch.push_back(message{std::to_string(i)});
  }
  std::vector<message> got;
  std::size_t echoed = 0;
  error_code end;
  const auto echo = [&](const auto& self) -> void {
    router_.async_receive(got, [&](error_code ec, std::size_t n) {
      if (ec) {
        end = ec;
        return;
      }
      router_.async_send(got, [&, n](error_code why, std::size_t sent) {
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

}  // namespace
}  // namespace zmtp::test
