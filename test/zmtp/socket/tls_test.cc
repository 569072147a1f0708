// Sockets over tls+tcp:// and wss://: who may connect, and what both sides are told.

#include "test/zmtp/socket/tls_fixture.h"
#include "zmtp/authenticators/authenticator_function.h"

#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <utility>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

TEST_F(tls_sockets, the_name_in_the_certificate_of_a_client_is_its_user_id) {
  for (const std::string at : {"tls+tcp://127.0.0.1:*", "wss://127.0.0.1:*/path"}) {
    router_socket router{executor(), with(strict_server())};
    dealer_socket dealer{executor(), with(alice())};
    dealer.connect(router.bind(at).to_string());
    const auto* const info = router.info(receive(router).peer);
    ASSERT_NE(info, nullptr);
    EXPECT_EQ(info->user_id, "alice");
    EXPECT_TRUE(info->address.starts_with("127.0.0.1:"));
    put(dealer, {"hello"});
    EXPECT_EQ(receive(router).content, message{"hello"});
  }
}

// docs/security.md warns of it.
TEST_F(tls_sockets, a_name_is_one_user_of_all_trusted_authorities) {
  std::ostringstream both;
  both << std::ifstream{ca_.file()}.rdbuf() << std::ifstream{other_.file()}.rdbuf();
  write_file(folder_.path("both.pem"), both.str());
  other_.issue({.common_name = "alice"}, folder_.path("other_alice.pem"));
  auto own = strict_server();
  own.trusted = folder_.path("both.pem");
  router_socket router{executor(), with(own)};
  const auto at = router.bind(any_tls_port).to_string();
  for (const auto* file : {"alice.pem", "other_alice.pem"}) {
    auto shown = alice();
    shown.certificate = folder_.path(file);
    dealer_socket dealer{executor(), with(shown)};
    dealer.connect(at);
    const auto attached = receive(router);
    ASSERT_EQ(attached.what, routed_message::kind::attached);
    EXPECT_EQ(router.info(attached.peer)->user_id, "alice") << file;
    dealer.close(0ms);
    EXPECT_EQ(receive(router).what, routed_message::kind::detached);
  }
}

TEST_F(tls_sockets, a_server_without_trusted_authorities_asks_for_no_certificate) {
  router_socket router{executor(), with(server())};
  dealer_socket dealer{executor(), with(alice())};
  dealer.connect(router.bind(any_tls_port).to_string());
  EXPECT_EQ(router.info(receive(router).peer)->user_id, "");
}

TEST_F(tls_sockets, an_authenticator_sees_the_name_and_decides_the_user_id) {
  auto options = with(strict_server());
  std::string seen;
  options.authenticator =
      make_authenticator([&](const peer_info& who, const credentials&) -> authenticator::verdict {
        seen = who.user_id;
        return authenticator::principal{.user_id = "of the authenticator"};
      });
  router_socket router{executor(), options};
  dealer_socket dealer{executor(), with(alice())};
  dealer.connect(router.bind(any_tls_port).to_string());
  EXPECT_EQ(router.info(receive(router).peer)->user_id, "of the authenticator");
  EXPECT_EQ(seen, "alice");
}

TEST_F(tls_sockets, another_client_cannot_take_over_a_routing_id) {
  ca_.issue({.common_name = "mallory"}, folder_.path("mallory.pem"));
  auto options = with(strict_server());
  options.handover = true;
  router_socket router{executor(), options};
  const auto at = router.bind(any_tls_port).to_string();
  auto events = router.monitor();
  auto first = with(alice());
  first.routing_id = "me";
  dealer_socket owner{executor(), first};
  owner.connect(at);
  const auto peer = receive(router).peer;
  auto second = first;
  second.transport.tls.certificate = folder_.path("mallory.pem");
  dealer_socket thief{executor(), second};
  thief.connect(at);
  EXPECT_EQ(next_refusal(events), errc::duplicate_routing_id);
  EXPECT_EQ(router.try_send(peer, message{"still yours"}), send_status::queued);
  EXPECT_EQ(receive(owner), message{"still yours"});
}

TEST_F(tls_sockets, certificates_of_other_authorities_are_refused) {
  auto stranger = client();
  stranger.trusted = other_.file();
  expect_refused(server(), stranger, errc::certificate_refused, errc::certificate_not_trusted);
  other_.issue({.common_name = "alice"}, folder_.path("forged.pem"));
  auto forged = alice();
  forged.certificate = folder_.path("forged.pem");
  expect_refused(strict_server(), forged, errc::certificate_not_trusted, errc::certificate_refused);
}

TEST_F(tls_sockets, a_server_of_another_name_is_refused) {
  ca_.issue({.common_name = "127.0.0.1", .alternative_names = "DNS:localhost"},
            folder_.path("named.pem"));
  const tls_options named{.certificate = folder_.path("named.pem")};
  expect_refused(named, client(), errc::certificate_refused, errc::certificate_name_wrong);
  auto elsewhere = client();
  elsewhere.server_name = "example.org";
  expect_refused(named, elsewhere, errc::certificate_refused, errc::certificate_name_wrong,
                 "localhost");
  auto given = client();
  given.server_name = "localhost";
  router_socket router{executor(), with(named)};
  dealer_socket dealer{executor(), with(given)};
  dealer.connect(router.bind(any_tls_port).to_string());
  EXPECT_EQ(receive(router).what, routed_message::kind::attached);
}

