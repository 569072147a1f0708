#include "zmtp/options.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

namespace zmtp {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using change = std::function<void(socket_options&)>;

constexpr std::size_t two_gib = 1ULL << 31;
constexpr milliseconds year = std::chrono::hours{24 * 365};

error_code judged(const change& c) {
  socket_options options;
  c(options);
  return validate(options);
}

TEST(options, the_defaults_are_valid) { EXPECT_EQ(validate({}), error_code{}); }

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
    EXPECT_EQ(judged(c), error_code{}) << "value " << &c - valid;
  }
}

TEST(options, options_that_peers_have_received_cannot_change) {
  const change notified[] = {
      [](auto& o) { o.routing_id = "another"; },
      [](auto& o) { o.extensions = {"another"}; },
      [](auto& o) { o.announce_peers = true; },
      [](auto& o) { o.correlate = true; },
  };
  for (const auto& c : notified) {
    socket_options to;
    c(to);
    EXPECT_EQ(validate_change({}, to, socket_type::req, false), error_code{})
        << "value " << &c - notified;
    EXPECT_EQ(validate_change({}, to, socket_type::req, true), errc::bad_option)
        << "value " << &c - notified;
  }
  socket_options as_pub;
  as_pub.xpub.announce_as_pub = true;
  EXPECT_EQ(validate_change({}, as_pub, socket_type::xpub, false), error_code{});
  EXPECT_EQ(validate_change({}, as_pub, socket_type::xpub, true), errc::bad_option);
  socket_options last_only;
  last_only.conflate = true;
  EXPECT_EQ(validate_change({}, last_only, socket_type::pull, false), error_code{});
  EXPECT_EQ(validate_change({}, last_only, socket_type::pull, true), errc::bad_option);
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
    EXPECT_EQ(validate_change({}, to, socket_type::router, true), error_code{})
        << "value " << &c - changes;
  }
  socket_options wrong;
  wrong.backlog = 0;
  EXPECT_EQ(validate_change({}, wrong, socket_type::router, true), errc::bad_option);
  EXPECT_EQ(validate_change({}, wrong, socket_type::router, false), errc::bad_option);
  socket_options foreign;
  foreign.relaxed = true;
  EXPECT_EQ(validate_change({}, foreign, socket_type::router, true), errc::bad_option);
}

