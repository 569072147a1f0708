#include "zmtp/options.h"

#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace zmtp {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using change = std::function<void(socket_options&)>;

constexpr std::size_t two_gib = 1ULL << 31;
constexpr milliseconds year = std::chrono::hours{24 * 365};

// The name of the first option with a fault. Empty: none.
std::string_view name_of(const std::optional<option_fault>& fault) {
  return fault ? fault->option : "";
}

TEST(options, the_defaults_are_valid) { EXPECT_EQ(name_of(find_fault({})), ""); }

TEST(options, outermost_values_are_valid) {
  const change valid[] = {
      [](auto& o) { o.routing_id = std::string(255, '\xff'); },
      [](auto& o) { o.routing_id = std::string("a\0", 2); },
      [](auto& o) { o.send_mark = {.messages = {}, .bytes = {}}; },
      [](auto& o) { o.receive_mark = {.messages = 1, .bytes = 1}; },
      [](auto& o) { o.linger.reset(); },
      [](auto& o) { o.linger = milliseconds{0}; },
      [](auto& o) { o.linger = year; },
      [](auto& o) { o.reconnect.stable = milliseconds{0}; },
      [](auto& o) { o.reconnect.stop_after = 1; },
      [](auto& o) { o.heartbeat.interval.reset(); },
      [](auto& o) { o.heartbeat.interval = milliseconds{1}; },
      [](auto& o) { o.heartbeat.timeout = year; },
      [](auto& o) { o.heartbeat.ttl = heartbeat_options::deciseconds{655}; },
      [](auto& o) { o.reconnect = {.initial = year, .maximum = year, .refused_maximum = year}; },
      [](auto& o) { o.limit.handshake_time = milliseconds{1}; },
      [](auto& o) { o.limit.frame_size = two_gib; },
      [](auto& o) { o.limit.message_size = two_gib; },
      [](auto& o) { o.limit.message_parts = 65'535; },
      [](auto& o) { o.limit.message_commands = 1; },
      [](auto& o) { o.limit.metadata_properties = 1; },
      [](auto& o) { o.transport.keepalive.reset(); },
      [](auto& o) {
        o.transport.keepalive = {.idle = seconds{1}, .interval = seconds{1}, .count = 1};
      },
      [](auto& o) {
        o.transport.keepalive = {
            .idle = seconds{32'767}, .interval = seconds{32'767}, .count = 127};
      },
      [](auto& o) { o.transport.send_buffer = 1; },
      [](auto& o) { o.transport.receive_buffer = 1; },
      [](auto& o) { o.transport.type_of_service = 0; },
      [](auto& o) { o.transport.type_of_service = 255; },
      [](auto& o) { o.transport.user_timeout = milliseconds{1}; },
      [](auto& o) { o.transport.user_timeout = std::chrono::hours{24 * 24}; },
      [](auto& o) {
        o.transport.websocket_origins = {"*", "https://a.example:80"};
      },
      [](auto& o) {
        o.transport.tls = {.certificate = "a", .private_key = "b", .server_name = "c"};
      },
      [](auto& o) { o.transport.tls.server_name = std::string(253, 'a'); },
      [](auto& o) { o.transport.file_mode = 0; },
      [](auto& o) { o.transport.file_mode = 0777; },
      [](auto& o) { o.backlog = 1; },
      [](auto& o) { o.spin = std::chrono::microseconds{1}; },
      [](auto& o) { o.spin = year; },
      [](auto& o) { o.pending_handshakes = 1; },
      [](auto& o) {
        o.extensions = {"!~", "a=", "a=1=2", "a"};
      },
      [](auto& o) {
        o.extensions = {std::string(127, 'a'), std::string(127, 'b')};
      },
      [](auto& o) { o.extensions = {std::string(255, 'a')}; },
      [](auto& o) { o.xpub.last_values = {.topics = 1, .bytes = 1}; },
  };
  for (const auto& c : valid) {
    socket_options options;
    c(options);
    EXPECT_EQ(name_of(find_fault(options)), "");
  }
}

TEST(options, options_that_peers_have_received_cannot_change) {
  const struct {
    const char* option;
    socket_type type;
    change set;
  } notified[] = {
      {"routing_id", socket_type::req, [](auto& o) { o.routing_id = "another"; }},
      {"extensions", socket_type::req, [](auto& o) { o.extensions = {"another"}; }},
      {"announce_peers", socket_type::req, [](auto& o) { o.announce_peers = true; }},
      {"correlate", socket_type::req, [](auto& o) { o.correlate = true; }},
      {"conflate", socket_type::pull, [](auto& o) { o.conflate = true; }},
      {"xpub.announce_as_pub", socket_type::xpub, [](auto& o) { o.xpub.announce_as_pub = true; }},
  };
  for (const auto& [option, type, set] : notified) {
    socket_options to;
    set(to);
    EXPECT_EQ(name_of(find_change_fault({}, to, type, false)), "") << option;
    EXPECT_EQ(name_of(find_change_fault({}, to, type, true)), option);
  }
}

TEST(options, everything_else_can_change) {
  const change changes[] = {
      [](auto& o) { o.linger.reset(); },
      [](auto& o) { o.send_mark.messages = 1; },
      [](auto& o) { o.receive_mark.bytes = 1; },
      [](auto& o) { o.reconnect.stop_after = 1; },
      [](auto& o) { o.heartbeat.strict = true; },
      [](auto& o) { o.limit.frame_size = 1; },
      [](auto& o) { o.backlog = 1; },
      [](auto& o) { o.spin = milliseconds{1}; },
      [](auto& o) { o.pending_handshakes = 1; },
      [](auto& o) { o.mandatory = o.handover = true; },
  };
  for (const auto& c : changes) {
    socket_options to;
    c(to);
    EXPECT_EQ(name_of(find_change_fault({}, to, socket_type::router, true)), "");
  }
  socket_options wrong;
  wrong.backlog = 0;
  EXPECT_EQ(name_of(find_change_fault({}, wrong, socket_type::router, true)), "backlog");
  EXPECT_EQ(name_of(find_change_fault({}, wrong, socket_type::router, false)), "backlog");
  socket_options foreign;
  foreign.relaxed = true;
  EXPECT_EQ(name_of(find_change_fault({}, foreign, socket_type::router, true)), "relaxed");
}

TEST(options, values_that_no_socket_can_use_are_rejected) {
  const struct {
    const char* option;
    change set;
  } refused[] = {
      {"routing_id", [](auto& o) { o.routing_id = std::string(256, 'a'); }},
      {"routing_id", [](auto& o) { o.routing_id = std::string("\0a", 2); }},
      {"routing_id", [](auto& o) { o.routing_id = std::string("\0", 1); }},
      {"security", [](auto& o) { o.security = custom_security{}; }},
      {"spin", [](auto& o) { o.spin = std::chrono::microseconds{-1}; }},
      {"spin", [](auto& o) { o.spin = year + std::chrono::microseconds{1}; }},
      {"send_mark.messages", [](auto& o) { o.send_mark.messages = 0; }},
      {"send_mark.bytes", [](auto& o) { o.send_mark.bytes = 0; }},
      {"receive_mark.messages", [](auto& o) { o.receive_mark.messages = 0; }},
      {"receive_mark.bytes", [](auto& o) { o.receive_mark.bytes = 0; }},
      {"linger", [](auto& o) { o.linger = milliseconds{-1}; }},
      {"linger", [](auto& o) { o.linger = milliseconds::max(); }},
      {"reconnect.initial", [](auto& o) { o.reconnect.initial = milliseconds{0}; }},
      {"reconnect.initial", [](auto& o) { o.reconnect.initial = milliseconds{-1}; }},
      {"reconnect.maximum",
       [](auto& o) { o.reconnect.initial = o.reconnect.maximum + milliseconds{1}; }},
      {"reconnect.maximum", [](auto& o) { o.reconnect.maximum = year + milliseconds{1}; }},
      {"reconnect.refused_maximum",
       [](auto& o) { o.reconnect.refused_maximum = o.reconnect.initial - milliseconds{1}; }},
      {"reconnect.refused_maximum",
       [](auto& o) { o.reconnect.refused_maximum = milliseconds::max(); }},
      {"reconnect.stable", [](auto& o) { o.reconnect.stable = milliseconds{-1}; }},
      {"reconnect.stop_after", [](auto& o) { o.reconnect.stop_after = 0; }},
      {"heartbeat.interval", [](auto& o) { o.heartbeat.interval = milliseconds{0}; }},
      {"heartbeat.interval", [](auto& o) { o.heartbeat.interval = milliseconds{-1}; }},
      {"heartbeat.timeout", [](auto& o) { o.heartbeat.timeout = milliseconds{0}; }},
      {"heartbeat.timeout", [](auto& o) { o.heartbeat.timeout = year + milliseconds{1}; }},
      {"heartbeat.ttl", [](auto& o) { o.heartbeat.ttl = heartbeat_options::deciseconds{656}; }},
      {"heartbeat.ttl", [](auto& o) { o.heartbeat.ttl = heartbeat_options::deciseconds{-1}; }},
      {"limit.handshake_silence", [](auto& o) { o.limit.handshake_silence = milliseconds{0}; }},
      {"reconnect.stable", [](auto& o) { o.reconnect.stable = milliseconds::max(); }},
      {"limit.handshake_command_size", [](auto& o) { o.limit.handshake_command_size = 0; }},
      {"limit.handshake_command_size",
       [](auto& o) { o.limit.handshake_command_size = two_gib + 1; }},
      {"limit.handshake_time", [](auto& o) { o.limit.handshake_time = milliseconds{0}; }},
      {"limit.handshake_time", [](auto& o) { o.limit.handshake_time = milliseconds{-1}; }},
      {"limit.handshake_time", [](auto& o) { o.limit.handshake_time = milliseconds::max(); }},
      {"limit.command_size", [](auto& o) { o.limit.command_size = 0; }},
      {"limit.command_size", [](auto& o) { o.limit.command_size = two_gib + 1; }},
      {"limit.frame_size", [](auto& o) { o.limit.frame_size = 0; }},
      {"limit.frame_size", [](auto& o) { o.limit.frame_size = two_gib + 1; }},
      {"limit.message_size", [](auto& o) { o.limit.message_size = 0; }},
      {"limit.message_size", [](auto& o) { o.limit.message_size = two_gib + 1; }},
      {"limit.message_parts", [](auto& o) { o.limit.message_parts = 0; }},
      {"limit.message_parts", [](auto& o) { o.limit.message_parts = 65'536; }},
      {"limit.message_commands", [](auto& o) { o.limit.message_commands = 0; }},
      {"limit.metadata_properties", [](auto& o) { o.limit.metadata_properties = 0; }},
      {"limit.topic_size", [](auto& o) { o.limit.topic_size = 0; }},
      {"limit.topic_size", [](auto& o) { o.limit.topic_size = two_gib + 1; }},
      {"limit.ping_context_size", [](auto& o) { o.limit.ping_context_size = 0; }},
      {"limit.ping_context_size", [](auto& o) { o.limit.ping_context_size = two_gib + 1; }},
      {"limit.pings_per_second", [](auto& o) { o.limit.pings_per_second = 0; }},
      {"transport.keepalive", [](auto& o) { o.transport.keepalive->idle = seconds{0}; }},
      {"transport.keepalive", [](auto& o) { o.transport.keepalive->idle = seconds{32'768}; }},
      {"transport.keepalive", [](auto& o) { o.transport.keepalive->interval = seconds{0}; }},
      {"transport.keepalive", [](auto& o) { o.transport.keepalive->interval = seconds{32'768}; }},
      {"transport.keepalive", [](auto& o) { o.transport.keepalive->count = 0; }},
      {"transport.keepalive", [](auto& o) { o.transport.keepalive->count = 128; }},
      {"transport.send_buffer", [](auto& o) { o.transport.send_buffer = 0; }},
      {"transport.receive_buffer", [](auto& o) { o.transport.receive_buffer = -1; }},
      {"transport.type_of_service", [](auto& o) { o.transport.type_of_service = -1; }},
      {"transport.type_of_service", [](auto& o) { o.transport.type_of_service = 256; }},
      {"transport.user_timeout", [](auto& o) { o.transport.user_timeout = milliseconds{0}; }},
      {"transport.user_timeout", [](auto& o) { o.transport.user_timeout = milliseconds::max(); }},
      {"transport.websocket_origins",
       [](auto& o) {
         o.transport.websocket_origins = {"https://a.example", "a.example"};
       }},
      {"transport.websocket_origins",
       [](auto& o) { o.transport.websocket_origins = {"https://a.example/"}; }},
      {"transport.tls.private_key", [](auto& o) { o.transport.tls.private_key = "b"; }},
      {"transport.tls.server_name",
       [](auto& o) { o.transport.tls.server_name = std::string(254, 'a'); }},
      {"transport.tls.server_name",
       [](auto& o) { o.transport.tls.server_name = std::string("a\0b", 3); }},
      {"transport.tls.server_name", [](auto& o) { o.transport.tls.server_name = "."; }},
      {"transport.tls.server_name", [](auto& o) { o.transport.tls.server_name = ".example.org"; }},
      {"transport.file_mode", [](auto& o) { o.transport.file_mode = 01000; }},
      {"backlog", [](auto& o) { o.backlog = 0; }},
      {"backlog", [](auto& o) { o.backlog = -1; }},
      {"pending_handshakes", [](auto& o) { o.pending_handshakes = 0; }},
      {"xpub.last_values", [](auto& o) { o.xpub.last_values = {.topics = 0, .bytes = 1}; }},
      {"xpub.last_values", [](auto& o) { o.xpub.last_values = {.topics = 1, .bytes = 0}; }},
      {"extensions",
       [](auto& o) {
         o.extensions = {"a", ""};
       }},
      {"extensions", [](auto& o) { o.extensions = {"=1"}; }},
      {"extensions", [](auto& o) { o.extensions = {"a,b"}; }},
      {"extensions", [](auto& o) { o.extensions = {"a b"}; }},
      {"extensions", [](auto& o) { o.extensions = {"a\t"}; }},
      {"extensions", [](auto& o) { o.extensions = {"\x7f"}; }},
      {"extensions", [](auto& o) { o.extensions = {"\xe9"}; }},
      {"extensions", [](auto& o) { o.extensions = {std::string("a\0", 2)}; }},
      {"extensions", [](auto& o) { o.extensions = {std::string(256, 'a')}; }},
      {"extensions",
       [](auto& o) {
         o.extensions = {std::string(127, 'a'), std::string(128, 'b')};
       }},
      {"limit.subscriptions", [](auto& o) { o.limit.subscriptions = 0; }},
      {"limit.subscription_bytes", [](auto& o) { o.limit.subscription_bytes = 0; }},
      {"disconnect_slow", [](auto& o) { o.disconnect_slow = o.no_drop = true; }},
      {"disconnect_slow", [](auto& o) { o.disconnect_slow = o.conflate = true; }},
  };
  for (const auto& [option, set] : refused) {
    socket_options options;
    set(options);
    const auto fault = find_fault(options);
    ASSERT_TRUE(fault) << option;
    EXPECT_EQ(fault->option, option);
    EXPECT_NE(fault->rule, "");
  }
}

constexpr socket_type all_types[] = {
    socket_type::pair, socket_type::pub,    socket_type::sub,    socket_type::req,
    socket_type::rep,  socket_type::dealer, socket_type::router, socket_type::pull,
    socket_type::push, socket_type::xpub,   socket_type::xsub,
};

TEST(options, a_type_accepts_only_the_options_that_it_has) {
  using enum socket_type;
  const struct {
    change set;
    std::set<socket_type> having;
  } table[] = {
      {[](auto& o) { o.routing_id = "me"; }, {req, dealer, router}},
      {[](auto& o) { o.mandatory = true; }, {router, xpub}},
      {[](auto& o) { o.handover = true; }, {router}},
      {[](auto& o) { o.relaxed = true; }, {req}},
      {[](auto& o) { o.correlate = true; }, {req}},
      {[](auto& o) { o.no_drop = true; }, {pub, xpub}},
      {[](auto& o) { o.disconnect_slow = true; }, {pub, xpub}},
      {[](auto& o) { o.disconnect_slow = o.no_drop = true; }, {}},
      {[](auto& o) { o.disconnect_slow = o.conflate = true; }, {}},
      {[](auto& o) { o.probe_router = true; }, {router, dealer, req}},
      {[](auto& o) { o.conflate = true; }, {pub, sub, push, pull, dealer}},
      {[](auto& o) { o.immediate = true; }, {push, dealer, req, socket_type::pair, router, xsub}},
      {[](auto& o) { o.policy = send_policy::least_queued; }, {push, dealer}},
      {[](auto& o) { o.hello_message = {"hello"}; }, {router, dealer, push, socket_type::pair}},
      {[](auto& o) { o.disconnect_message = {"bye"}; },
       {router, dealer, pull, socket_type::pair, xsub}},
      {[](auto& o) { o.xpub.notifications = xpub_options::notices::all; }, {xpub}},
      {[](auto& o) { o.xpub.manual = true; }, {xpub}},
      {[](auto& o) { o.xpub.announce_as_pub = true; }, {xpub}},
      {[](auto& o) { o.xpub.welcome = {"welcome"}; }, {xpub}},
      {[](auto& o) { o.xpub.last_values.emplace(); }, {xpub}},
      {[](auto& o) { o.xpub.last_values_of = xpub_options::matching::topic; }, {xpub}},
  };
  for (const auto& row : table) {
    for (const auto type : all_types) {
      socket_options options;
      row.set(options);
      EXPECT_EQ(!find_fault(options, type), row.having.contains(type))
          << "row " << &row - table << ", " << to_string(type);
    }
  }
}

TEST(options, values_are_checked_for_every_type) {
  socket_options options;
  options.backlog = 0;
  for (const auto type : all_types) {
    EXPECT_EQ(name_of(find_fault({}, type)), "") << to_string(type);
    EXPECT_EQ(name_of(find_fault(options, type)), "backlog");
  }
}

TEST(options, the_error_names_the_socket_the_option_and_the_rule) {
  socket_options options;
  options.relaxed = true;
  const auto fault = find_fault(options, socket_type::router);
  ASSERT_TRUE(fault);
  try {
    refuse(*fault, "ROUTER");
  } catch (const boost::system::system_error& e) {
    EXPECT_EQ(e.code(), errc::bad_option);
    EXPECT_TRUE(std::string_view{e.what()}.starts_with("ROUTER: option relaxed does not exist"))
        << e.what();
    return;
  }
  FAIL() << "nothing was thrown";
}

}  // namespace
}  // namespace zmtp
