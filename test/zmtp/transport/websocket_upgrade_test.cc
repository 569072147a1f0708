#include "zmtp/transport/websocket_upgrade.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>

namespace zmtp::transport {
namespace {

using websocket::side;

// The key and its response of RFC 6455 section 1.3.
constexpr std::string_view request_fields =
    "Host: server.example.com\r\n"
    "Upgrade: websocket\r\n"
    "Connection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    "Sec-WebSocket-Version: 13\r\n";

std::string request(std::string_view further, std::string_view target = "/chat") {
  std::string all{"GET "};
  return all.append(target).append(" HTTP/1.1\r\n").append(request_fields).append(further) + "\r\n";
}

std::string offer(std::string_view protocols) {
  return "Sec-WebSocket-Protocol: " + std::string{protocols} + "\r\n";
}

upgrade_terms terms(std::string_view mechanism = "NULL") {
  return {.at = {"server.example.com", 80, "/chat"}, .mechanism = std::string{mechanism}};
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

// ZWS-3
TEST(websocket_upgrade, the_server_proves_that_it_understands) {
  const auto answer = answer_upgrade(request(offer("ZWS2.0")), terms());
  EXPECT_FALSE(answer.fault);
  EXPECT_EQ(answer.chosen, sub_protocol::without_mechanism);
  EXPECT_EQ(answer.response,
            "HTTP/1.1 101 Switching Protocols\r\n"
            "Upgrade: websocket\r\n"
            "Connection: Upgrade\r\n"
            "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
            "Sec-WebSocket-Protocol: ZWS2.0\r\n"
            "\r\n");
}

// ZWS-2
TEST(websocket_upgrade, the_server_prefers_a_sub_protocol_with_a_mechanism) {
  const struct {
    std::string offers;
    const char* mechanism;
    std::string chosen;  // empty: none
  } cases[]{
      {offer("ZWS2.0/NULL,ZWS2.0"), "NULL", "ZWS2.0/NULL"},
      {offer("ZWS2.0 , ZWS2.0/NULL"), "NULL", "ZWS2.0/NULL"},
      {offer("ZWS2.0") + offer("ZWS2.0/NULL"), "NULL", "ZWS2.0/NULL"},
      {offer("chat,, \tZWS2.0/NULL\t"), "NULL", "ZWS2.0/NULL"},
      {offer("ZWS2.0/CURVE") + offer("ZWS2.0"), "NULL", "ZWS2.0"},
      {offer("ZWS2.0,ZWS2.0/PLAIN"), "PLAIN", "ZWS2.0/PLAIN"},
      {offer("ZWS2.0/CURVE"), "CURVE", "ZWS2.0/CURVE"},
      {offer("ZWS2.0"), "PLAIN", ""},
      {offer("ZWS2.0/NULL"), "CURVE", ""},
      {offer("ZWS1.0"), "NULL", ""},
      {offer("zws2.0"), "NULL", ""},
      {"", "NULL", ""},
  };
  for (const auto& [offers, mechanism, chosen] : cases) {
    const auto answer = answer_upgrade(request(offers), terms(mechanism));
    if (chosen.empty()) {
      EXPECT_EQ(answer.fault, errc::mechanism_mismatch) << offers;
      EXPECT_TRUE(answer.response.starts_with("HTTP/1.1 400 ")) << offers;
    } else {
      EXPECT_FALSE(answer.fault) << offers;
      EXPECT_NE(answer.response.find("Protocol: " + chosen + "\r\n"), std::string::npos) << offers;
      EXPECT_EQ(answer.chosen == sub_protocol::without_mechanism, chosen == "ZWS2.0") << offers;
    }
  }
}

// ZWS-3
TEST(websocket_upgrade, the_server_refuses_other_requests_and_paths) {
  const auto good = request(offer("ZWS2.0"));
  const struct {
    std::string wire;
    std::string_view status;
    bool for_others;  // a web server at the same port would answer
  } cases[]{
      {request(offer("ZWS2.0"), "/other"), "404", true},
      {request(offer("ZWS2.0"), "/"), "404", true},
      {replaced(good, "Upgrade: websocket\r\n", ""), "426", true},
      {replaced(good, "Upgrade: websocket\r\n", "Upgrade: h2c\r\n"), "426", true},
      {replaced(good, "Connection: Upgrade", "Connection: close"), "426", true},
      {replaced(good, "Version: 13", "Version: 8"), "426", false},
      {replaced(good, "HTTP/1.1", "HTTP/1.0"), "426", true},
      {replaced(good, "Key: dGhlIHNhbXBsZSBub25jZQ==", "Key: short"), "400", false},
      {replaced(good, "Host: server.example.com\r\n", ""), "400", false},
      {replaced(good, "Host: ", "Host : "), "400", true},
  };
  for (const auto& [wire, status, for_others] : cases) {
    const auto answer = answer_upgrade(wire, terms());
    EXPECT_EQ(answer.fault, errc::bad_upgrade) << wire;
    EXPECT_EQ(answer.response.substr(9, 3), status) << wire;
    EXPECT_EQ(answer.for_others, for_others) << wire;
  }
  EXPECT_FALSE(answer_upgrade(request(offer("ZWS2.0"), "/chat?a=b"), terms()).fault) << "a query";
}

// ZWS-15
TEST(websocket_upgrade, pages_connect_only_from_a_listed_origin) {
  const auto from = [](std::string_view origin) {
    return request(offer("ZWS2.0") + "Origin: " + std::string{origin} + "\r\n");
  };
  auto own = terms();
  EXPECT_FALSE(answer_upgrade(from("http://server.example.com"), own).fault) << "its own";
  EXPECT_EQ(answer_upgrade(from("http://server.example.com:81"), own).fault, errc::foreign_origin);
  EXPECT_EQ(answer_upgrade(from("null"), own).fault, errc::foreign_origin);
  own.origins = {"https://a.example", "https://b.example:8080"};
  EXPECT_FALSE(answer_upgrade(from("https://b.example:8080"), own).fault);
  EXPECT_EQ(answer_upgrade(from("https://b.example"), own).fault, errc::foreign_origin);
  EXPECT_TRUE(answer_upgrade(from("https://b.example"), own).response.starts_with("HTTP/1.1 403 "));
  own.origins = {"*"};
  EXPECT_FALSE(answer_upgrade(from("https://b.example"), own).fault);
}

// An attacker on the way can alter a page that comes without TLS.
TEST(websocket_upgrade, a_page_without_tls_cannot_be_of_a_server_with_tls) {
  const struct {
    const char* origin;
    bool tls;
    bool connects;
  } cases[]{
      {"http://server.example.com", true, false},  {"https://server.example.com", true, true},
      {"HTTPS://server.example.com", true, true},  {"http://server.example.com", false, true},
      {"https://server.example.com", false, true},  // a proxy has added TLS
  };
  for (const auto& [origin, tls, connects] : cases) {
    auto own = terms();
    own.at.tls = tls;
    const auto wire = request(offer("ZWS2.0") + "Origin: " + origin + "\r\n");
    EXPECT_EQ(answer_upgrade(wire, own).fault, connects ? error_code{} : errc::foreign_origin)
        << origin << ' ' << tls;
    own.origins = {origin};
    EXPECT_FALSE(answer_upgrade(wire, own).fault) << origin;
  }
}

// The name of any host can resolve to 127.0.0.1.
// ZWS-15
TEST(websocket_upgrade, a_page_of_another_host_cannot_be_of_a_loopback_address) {
  const struct {
    std::string host;
    const char* bound;
    bool connects;
  } cases[]{
      {"localhost:5555", "127.0.0.1", true},          {"LOCALHOST", "127.0.0.1", true},
      {"127.0.0.1:5555", "127.0.0.1", true},          {"[::1]:5555", "::1", true},
      {"evil.example:5555", "127.0.0.1", false},      {"evil.example", "::1", false},
      {"127.0.0.1.evil.example", "127.0.0.1", false}, {"192.0.2.1:5555", "127.0.0.1", false},
      {"server.example.com", "192.0.2.1", true},      {"server.example.com", "0.0.0.0", true},
  };
  for (const auto& [host, bound, connects] : cases) {
    const auto wire = replaced(request(offer("ZWS2.0") + "Origin: http://" + host + "\r\n"),
                               "server.example.com", host);
    auto own = terms();
    own.at.host = bound;
    EXPECT_EQ(answer_upgrade(wire, own).fault, connects ? error_code{} : errc::foreign_origin)
        << host << ' ' << bound;
    own.origins = {"http://" + host};
    EXPECT_FALSE(answer_upgrade(wire, own).fault) << host;
  }
}

TEST(websocket_upgrade, a_head_ends_at_its_empty_line) {
  const auto whole = request(offer("ZWS2.0"));
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const auto found = upgrade_size(std::string_view{whole}.substr(0, size), side::server);
    EXPECT_EQ(*found, size == whole.size() ? size : 0) << size;
  }
  EXPECT_EQ(*upgrade_size(whole + "frames", side::server), whole.size());
  EXPECT_EQ(*upgrade_size("HTTP/1.1 101 x\r\n\r\n", side::client), 18U);
}

TEST(websocket_upgrade, other_protocols_are_noticed_at_their_first_bytes) {
  EXPECT_EQ(upgrade_size("\xff", side::server).error(), errc::bad_upgrade) << "ZMTP";
  EXPECT_EQ(upgrade_size("\x16\x03", side::server).error(), errc::bad_upgrade) << "TLS";
  EXPECT_EQ(upgrade_size("GEX", side::server).error(), errc::bad_upgrade);
  EXPECT_EQ(upgrade_size("POST / HTTP/1.1\r\n\r\n", side::server).error(), errc::bad_upgrade);
  EXPECT_EQ(upgrade_size("GET ", side::client).error(), errc::bad_upgrade);
  EXPECT_EQ(upgrade_size("HTTP/1.0 200 OK\r\n\r\n", side::client).error(), errc::bad_upgrade);
}

TEST(websocket_upgrade, a_head_has_a_limit) {
  const auto of_size = [](std::size_t size) {
    const auto least = request("X: \r\n").size();
    return request("X: " + std::string(size - least, 'x') + "\r\n");
  };
  EXPECT_EQ(*upgrade_size(of_size(max_upgrade_size), side::server), max_upgrade_size);
  EXPECT_EQ(upgrade_size(of_size(max_upgrade_size + 1), side::server).error(), errc::bad_upgrade);
  EXPECT_EQ(
      upgrade_size(of_size(max_upgrade_size + 1).substr(0, max_upgrade_size), side::server).error(),
      errc::bad_upgrade)
      << "as soon as it is too long";
  EXPECT_EQ(answer_upgrade(of_size(max_upgrade_size), terms()).fault, errc::mechanism_mismatch);
}

upgrade_client client() {
  upgrade_client::nonce nonce;
  constexpr std::string_view sample = "the sample nonce";
  std::memcpy(nonce.data(), sample.data(), nonce.size());
  return upgrade_client{nonce};
}

// ZWS-1
TEST(websocket_upgrade, the_client_offers_what_it_has) {
  EXPECT_EQ(client().request({.at = {"::1", 5555, "/a"}, .mechanism = "NULL"}),
            "GET /a HTTP/1.1\r\n"
            "Host: [::1]:5555\r\n"
            "Upgrade: websocket\r\n"
            "Connection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            "Sec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Protocol: ZWS2.0,ZWS2.0/NULL\r\n"
            "\r\n");
  EXPECT_NE(client().request(terms("CURVE")).find("Protocol: ZWS2.0/CURVE\r\n"), std::string::npos);
}

// ZWS-1
TEST(websocket_upgrade, both_sides_agree) {
  for (const auto* const mechanism : {"NULL", "PLAIN", "CURVE"}) {
    const auto own = terms(mechanism);
    const auto answer = answer_upgrade(client().request(own), own);
    EXPECT_FALSE(answer.fault);
    EXPECT_EQ(client().on_response(answer.response, own).value(), sub_protocol::with_mechanism);
  }
}

// ZWS-3
TEST(websocket_upgrade, the_client_checks_the_response) {
  const std::string good =
      "HTTP/1.1 101 OK\r\nupgrade: WebSocket\r\nconnection: keep-alive, upgrade\r\n"
      "sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nsec-websocket-protocol: "
      "ZWS2.0\r\n\r\n";
  EXPECT_EQ(client().on_response(good, terms()).value(), sub_protocol::without_mechanism);
  const auto fault = [](const std::string& wire) {
    return client().on_response(wire, terms()).error();
  };
  EXPECT_EQ(fault(replaced(good, "101", "200")), errc::upgrade_refused);
  EXPECT_EQ(fault("HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\n"), errc::upgrade_refused);
  EXPECT_EQ(fault(replaced(good, "WebSocket", "h2c")), errc::bad_upgrade);
  EXPECT_EQ(fault(replaced(good, ", upgrade", "")), errc::bad_upgrade);
  EXPECT_EQ(fault(replaced(good, "xOo=", "xOO=")), errc::bad_upgrade);
  EXPECT_EQ(fault(replaced(good, "sec-websocket-protocol: ZWS2.0\r\n", "")), errc::bad_upgrade);
  EXPECT_EQ(fault(replaced(good, "ZWS2.0", "ZWS2.0/PLAIN")), errc::bad_upgrade);
  EXPECT_EQ(fault(replaced(good, "\r\n\r\n", "\r\nSec-WebSocket-Extensions: deflate\r\n\r\n")),
            errc::bad_upgrade);
  EXPECT_EQ(fault(replaced(good, "\r\nupgrade", "\r\n upgrade")), errc::bad_upgrade);
}

}  // namespace
}  // namespace zmtp::transport