TEST(options, values_that_no_socket_can_use_are_rejected) {
  const change refused[] = {
      [](auto& o) { o.routing_id = std::string(256, 'a'); },
      [](auto& o) { o.routing_id = std::string("\0a", 2); },
      [](auto& o) { o.routing_id = std::string("\0", 1); },
      [](auto& o) { o.spin = std::chrono::microseconds{-1}; },
      [](auto& o) { o.spin = year + std::chrono::microseconds{1}; },
      [](auto& o) { o.send_mark.messages = 0; },
      [](auto& o) { o.send_mark.bytes = 0; },
      [](auto& o) { o.receive_mark.messages = 0; },
      [](auto& o) { o.receive_mark.bytes = 0; },
      [](auto& o) { o.linger = milliseconds{-1}; },
      [](auto& o) { o.linger = milliseconds::max(); },
      [](auto& o) { o.reconnect.initial = milliseconds{0}; },
      [](auto& o) { o.reconnect.initial = milliseconds{-1}; },
      [](auto& o) { o.reconnect.initial = o.reconnect.maximum + milliseconds{1}; },
      [](auto& o) { o.reconnect.maximum = year + milliseconds{1}; },
      [](auto& o) { o.reconnect.refused_maximum = o.reconnect.initial - milliseconds{1}; },
      [](auto& o) { o.reconnect.refused_maximum = milliseconds::max(); },
      [](auto& o) { o.reconnect.stable = milliseconds{-1}; },
      [](auto& o) { o.reconnect.stop_after = 0; },
      [](auto& o) { o.heartbeat.interval = milliseconds{0}; },
      [](auto& o) { o.heartbeat.interval = milliseconds{-1}; },
      [](auto& o) { o.heartbeat.timeout = milliseconds{0}; },
      [](auto& o) { o.heartbeat.timeout = year + milliseconds{1}; },
      [](auto& o) { o.heartbeat.ttl = heartbeat_options::deciseconds{656}; },
      [](auto& o) { o.heartbeat.ttl = heartbeat_options::deciseconds{-1}; },
      [](auto& o) { o.limit.handshake_silence = milliseconds{0}; },
      [](auto& o) { o.reconnect.stable = milliseconds::max(); },
      [](auto& o) { o.limit.handshake_command_size = 0; },
      [](auto& o) { o.limit.handshake_command_size = two_gib + 1; },
      [](auto& o) { o.limit.handshake_time = milliseconds{0}; },
      [](auto& o) { o.limit.handshake_time = milliseconds{-1}; },
      [](auto& o) { o.limit.handshake_time = milliseconds::max(); },
      [](auto& o) { o.limit.command_size = 0; },
      [](auto& o) { o.limit.command_size = two_gib + 1; },
      [](auto& o) { o.limit.frame_size = 0; },
      [](auto& o) { o.limit.frame_size = two_gib + 1; },
      [](auto& o) { o.limit.message_size = 0; },
      [](auto& o) { o.limit.message_size = two_gib + 1; },
      [](auto& o) { o.limit.message_parts = 0; },
      [](auto& o) { o.limit.message_parts = 65'536; },
      [](auto& o) { o.limit.message_commands = 0; },
      [](auto& o) { o.limit.metadata_properties = 0; },
      [](auto& o) { o.limit.topic_size = 0; },
      [](auto& o) { o.limit.topic_size = two_gib + 1; },
      [](auto& o) { o.limit.ping_context_size = 0; },
      [](auto& o) { o.limit.ping_context_size = two_gib + 1; },
      [](auto& o) { o.limit.pings_per_second = 0; },
      [](auto& o) { o.transport.keepalive->idle = seconds{0}; },
      [](auto& o) { o.transport.keepalive->idle = seconds{32'768}; },
      [](auto& o) { o.transport.keepalive->interval = seconds{0}; },
      [](auto& o) { o.transport.keepalive->interval = seconds{32'768}; },
      [](auto& o) { o.transport.keepalive->count = 0; },
      [](auto& o) { o.transport.keepalive->count = 128; },
      [](auto& o) { o.transport.send_buffer = 0; },
      [](auto& o) { o.transport.receive_buffer = -1; },
      [](auto& o) { o.transport.type_of_service = -1; },
      [](auto& o) { o.transport.type_of_service = 256; },
      [](auto& o) { o.transport.user_timeout = milliseconds{0}; },
      [](auto& o) { o.transport.user_timeout = milliseconds::max(); },
      [](auto& o) { o.transport.file_mode = 01000; },
      [](auto& o) { o.backlog = 0; },
      [](auto& o) { o.backlog = -1; },
      [](auto& o) { o.pending_handshakes = 0; },
      [](auto& o) { o.xpub.last_values = {.topics = 0, .bytes = 1}; },
      [](auto& o) { o.xpub.last_values = {.topics = 1, .bytes = 0}; },
      [](auto& o) {
        o.extensions = {"a", ""};
      },
      [](auto& o) { o.extensions = {"=1"}; },
      [](auto& o) { o.extensions = {"a,b"}; },
      [](auto& o) { o.extensions = {"a b"}; },
      [](auto& o) { o.extensions = {"a\t"}; },
      [](auto& o) { o.extensions = {"\x7f"}; },
      [](auto& o) { o.extensions = {"\xe9"}; },
      [](auto& o) { o.extensions = {std::string("a\0", 2)}; },
      [](auto& o) { o.extensions = {std::string(256, 'a')}; },
      [](auto& o) {
        o.extensions = {std::string(127, 'a'), std::string(128, 'b')};
      },
  };
  for (const auto& c : refused) {
    EXPECT_EQ(judged(c), errc::bad_option) << "value " << &c - refused;
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
      EXPECT_EQ(!validate(options, type), row.having.contains(type))
          << "row " << &row - table << ", " << to_string(type);
    }
  }
}

TEST(options, values_are_checked_for_every_type) {
  socket_options options;
  options.backlog = 0;
  for (const auto type : all_types) {
    EXPECT_FALSE(validate({}, type)) << to_string(type);
    EXPECT_EQ(validate(options, type), errc::bad_option);
  }
}

}  // namespace
}  // namespace zmtp
