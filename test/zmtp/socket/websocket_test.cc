// Sockets over ws:// beside a WebSocket implementation that is not Zinc's: Boost.Beast.

#include "test/support/bytes.h"
#include "test/support/pattern_test.h"
#include "test/support/raw_peer.h"
#include "zmtp/authenticators/authenticator_function.h"
#include "zmtp/socket/monitor.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/error.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp::test {
namespace {

namespace beast = boost::beast;
namespace web = boost::beast::websocket;
using asio::ip::tcp;

const std::string last{'\0'};
const std::string more{'\1'};
const std::string command{'\2'};

socket_options named(std::string_view id) {
  auto options = impatient();
  options.announce_peers = true;
  options.routing_id = id;
  return options;
}

class websocket_sockets : public pattern_test {
protected:
  // A client, or the server's end of one connection.
  struct peer {
    explicit peer(network_test& in) : test{in}, stream{in.context()} {
      stream.binary(true);
      stream.auto_fragment(false);
    }

    // Returns the error of the upgrade.
    error_code connect(const endpoint& to, const std::string& offers,
                       const std::string& origin = {}) {
      const auto& at = *to.ws();
      stream.next_layer().connect({asio::ip::make_address(at.host), at.port});
      stream.set_option(web::stream_base::decorator{[&](web::request_type& all) {
        all.set(beast::http::field::sec_websocket_protocol, offers);
        if (!origin.empty()) {
          all.set(beast::http::field::origin, origin);
        }
      }});
      return done([&](auto handler) {
        stream.async_handshake(response, at.authority(), at.path, std::move(handler));
      });
    }
    // Sends one frame of ZWS.
    void send(const std::string& frame) {
      const auto ec = done([&](auto handler) {
        stream.async_write(asio::buffer(frame),
                           [handler](error_code e, std::size_t) { handler(e); });
      });
      EXPECT_FALSE(ec) << ec.message();
    }
    // Returns the next frame of ZWS, or the error's text.
    std::string receive() {
      beast::flat_buffer got;
      const auto ec = done([&](auto handler) {
        stream.async_read(got, [handler](error_code e, std::size_t) { handler(e); });
      });
      return ec ? ec.message() : beast::buffers_to_string(got.data());
    }
    template <class Start>
    error_code done(const Start& start) {
      std::optional<error_code> end;
      start([&end](error_code ec) { end = ec; });
      test.run_until([&] { return end.has_value(); });
      return end.value_or(errc::timed_out);
    }

    network_test& test;
    web::stream<tcp::socket> stream;
    web::response_type response;
  };

