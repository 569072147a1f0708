#include "zmtp/endpoint.h"

#include "test/support/octets.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <random>
#include <string>

namespace zmtp {
namespace {

using test::for_each_changed_octet;
using test::for_each_truncation;

struct accepted_text {
  std::string text;
  std::string host;
  std::uint16_t port;
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
};

TEST(endpoint, reads_names_addresses_and_wildcards) {
  for (const auto& [text, host, port] : accepted) {
    const auto parsed = endpoint::parse(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed->host, host) << text;
    EXPECT_EQ(parsed->port, port) << text;
  }
}

TEST(endpoint, is_written_as_it_is_read) {
  for (const auto& [text, host, port] : accepted) {
    const endpoint e{host, port};
    const auto again = endpoint::parse(e.to_string());
    ASSERT_TRUE(again) << e.to_string();
    EXPECT_EQ(*again, e);
  }
  EXPECT_EQ((endpoint{"localhost", 5555}.to_string()), "tcp://localhost:5555");
  EXPECT_EQ((endpoint{"fe80::1%eth0", 80}.to_string()), "tcp://[fe80::1%eth0]:80");
  EXPECT_EQ((endpoint{"*", 0}.to_string()), "tcp://*:0");
}

TEST(endpoint, refuses_what_is_no_endpoint) {
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
           "tcp://a;b:5555"s,
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
       }) {
    const auto parsed = endpoint::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error(), errc::bad_endpoint) << text;
  }
}

TEST(endpoint, names_the_transport_that_is_missing) {
  for (const std::string text : {"ipc:///tmp/socket", "inproc://a", "ws://localhost:80",
                                 "TCP://localhost:1", "tcp2://", "udp://*:1", "vmci://*:*"}) {
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

TEST(endpoint, connects_only_where_host_and_port_are_named) {
  EXPECT_TRUE((endpoint{"localhost", 5555}.connectable()));
  EXPECT_FALSE((endpoint{"localhost", 0}.connectable()));
  EXPECT_FALSE((endpoint{"*", 5555}.connectable()));
}

// What is accepted, however it came about, means the same after writing and reading.
void expect_defined(std::string_view text) {
  const auto parsed = endpoint::parse(text);
  if (parsed) {
    const auto again = endpoint::parse(parsed->to_string());
    ASSERT_TRUE(again) << text;
    EXPECT_EQ(*again, *parsed) << text;
  } else {
    EXPECT_TRUE(parsed.error() == errc::bad_endpoint || parsed.error() == errc::unknown_transport)
        << text;
  }
}

TEST(endpoint, any_truncation_or_changed_octet_has_a_defined_result) {
  for (const auto& [text, host, port] : accepted) {
    for_each_truncation(text, expect_defined);
    for_each_changed_octet(text, expect_defined);
  }
}

TEST(endpoint, agrees_with_the_system_on_what_an_address_is) {
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