TEST_F(tls_sockets, a_server_needs_an_alternative_name) {
  ca_.issue({.common_name = "localhost"}, folder_.path("client.pem"));
  expect_refused({.certificate = folder_.path("client.pem")}, client(), errc::certificate_refused,
                 errc::certificate_name_wrong, "localhost");
}

TEST_F(tls_sockets, a_certificate_that_is_not_valid_now_is_refused) {
  for (const auto& [from, until] : {std::pair{-2h, -1h}, std::pair{1h, 2h}}) {
    ca_.issue({.common_name = "server",
               .alternative_names = "IP:127.0.0.1",
               .valid_from = from,
               .valid_until = until},
              folder_.path("server.pem"));
    expect_refused(server(), client(), errc::certificate_refused, errc::certificate_expired);
  }
}

TEST_F(tls_sockets, a_client_without_the_certificate_that_is_needed_is_refused) {
  expect_refused(strict_server(), client(), errc::certificate_missing, errc::certificate_refused);
}

TEST_F(tls_sockets, peers_without_tls_are_refused_on_either_side) {
  router_socket router{executor(), with(server())};
  dealer_socket dealer{executor(), impatient()};
  auto server_events = router.monitor();
  auto at = router.bind(any_tls_port);
  std::get<tcp_address>(at.address).tls = false;
  dealer.connect(at.to_string());
  EXPECT_EQ(next_refusal(server_events), errc::not_tls);
  dealer.close();

  router_socket plain{executor(), impatient()};
  dealer_socket secure{executor(), with(client())};
  auto plain_events = plain.monitor();
  auto client_events = secure.monitor();
  at = plain.bind("tcp://127.0.0.1:*");
  std::get<tcp_address>(at.address).tls = true;
  secure.connect(at.to_string());
  EXPECT_EQ(next_refusal(plain_events), errc::not_zmtp);
  EXPECT_EQ(next_refusal(client_events), errc::not_tls);
}

TEST_F(tls_sockets, bind_and_connect_name_the_file_with_the_fault) {
  write_file(folder_.path("empty"), "");
  ca_.issue({.common_name = "other"}, folder_.path("cert.pem"), folder_.path("other.key"));
  // The key of the certificate is of another type, as after a change of types.
  write_file(folder_.path("p256.key"),
             "-----BEGIN PRIVATE KEY-----\n"
             "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg9ce9DVeZzBsdHqaM\n"
             "l8fsjSG1iuqUsUTOEG/Z/BgnnTahRANCAATA/tP8DKQkcnH8rIqEOE63jTYBiaP+\n"
             "Im6ZznJbl11x5vPxC3TjmE1Amh8uZK+WKQXNqL7MDB62uXsUbHcDTa6u\n"
             "-----END PRIVATE KEY-----\n");
  const auto pipe = folder_.path("pipe");  // opening it would block
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto absent = folder_.path("absent");
  const auto own = folder_.path("server.pem");
  const struct {
    tls_options tls;
    errc fault;
    std::string named;
  } cases[]{
      {{}, errc::no_certificate, "transport.tls.certificate"},
      {{.certificate = absent}, errc::bad_certificate_file, absent},
      {{.certificate = folder_.path("empty")}, errc::bad_certificate_file, folder_.path("empty")},
      {{.certificate = folder_.path("cert.pem")}, errc::bad_key_file, folder_.path("cert.pem")},
      {{.certificate = own, .private_key = absent}, errc::bad_key_file, absent},
      {{.certificate = own, .private_key = folder_.path("other.key")},
       errc::foreign_key,
       folder_.path("other.key")},
      {{.certificate = own, .private_key = folder_.path("p256.key")},
       errc::foreign_key,
       folder_.path("p256.key")},
      {{.certificate = own, .trusted = absent}, errc::bad_trusted_file, absent},
      {{.certificate = pipe}, errc::bad_certificate_file, pipe},
      {{.certificate = own, .private_key = pipe}, errc::bad_key_file, pipe},
      {{.certificate = own, .trusted = pipe}, errc::bad_trusted_file, pipe},
      {{.certificate = own, .trusted = folder_.path("empty")},
       errc::bad_trusted_file,
       folder_.path("empty")},
  };
  for (const auto& [tls, fault, named] : cases) {
    router_socket router{executor(), with(tls)};
    for (const bool binds : {true, false}) {
      if (!binds && fault == errc::no_certificate) {
        continue;  // a client may have none
      }
      try {
        binds ? (void)router.bind(any_tls_port) : router.connect("tls+tcp://127.0.0.1:1");
        ADD_FAILURE() << named;
      } catch (const boost::system::system_error& e) {
        EXPECT_EQ(e.code(), fault);
        EXPECT_NE(std::string_view{e.what()}.find(named), std::string_view::npos) << e.what();
      }
    }
  }
}

}  // namespace
}  // namespace zmtp::test