  static endpoint bind(socket& to, const char* path = "/zws") {
    return to.bind(std::string{"ws://127.0.0.1:*"} + path);
  }
  // Waits for the end of a connection. Returns its reason.
  error_code next_end(monitor& of) {
    monitor_event event;
    run_until([&] {
      while (of.try_receive(event)) {
        if (event.what == monitor_event::kind::handshake_failed ||
            event.what == monitor_event::kind::refused ||
            event.what == monitor_event::kind::detached) {
          return true;
        }
      }
      return false;
    });
    return event.reason;
  }
};

// jszmq offers only this.
// ZWS-7
TEST_F(websocket_sockets, a_client_without_a_mechanism_sends_its_routing_id_first) {
  router_socket router{executor(), named("server")};
  const auto at = bind(router);
  peer client{*this};
  ASSERT_FALSE(client.connect(at, "ZWS2.0"));
  EXPECT_EQ(client.response[beast::http::field::sec_websocket_protocol], "ZWS2.0");
  client.send(last + "me");
  client.send(more);
  client.send(last + "hello");
  EXPECT_EQ(client.receive(), last + "server");
  const auto attached = receive(router);
  const auto* const info = router.info(attached.peer);
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(info->type, std::nullopt);
  EXPECT_EQ(info->routing_id, "me");
  EXPECT_EQ(receive(router).content, (message{"", "hello"}));
  EXPECT_EQ(router.try_send(attached.peer, message{"", std::string(70'000, 'x')}),
            send_status::queued);
  EXPECT_EQ(client.receive(), more);
  EXPECT_EQ(client.receive(), last + std::string(70'000, 'x'));
  EXPECT_FALSE(client.done([&](auto handler) {
    client.stream.async_close(web::close_code::normal, std::move(handler));
  })) << "a Close is answered";
  EXPECT_EQ(receive(router).what, routed_message::kind::detached);
}

// ZWS-8
TEST_F(websocket_sockets, null_is_a_handshake_of_commands) {
  rep_socket rep{executor()};
  const auto at = bind(rep);
  peer client{*this};
  ASSERT_FALSE(client.connect(at, "ZWS2.0/NULL,ZWS2.0"));
  EXPECT_EQ(client.response[beast::http::field::sec_websocket_protocol], "ZWS2.0/NULL");
  client.send(command + bytes("05 'READY' 0b 'Socket-Type' 00 00 00 03 'REQ'"));
  EXPECT_TRUE(client.receive().starts_with(command + bytes("05 'READY'")));
  client.send(more);
  client.send(last + "question");
  EXPECT_EQ(take(rep), message{"question"});
  put(rep, {"answer"});
  EXPECT_EQ(client.receive(), more);
  EXPECT_EQ(client.receive(), last + "answer");
}

// ZWS-8
TEST_F(websocket_sockets, plain_refuses_with_an_error_command) {
  auto options = impatient();
  options.security = plain_server_security{};
  options.authenticator = make_authenticator([](const peer_info&, const credentials&) {
    return authenticator::verdict{authenticator::refusal{.status = "400"}};
  });
  rep_socket rep{executor(), options};
  const auto at = bind(rep);
  peer client{*this};
  ASSERT_FALSE(client.connect(at, "ZWS2.0,ZWS2.0/PLAIN"));
  client.send(command + bytes("05 'HELLO' 05 'admin' 05 'wrong'"));
  EXPECT_EQ(client.receive(), command + bytes("05 'ERROR' 03 '400'"));
}

// ZWS-10
TEST_F(websocket_sockets, subscriptions_are_messages) {
  xpub_socket publisher{executor()};
  const auto at = bind(publisher);
  peer client{*this};
  ASSERT_FALSE(client.connect(at, "ZWS2.0"));
  client.send(last);
  client.send(last + "\1A");
  EXPECT_EQ(client.receive(), last);
  routed_message notice;
  run_until([&] { return publisher.try_receive(notice); });
  EXPECT_EQ(notice.content, message{"\1A"});
  EXPECT_EQ(publisher.try_send({"B", "not wanted"}), send_status::queued);
  EXPECT_EQ(publisher.try_send({"A", "wanted"}), send_status::queued);
  EXPECT_EQ(client.receive(), more + "A");
  EXPECT_EQ(client.receive(), last + "wanted");
}

// ZWS-11
TEST_F(websocket_sockets, a_ping_between_parts_is_answered) {
  router_socket router{executor()};
  const auto at = bind(router);
  peer client{*this};
  ASSERT_FALSE(client.connect(at, "ZWS2.0"));
  client.send(last + "me");
  EXPECT_EQ(client.receive(), last);
  std::string pong;
  client.stream.control_callback([&](web::frame_type kind, beast::string_view payload) {
    EXPECT_EQ(kind, web::frame_type::pong);
    pong = std::string{payload.data(), payload.size()};
  });
  client.send(more + "first");
  EXPECT_FALSE(
      client.done([&](auto handler) { client.stream.async_ping("payload", std::move(handler)); }));
  client.send(last + "second");
  const auto received = receive(router);
  EXPECT_EQ(received.content, (message{"first", "second"}));
  // Beast handles a pong while it reads.
  EXPECT_EQ(router.try_send(received.peer, message{"x"}), send_status::queued);
  EXPECT_EQ(client.receive(), last + "x");
  EXPECT_EQ(pong, "payload");
}

// ZWS-2
TEST_F(websocket_sockets, a_refused_upgrade_tells_both_sides_why) {
  auto options = impatient();
  options.transport.websocket_origins = {"https://good.example"};
  router_socket router{executor(), options};
  auto events = router.monitor();
  const auto at = bind(router);
  const struct {
    const char* path;
    const char* offers;
    const char* origin;
    unsigned status;
    errc reason;
  } cases[]{
      {"/other", "ZWS2.0", "", 404, errc::bad_upgrade},
      {"/zws", "ZWS2.0/PLAIN", "", 400, errc::mechanism_mismatch},
      {"/zws", "ZWS2.0", "https://evil.example", 403, errc::foreign_origin},
  };
  for (const auto& [path, offers, origin, status, reason] : cases) {
    peer client{*this};
    EXPECT_EQ(client.connect({ws_address{at.ws()->host, at.ws()->port, path}}, offers, origin),
              web::error::upgrade_declined);
    EXPECT_EQ(client.response.result_int(), status);
    EXPECT_EQ(next_end(events), reason) << status;
  }
  peer page{*this};
  EXPECT_FALSE(page.connect(at, "ZWS2.0", "https://good.example"));
}

TEST_F(websocket_sockets, a_client_of_another_server_is_told_why) {
  dealer_socket dealer{executor(), impatient()};
  auto events = dealer.monitor();
  raw_listener listener{context()};
  raw_peer server{context()};
  listener.start_accepting(server);
  dealer.connect("ws" + listener.endpoint().substr(3));
  run_until([&] { return listener.accepted(); });
  server.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(next_end(events), errc::upgrade_refused);
}

// The peer's malformed frame ends its own connection only.
// ZWS-13
TEST_F(websocket_sockets, malformed_frames_end_one_connection) {
  router_socket router{executor(), named("")};
  auto events = router.monitor();
  const auto at = bind(router);
  dealer_socket good{executor()};
  good.connect(at.to_string());
  const auto peer_of_good = receive(router).peer;
  const std::string upgrade =
      "GET /zws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Protocol: ZWS2.0\r\n\r\n";
  const struct {
    const char* what;
    std::string wire;
    errc reason;
  } cases[]{
      {"no HTTP", bytes("ff 00 00 00"), errc::bad_upgrade},
      {"a head without an end", "GET /" + std::string(9'000, 'x'), errc::bad_upgrade},
      {"not masked", upgrade + bytes("82 01 00"), errc::bad_websocket_frame},
      {"text", upgrade + bytes("81 81 00 00 00 00 00"), errc::bad_websocket_frame},
      {"a continuation", upgrade + bytes("80 81 00 00 00 00 00"), errc::bad_websocket_frame},
      {"an unknown flag", upgrade + bytes("82 81 00 00 00 00 08"), errc::bad_websocket_frame},
      {"no flags", upgrade + bytes("82 80 00 00 00 00"), errc::bad_websocket_frame},
      {"a long routing id", upgrade + bytes("82 fe 01 01 00 00 00 00 00"),
       errc::routing_id_too_long},
      {"a huge message",
       upgrade + bytes("82 81 00 00 00 00 00 82 ff 00 00 00 ff 00 00 00 00 00 00 00 00 00"),
       errc::frame_too_large},
  };
  for (const auto& [what, wire, reason] : cases) {
    raw_peer bad{context()};
    bad.connect({tcp_address{at.ws()->host, at.ws()->port}});
    bad.start_reading();
    bad.send(wire);
    run_until([&] { return bad.ended(); });
    EXPECT_EQ(next_end(events), reason) << what;
    EXPECT_EQ(router.try_send(peer_of_good, message{what}), send_status::queued);
    EXPECT_EQ(receive(good), message{what});
  }
}

// Zinc as the client of Beast's server, which ends the connection too.
// ZWS-6, ZWS-14
TEST_F(websocket_sockets, a_client_masks_and_answers_the_close_of_another_server) {
  tcp::acceptor acceptor{context(), {asio::ip::address_v4::loopback(), 0}};
  auto options = impatient();
  options.routing_id = "me";
  dealer_socket dealer{executor(), options};
  auto events = dealer.monitor();
  dealer.connect("ws://127.0.0.1:" + std::to_string(acceptor.local_endpoint().port()) + "/path");
  EXPECT_EQ(dealer.try_send({"first", std::string(70'000, 'x')}), send_status::queued);
  peer server{*this};
  EXPECT_FALSE(server.done([&](auto handler) {
    acceptor.async_accept(server.stream.next_layer(), std::move(handler));
  }));
  server.stream.set_option(web::stream_base::decorator{[&](web::response_type& all) {
    all.set(beast::http::field::sec_websocket_protocol, "ZWS2.0");
  }});
  EXPECT_FALSE(server.done([&](auto handler) { server.stream.async_accept(std::move(handler)); }));
  EXPECT_EQ(server.receive(), last + "me");
  server.send(last + "them");
  EXPECT_EQ(server.receive(), more + "first");
  EXPECT_EQ(server.receive(), last + std::string(70'000, 'x'));
  server.send(last + "hello");
  EXPECT_EQ(take(dealer), message{"hello"});
  EXPECT_FALSE(server.done([&](auto handler) {
    server.stream.async_close(web::close_code::going_away, std::move(handler));
  }));
  EXPECT_EQ(next_end(events), errc::connection_lost);
}

// ZWS-14
TEST_F(websocket_sockets, a_socket_that_closes_writes_its_messages_and_a_close) {
  router_socket router{executor(), named("")};
  const auto at = bind(router);
  peer client{*this};
  ASSERT_FALSE(client.connect(at, "ZWS2.0"));
  client.send(last);
  EXPECT_EQ(client.receive(), last);
  const auto id = receive(router).peer;
  EXPECT_EQ(router.try_send(id, message{std::string(5'000'000, 'x')}), send_status::queued);
  router.close();
  client.stream.read_message_max(0);
  EXPECT_EQ(client.receive().size(), 5'000'001U);
  EXPECT_EQ(client.receive(), error_code{web::error::closed}.message());
  EXPECT_EQ(client.stream.reason().code, web::close_code::normal);
  run_to_the_end();
}

}  // namespace
}  // namespace zmtp::test
