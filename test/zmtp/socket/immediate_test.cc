// immediate over loopback: messages go only to established connections.

#include "test/support/pattern_test.h"
#include "zmtp/socket/pipeline_sockets.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using immediate = pattern_test;

TEST_F(immediate, messages_go_to_connected_peers_and_not_to_pending_endpoints) {
  // A port that the system chose a moment ago.
  const auto nobody = router_socket{executor()}.bind("tcp://127.0.0.1:*").to_string();
  run_ready();
  for (const auto only_connected : {false, true}) {
    auto options = impatient();
    options.immediate = only_connected;
    push_socket push{executor(), options};
    push.connect(nobody);
    std::optional<error_code> end;
    push.async_send({"first"}, [&](error_code ec) { end = ec; });
    run_ready();
    EXPECT_EQ(end.has_value(), !only_connected);
    pull_socket pull{executor()};
    join(pull, push);
    put(push, {"second"});
    put(push, {"third"});
    // Otherwise, the first two messages wait for the endpoint without a listener.
    EXPECT_EQ(take(pull).front(), only_connected ? "first" : "third");
    push.close(std::chrono::milliseconds{0});
    run_until([&] { return end.has_value(); });
  }
}

// The messages name the routing id of the server.
TEST_F(immediate, a_router_queues_nothing_for_a_disconnected_server) {
  for (const auto mandatory : {false, true}) {
    const auto at = reserve();
    socket_options named;
    named.routing_id = "server";
    std::optional<dealer_socket> server{std::in_place, executor(), named};
    server->bind(at);
    auto options = impatient();
    options.immediate = true;
    options.mandatory = mandatory;
    options.announce_peers = true;
    router_socket router{executor(), options};
    router.connect(at);
    ASSERT_EQ(receive(router).what, routed_message::kind::attached);
    EXPECT_EQ(router.try_send(message{"server", "there"}), send_status::queued);
    EXPECT_EQ(receive(*server), message{"there"});

    server.reset();
    ASSERT_EQ(receive(router).what, routed_message::kind::detached);
    EXPECT_EQ(router.try_send(message{"server", "gone"}),
              mandatory ? send_status::unknown : send_status::queued);
    std::optional<error_code> end;
    auto batch = batch_of({message{"server", "gone, too"}});
    router.async_send_enveloped(batch, [&](error_code ec, std::size_t) { end = ec; });
    run_until([&] { return end.has_value(); });
    EXPECT_EQ(end, mandatory ? make_error_code(errc::host_unreachable) : error_code{});
    EXPECT_EQ(router.counters().dropped_unknown, mandatory ? 0U : 2U);
    EXPECT_EQ(router.counters().messages_sent, 1U);

    server.emplace(executor(), named).bind(at);
    ASSERT_EQ(receive(router).what, routed_message::kind::attached);
    EXPECT_EQ(router.try_send(message{"server", "back"}), send_status::queued);
    EXPECT_EQ(receive(*server), message{"back"}) << "and nothing before it";
  }
}

}  // namespace
}  // namespace zmtp::test
