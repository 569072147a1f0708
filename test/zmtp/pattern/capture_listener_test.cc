// A listener on a proxy: everything that passes, either way.

#include "test/support/pattern_test.h"
#include "zmtp/pattern/last_value_cache.h"
#include "zmtp/socket/proxy.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace zmtp::test {
namespace {

class capture_listener_test : public pattern_test {};

TEST_F(capture_listener_test, receives_messages_and_subscriptions_without_a_loss) {
  std::vector<message> received;
  capture_listener listener{executor(), [&](const message& m) { received.push_back(m); }};
  pub_socket publisher{executor()};
  sub_socket subscriber{executor()};
  xsub_socket frontend{executor()};
  xpub_socket backend{executor()};
  join(publisher, frontend);
  join(backend, subscriber);
  proxy p{frontend, backend};
  p.capture_to(listener);
  std::optional<error_code> end;
  p.async_run([&](error_code ec) { end = ec; });

  subscriber.subscribe("B");
  run_until([&] { return publisher.subscribers("B") == 1; });
  put(publisher, {"A-00001"});
  put(publisher, {"B-00002", "part"});
  EXPECT_EQ(take(subscriber), (message{"B-00002", "part"}));
  subscriber.close();
  run_until([&] { return received.size() == 3; });
  EXPECT_EQ(received,
            (std::vector<message>{{"\1B"}, {"B-00002", "part"}, {std::string{"\0B", 2}}}));
  p.terminate();
  run_until([&] { return end.has_value(); });
}

TEST_F(capture_listener_test, a_batch_is_passed_on_and_freed) {
  std::size_t received = 0;
  capture_listener listener{executor(), [&](const message&) { ++received; }};
  message_batch batch;
  batch.append("a");
  batch.append("b");
  std::optional<std::size_t> taken;
  listener.async_send(batch, [&](error_code, std::size_t count) { taken = count; });
  run_until([&] { return taken.has_value(); });
  EXPECT_EQ(taken, 2U);
  EXPECT_EQ(received, 2U);
  EXPECT_TRUE(batch.empty());
}

}  // namespace
}  // namespace zmtp::test
