#include "zmtp/endpoint.h"

#include "test/support/bytes.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <optional>
#include <random>
#include <string>

namespace zmtp {
namespace {

using test::for_each_changed_byte;
using test::for_each_truncation;

struct accepted_text {
  std::string text;
  std::string host;
  std::uint16_t port;
  std::optional<host_port> source{};

  [[nodiscard]] endpoint meant() const { return {tcp_address{host, port, source}}; }
};

const accepted_text accepted[] = {
    {"tcp://localhost:5555", "localhost", 5555},
    {"tcp://127.0.0.1:1", "127.0.0.1", 1},
    {"tcp://255.255.255.255:65535", "255.255.255.255", 65535},
    {"tcp://*:5555", "*", 5555},
    {"tcp://*:*", "*", 0},
    {"tcp://*:0", "*", 0},
    {"tcp://0.0.0.0:*", "0.0.0.0", 0},
    {"tcp://localhost:05555", "localhost", 5555},
    {"tcp://Broker-1.example.org:5555", "Broker-1.example.org", 5555},
    {"tcp://example.org.:5555", "example.org.", 5555},
    {"tcp://my_service:5555", "my_service", 5555},
    {"tcp://3com.example:5555", "3com.example", 5555},
    {"tcp://eth0:5555", "eth0", 5555},
    {"tcp://[::1]:5555", "::1", 5555},
    {"tcp://[::]:*", "::", 0},
    {"tcp://[2001:db8::8a2e:370:7334]:5555", "2001:db8::8a2e:370:7334", 5555},
    {"tcp://[2001:DB8:1:2:3:4:5:6]:5555", "2001:DB8:1:2:3:4:5:6", 5555},
    {"tcp://[::ffff:192.0.2.1]:5555", "::ffff:192.0.2.1", 5555},
    {"tcp://[fe80::1%eth0]:5555", "fe80::1%eth0", 5555},
    {"tcp://[fe80::1%2]:5555", "fe80::1%2", 5555},
    {"tcp://eth0.100:5555", "eth0.100", 5555},
    {"tcp://192.0.2.1:7000;broker:5555", "broker", 5555, host_port{"192.0.2.1", 7000}},
    {"tcp://192.0.2.1:0;broker:5555", "broker", 5555, host_port{"192.0.2.1", 0}},
    {"tcp://192.0.2.1:*;broker:5555", "broker", 5555, host_port{"192.0.2.1", 0}},
    {"tcp://192.0.2.1;broker:5555", "broker", 5555, host_port{"192.0.2.1", 0}},
    {"tcp://[fe80::1%eth0];[fe80::2%eth0]:1", "fe80::2%eth0", 1, host_port{"fe80::1%eth0", 0}},
    {"tcp://[::1]:7;[::1]:8", "::1", 8, host_port{"::1", 7}},
    {"tcp://eth0;broker:5555", "broker", 5555, host_port{"eth0", 0}},
    {"tcp://*:7000;broker:5555", "broker", 5555, host_port{"*", 7000}},
};

const std::string accepted_names[] = {
    "ipc:///run/zinc/broker",
    "ipc://relative/path",
    "ipc://@abstract",
    "ipc://@a/b@c",
    "ipc://*",
    "ipc:///tmp/with blank;and:colon",
    "ipc:///tmp/h\xc3\xb6st",
    "ipc://a",
    "inproc://a",
    "inproc://zeromq.zap.01",
    "inproc://with blank;*@",
    "inproc://@",
    "inproc://inproc://a",
};

TEST(endpoint, reads_names_addresses_wildcards_and_sources) {
  for (const auto& each : accepted) {
    const auto parsed = endpoint::parse(each.text);
    ASSERT_TRUE(parsed) << each.text;
    EXPECT_EQ(*parsed, each.meant()) << each.text;
    ASSERT_NE(parsed->tcp(), nullptr);
    EXPECT_EQ(parsed->tcp()->host, each.host) << each.text;
    EXPECT_EQ(parsed->tcp()->port, each.port) << each.text;
    EXPECT_EQ(parsed->ipc(), nullptr);
    EXPECT_EQ(parsed->inproc(), nullptr);
  }
}

TEST(endpoint, reads_the_path_of_a_websocket) {
  const struct {
    const char* text;
    ws_address meant;
    const char* written;
  } cases[]{
      {"ws://localhost:5555", {"localhost", 5555, "/"}, "ws://localhost:5555/"},
      {"ws://127.0.0.1:80/a/b", {"127.0.0.1", 80, "/a/b"}, "ws://127.0.0.1:80/a/b"},
      {"ws://[::1]:5555/", {"::1", 5555, "/"}, "ws://[::1]:5555/"},
      {"ws://[fe80::1%eth0]:1/%20~", {"fe80::1%eth0", 1, "/%20~"}, "ws://[fe80::1%eth0]:1/%20~"},
      {"ws://*:*/a:1", {"*", 0, "/a:1"}, "ws://*:0/a:1"},
  };
  for (const auto& [text, meant, written] : cases) {
    const auto parsed = endpoint::parse(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(*parsed, endpoint{meant}) << text;
    EXPECT_EQ(*parsed->ws(), meant) << text;
    EXPECT_EQ(parsed->tcp(), nullptr);
    EXPECT_EQ(parsed->to_string(), written);
    EXPECT_EQ(*parsed->carrier().tcp(), (tcp_address{meant.host, meant.port})) << text;
    EXPECT_TRUE(parsed->bindable()) << text;
    EXPECT_EQ(parsed->connectable(), meant.port != 0) << text;
  }
  const endpoint ws{ws_address{"*", 0, "/a"}};
  EXPECT_EQ(ws.over({tcp_address{"0.0.0.0", 7}}).to_string(), "ws://0.0.0.0:7/a");
  const endpoint tcp{tcp_address{"*", 0}};
  EXPECT_EQ(tcp.carrier(), tcp);
  EXPECT_EQ(tcp.over({tcp_address{"0.0.0.0", 7}}).to_string(), "tcp://0.0.0.0:7");
  EXPECT_FALSE((endpoint{ws_address{"*", 7}}.connectable()));
}

TEST(endpoint, reads_tls_over_tcp_and_below_a_websocket) {
  const struct {
    const char* text;
    endpoint meant;
    const char* host;
    tcp_address carrier;
  } cases[]{
      {"tls+tcp://a.example:5",
       {tcp_address{"a.example", 5, {}, true}},
       "a.example",
       {"a.example", 5}},
      {"tls+tcp://[::1]:7;a:5",
       {tcp_address{"a", 5, host_port{"::1", 7}, true}},
       "a",
       {"a", 5, host_port{"::1", 7}}},
      {"wss://a:5/path", {ws_address{"a", 5, "/path", true}}, "a", {"a", 5}},
  };
  for (const auto& [text, meant, host, carrier] : cases) {
    const auto parsed = endpoint::parse(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(*parsed, meant) << text;
    EXPECT_EQ(parsed->to_string(), text);
    ASSERT_NE(parsed->tls_host(), nullptr);
    EXPECT_EQ(*parsed->tls_host(), host);
    EXPECT_EQ(*parsed->carrier().tcp(), carrier) << text;
    EXPECT_EQ(parsed->carrier().tls_host(), nullptr);
    EXPECT_TRUE(parsed->connectable());
  }
  const auto bound = [](const char* text) {
    return endpoint::parse(text)->over({tcp_address{"0.0.0.0", 7}}).to_string();
  };
  EXPECT_EQ(bound("tls+tcp://*:*"), "tls+tcp://0.0.0.0:7");
  EXPECT_EQ(bound("wss://*:*/a"), "wss://0.0.0.0:7/a");
  for (const auto* const text : {"tcp://a:1", "ws://a:1", "ipc://a", "inproc://a"}) {
    EXPECT_EQ(endpoint::parse(text)->tls_host(), nullptr) << text;
  }
  EXPECT_EQ(endpoint::parse("tls://a:1").error(), errc::unknown_transport);
}

TEST(endpoint, rejects_a_path_that_a_request_cannot_have) {
  for (const std::string path : {" ", "/a b", "/a\r\n", "/h\xc3\xb6st", "/a?b", "/a#b", "/\x7f"}) {
    EXPECT_EQ(endpoint::parse("ws://localhost:5555" + path).error(), errc::bad_endpoint) << path;
  }
  EXPECT_EQ(endpoint::parse("ws://localhost").error(), errc::bad_endpoint);
  EXPECT_EQ(endpoint::parse("ws://eth0;localhost:5555/").error(), errc::bad_endpoint) << "a source";
  const std::string longest(ws_address::max_path - 1, 'a');
  EXPECT_TRUE(endpoint::parse("ws://a:1/" + longest));
  EXPECT_EQ(endpoint::parse("ws://a:1/a" + longest).error(), errc::address_too_long);
}

TEST(endpoint, reads_paths_and_names_as_they_are) {
  for (const auto& text : accepted_names) {
    const auto parsed = endpoint::parse(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed->to_string(), text);
    const auto rest = text.substr(text.find("://") + 3);
    if (text.starts_with("ipc")) {
      EXPECT_EQ(*parsed, endpoint{ipc_address{rest}}) << text;
      EXPECT_EQ(parsed->ipc()->abstract(), rest.front() == '@') << text;
    } else {
      EXPECT_EQ(*parsed, endpoint{inproc_address{rest}}) << text;
    }
    EXPECT_EQ(parsed->tcp(), nullptr);
  }
}

TEST(endpoint, is_written_as_it_is_read) {
  for (const auto& each : accepted) {
    const auto written = each.meant().to_string();
    const auto again = endpoint::parse(written);
    ASSERT_TRUE(again) << written;
    EXPECT_EQ(*again, each.meant());
  }
  const auto text = [](auto... parts) { return endpoint{tcp_address{parts...}}.to_string(); };
  EXPECT_EQ(text("localhost", std::uint16_t{5555}), "tcp://localhost:5555");
  EXPECT_EQ(text("fe80::1%eth0", std::uint16_t{80}), "tcp://[fe80::1%eth0]:80");
  EXPECT_EQ(text("*", std::uint16_t{0}), "tcp://*:0");
  EXPECT_EQ(text("a", std::uint16_t{1}, host_port{"::1", 2}), "tcp://[::1]:2;a:1");
}

TEST(endpoint, rejects_malformed_endpoints) {
  using namespace std::string_literals;
  for (const auto& text : {
           ""s,
           "localhost:5555"s,
           "://localhost:5555"s,
           "tcp:/localhost:5555"s,
           "tcp:localhost:5555"s,
           " tcp://localhost:5555"s,
           "t cp://localhost:5555"s,
           "tcp://"s,
           "tcp://localhost"s,
           "tcp://localhost:"s,
           "tcp://:5555"s,
           "tcp://:"s,
           "tcp://localhost:65536"s,
           "tcp://localhost:4294972851"s,
           "tcp://localhost:99999999999999999999999999"s,
           "tcp://localhost:-1"s,
           "tcp://localhost:+1"s,
           "tcp://localhost: 1"s,
           "tcp://localhost:1 "s,
           "tcp://localhost:0x50"s,
           "tcp://localhost:5555/"s,
           "tcp://localhost:5555/path"s,
           "tcp://localhost:**"s,
           "tcp://localhost:5555\0"s,
           "tcp://local\0host:5555"s,
           "tcp://local host:5555"s,
           "tcp://local/host:5555"s,
           "tcp://user@host:5555"s,
           "tcp://**:5555"s,
           "tcp://*.example.org:5555"s,
           "tcp://h\xc3\xb6st:5555"s,
           "tcp://.:5555"s,
           "tcp://.example.org:5555"s,
           "tcp://example..org:5555"s,
           "tcp://example.org..:5555"s,
           "tcp://"s + std::string(64, 'a') + ":5555",
           "tcp://"s + std::string(63, 'a') + "." + std::string(63, 'a') + "." +
               std::string(63, 'a') + "." + std::string(62, 'a') + ":5555",
           "tcp://256.0.0.1:5555"s,
           "tcp://1.2.3:5555"s,
           "tcp://1.2.3.4.5:5555"s,
           "tcp://1.2.3.04:5555"s,
           "tcp://1.2.3.4.:5555"s,
           "tcp://1.2.3.:5555"s,
           "tcp://12345:5555"s,
           "tcp://::1:5555"s,
           "tcp://fe80::1%eth0:5555"s,
           "tcp://[]:5555"s,
           "tcp://[:5555"s,
           "tcp://]:5555"s,
           "tcp://[::1:5555"s,
           "tcp://::1]:5555"s,
           "tcp://[::1]"s,
           "tcp://[::1]5555"s,
           "tcp://[[::1]]:5555"s,
           "tcp://[localhost]:5555"s,
           "tcp://[127.0.0.1]:5555"s,
           "tcp://[*]:5555"s,
           "tcp://[::1]x:5555"s,
           "tcp://[::1%]:5555"s,
           "tcp://[::1%a%b]:5555"s,
           "tcp://[::1%a b]:5555"s,
           "tcp://[%eth0]:5555"s,
           "tcp://[::1%"s + std::string(65, 'e') + "]:5555",
           "tcp://eth0.:*x"s,
           "tcp://;localhost:5555"s,
           "tcp://127.0.0.1;"s,
           "tcp://127.0.0.1;localhost"s,
           "tcp://127.0.0.1:;localhost:5555"s,
           "tcp://127.0.0.1:65536;localhost:5555"s,
           "tcp://127.0.0.1:1;localhost:5555;"s,
           "tcp://127.0.0.1;127.0.0.1;localhost:5555"s,
           "tcp://::1;localhost:5555"s,
           "tcp://1.2.3;localhost:5555"s,
           "ipc://"s,
           "ipc://@"s,
           "ipc:///tmp/a\0"s,
           "ipc://\0abstract"s,
           "ipc:/tmp/a"s,
           "inproc://"s,
           "inproc://a\0b"s,
           "inproc:a"s,
       }) {
    const auto parsed = endpoint::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error(), errc::bad_endpoint) << text;
  }
}

TEST(endpoint, names_the_transport_that_is_missing) {
  for (const std::string text : {"tls://localhost:80", "IPC:///tmp/a", "TCP://localhost:1",
                                 "tcp2://", "udp://*:1", "vmci://*:*"}) {
    const auto parsed = endpoint::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error(), errc::unknown_transport) << text;
  }
}

TEST(endpoint, name_of_the_longest_allowed_size_is_read) {
  const auto label = std::string(63, 'a');
  const auto longest = label + "." + label + "." + label + "." + std::string(61, 'a');
  ASSERT_EQ(longest.size(), 253U);
  EXPECT_TRUE(endpoint::parse("tcp://" + longest + ":1"));
}

TEST(endpoint, names_the_path_or_name_that_is_too_long) {
  const std::string long_path(107, 'a');
  const std::string long_name(255, 'a');
  EXPECT_TRUE(endpoint::parse("ipc://" + long_path));
  EXPECT_TRUE(endpoint::parse("ipc://@" + long_path.substr(1)));
  EXPECT_TRUE(endpoint::parse("inproc://" + long_name));
  for (const auto& text :
       {"ipc://a" + long_path, "ipc://@" + long_path, "inproc://a" + long_name}) {
    const auto parsed = endpoint::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error(), errc::address_too_long) << text;
  }
}

TEST(endpoint, connects_only_where_nothing_is_left_to_be_chosen) {
  for (const std::string text : {"tcp://localhost:5555", "tcp://127.0.0.1;localhost:5555",
                                 "ipc:///tmp/a", "ipc://@a", "inproc://*"}) {
    EXPECT_TRUE(endpoint::parse(text)->connectable()) << text;
  }
  for (const std::string text : {"tcp://localhost:0", "tcp://*:5555", "ipc://*"}) {
    EXPECT_FALSE(endpoint::parse(text)->connectable()) << text;
  }
}

TEST(endpoint, binds_only_without_a_source) {
  for (const std::string text : {"tcp://*:*", "tcp://localhost:5555", "ipc://*", "inproc://a"}) {
    EXPECT_TRUE(endpoint::parse(text)->bindable()) << text;
  }
  EXPECT_FALSE(endpoint::parse("tcp://127.0.0.1;localhost:5555")->bindable());
}

// An accepted endpoint from any source means the same after writing and reading.
void expect_defined_endpoint(std::string_view text) {
  const auto parsed = endpoint::parse(text);
  if (parsed) {
    const auto again = endpoint::parse(parsed->to_string());
    ASSERT_TRUE(again) << text;
    EXPECT_EQ(*again, *parsed) << text;
  } else {
    EXPECT_TRUE(parsed.error() == errc::bad_endpoint || parsed.error() == errc::unknown_transport ||
                parsed.error() == errc::address_too_long)
        << text;
  }
}

TEST(endpoint, any_truncation_or_changed_byte_has_a_defined_result) {
  for (const auto& each : accepted) {
    for_each_truncation(each.text, expect_defined_endpoint);
    for_each_changed_byte(each.text, expect_defined_endpoint);
  }
  for (const auto& text : accepted_names) {
    for_each_truncation(text, expect_defined_endpoint);
    for_each_changed_byte(text, expect_defined_endpoint);
  }
}

TEST(endpoint, agrees_with_the_system_on_addresses) {
  std::mt19937 random{1};
  const auto pick = [&](std::size_t n) { return random() % n; };
  const std::string pieces[] = {"0",   "1", "12", "255", "256", "f00d", "10000",   "01",
                                ":",   ":", ":",  "::",  ".",   ".",    "1.2.3.4", "1:2:3:4:5:6:7",
                                "ffff"};
  int agreed_on_an_address = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string text;
    for (auto left = 1 + pick(9); left > 0; --left) {
      text += pieces[pick(std::size(pieces))];
    }
    in6_addr six{};
    const bool is_six = ::inet_pton(AF_INET6, text.c_str(), &six) == 1;
    ASSERT_EQ(endpoint::parse("tcp://[" + text + "]:1").has_value(), is_six) << text;
    in_addr four{};
    const bool is_four = ::inet_pton(AF_INET, text.c_str(), &four) == 1;
    const bool numeric = text.find_first_not_of("0123456789.") == std::string::npos;
    if (numeric) {
      ASSERT_EQ(endpoint::parse("tcp://" + text + ":1").has_value(), is_four) << text;
    }
    agreed_on_an_address += is_six || is_four ? 1 : 0;
  }
  EXPECT_GT(agreed_on_an_address, 1000);
}

}  // namespace
}  // namespace zmtp
