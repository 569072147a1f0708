#include "tools/zinc/http/address.h"

#include <gtest/gtest.h>

namespace zinc::http {
namespace {

void expect(std::string_view text, std::string_view found, bool loopback) {
  const auto read = parse_address(text);
  EXPECT_EQ(text_of(read), found) << text;
  EXPECT_EQ(read.loopback, loopback) << text;
}

TEST(http_address, a_port_alone_is_on_the_loopback) {
  expect("9090", "127.0.0.1:9090", true);
  expect("0", "127.0.0.1:0", true);
}

TEST(http_address, hosts_are_ip_addresses_or_localhost) {
  expect("127.0.0.1:80", "127.0.0.1:80", true);
  expect("localhost:80", "127.0.0.1:80", true);
  expect("[::1]:80", "[::1]:80", true);
  expect("10.0.0.1:80", "10.0.0.1:80", false);
  expect("*:80", "0.0.0.0:80", false);
  expect("[::]:80", "[::]:80", false);
}

TEST(http_address, other_texts_name_the_remedy) {
  for (const auto* const text :
       {"", ":", ":80", "x", "80x", "65536", "-1", "1.2.3:80", "::1:80", "[::1]", "[]:80",
        "[1.2.3.4]:80", "example.com:80", "tcp://127.0.0.1:80", "127.0.0.1:", "127.0.0.1: 80"}) {
    try {
      (void)parse_address(text);
      ADD_FAILURE() << text;
    } catch (const address_error& e) {
      EXPECT_EQ(std::string{e.what()},
                "'" + std::string{text} +
                    "' is not an address; give PORT, IP:PORT, [IPv6]:PORT, or *:PORT for all "
                    "addresses");
    }
  }
}

}  // namespace
}  // namespace zinc::http
