// The stages of a handshake, with NULL and with a mechanism that learns the metadata late, as PLAIN
// does.

#include "zmtp/conversation/handshake.h"

#include "test/support/wire.h"
#include "zmtp/mechanism/null.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace zmtp {
namespace {

using stage = handshake::stage;
using test::bytes;
using test::greeting_of;
using test::property;
using test::ready_of;

constexpr handshake::time_point deadline{std::chrono::hours{1}};

// The peer sends: password, then metadata. The commands are the body as it is.
class late_mechanism final : public mechanism {
public:
  std::string_view name() const noexcept override { return "LATE"; }
  bool as_server() const noexcept override { return true; }
  void start(std::string& output) override { output += "start "; }
  result<progress> on_command(std::string_view body, std::string& output) override {
    output += "answer ";
    if (body == "password") {
      return progress::authentication;
    }
    if (body == "ping") {
      return progress::more;
    }
    if (body == "bad") {
      return errc::bad_command;
    }
    peer_.add("Socket-Type", body);
    return progress::admission;
  }
  progress authenticated(std::string& output) override {
    output += "welcome ";
    return progress::more;
  }
  progress admit(std::string& output) override {
    output += "ready ";
    return progress::done;
  }
  void refuse(std::string_view reason, std::string& output) override {
    output += "error " + std::string{reason};
  }
  const metadata& peer_metadata() const noexcept override { return peer_; }
  std::string_view error_reason() const noexcept override { return "why"; }

private:
  metadata peer_;
};

class a_handshake : public testing::Test {
protected:
  static std::unique_ptr<mechanism> null_of(socket_type type) {
    metadata own;
    own.add("Socket-Type", to_string(type));
    return std::make_unique<null_mechanism>(std::move(own), limits{},
                                            null_mechanism::ready::once_admitted);
  }
  result<std::size_t> greet(handshake& h, const std::string& received) {
    return h.on_greeting(std::as_bytes(std::span{received}), output);
  }
  std::string said() { return std::exchange(output, {}); }

  std::string output;
  handshake null{socket_type::router, null_of(socket_type::router), deadline, output};
};

class a_late_handshake : public a_handshake {
protected:
  a_late_handshake() {
    output.clear();
    late.emplace(socket_type::router, std::make_unique<late_mechanism>(), deadline, output);
    own_greeting = said();
    EXPECT_EQ(*greet(*late, greeting_of(3, 1, "LATE")), 64U);
    EXPECT_EQ(said(), "start ");
  }

  std::optional<handshake> late;
  std::string own_greeting;
};

TEST_F(a_handshake, starts_with_the_greeting_of_its_mechanism) {
  EXPECT_EQ(said(), greeting_of(3, 1));
  EXPECT_EQ(null.at(), stage::greeting);
  EXPECT_EQ(null.deadline(), deadline);
  EXPECT_FALSE(null.deciding());
}

TEST_F(a_late_handshake, greets_with_name_and_as_server_flag) {
  auto expected = greeting_of(3, 1, "LATE");
  expected[32] = 1;
  EXPECT_EQ(own_greeting, expected);
}

TEST_F(a_handshake, uses_a_greeting_only_when_it_is_complete) {
  const auto all = greeting_of(3, 0);
  for (std::size_t size = 0; size < all.size(); ++size) {
    EXPECT_EQ(*greet(null, all.substr(0, size)), 0U);
    EXPECT_EQ(null.at(), stage::greeting);
  }
  EXPECT_EQ(*greet(null, all + "more"), all.size());
  EXPECT_EQ(null.at(), stage::commands);
  EXPECT_EQ(null.peer_minor(), 0);
}

TEST_F(a_handshake, rejects_another_mechanism) {
  EXPECT_EQ(greet(null, greeting_of(3, 1, "LATE")).error(), errc::mechanism_mismatch);
}

TEST_F(a_handshake, null_is_authenticated_and_admitted_before_it_says_ready) {
  (void)greet(null, greeting_of(3, 1));
  said();
  EXPECT_EQ(*null.on_command(ready_of("DEALER", "name").substr(2), output), stage::authentication);
  EXPECT_TRUE(null.deciding());
  EXPECT_EQ(null.peer_type(), socket_type::dealer);
  EXPECT_EQ(null.peer_routing_id(), "name");
  EXPECT_EQ(*null.authenticated(output), stage::admission);
  EXPECT_TRUE(null.deciding());
  EXPECT_EQ(said(), "");
  EXPECT_EQ(*null.admit(output), stage::done);
  EXPECT_FALSE(null.deciding());
  EXPECT_NE(said().find("READY"), std::string::npos);
}

TEST_F(a_handshake, a_peer_that_does_not_fit_is_rejected_before_its_authentication) {
  (void)greet(null, greeting_of(3, 1));
  EXPECT_EQ(null.on_command(ready_of("PUB").substr(2), output).error(), errc::bad_socket_type);
  handshake other{socket_type::router, null_of(socket_type::router), deadline, output};
  (void)greet(other, greeting_of(3, 1));
  EXPECT_EQ(other.on_command(ready_of("REQ", std::string(256, 'i')).substr(9), output).error(),
            errc::routing_id_too_long);
}

TEST_F(a_handshake, a_rejected_peer_gets_the_status_instead_of_ready) {
  (void)greet(null, greeting_of(3, 1));
  (void)null.on_command(ready_of("DEALER").substr(2), output);
  said();
  null.refuse("400", output);
  EXPECT_EQ(said(), bytes("04 0a 05 'ERROR' 03 '400'"));
}

TEST_F(a_late_handshake, goes_on_after_authentication_until_the_metadata_arrives) {
  EXPECT_EQ(*late->on_command("ping", output), stage::commands);
  EXPECT_EQ(*late->on_command("password", output), stage::authentication);
  EXPECT_EQ(late->peer_type(), std::nullopt);
  EXPECT_EQ(*late->authenticated(output), stage::commands);
  EXPECT_FALSE(late->deciding());
  EXPECT_EQ(*late->on_command("DEALER", output), stage::admission);
  EXPECT_EQ(late->peer_type(), socket_type::dealer);
  EXPECT_EQ(*late->admit(output), stage::done);
  EXPECT_EQ(said(), "answer answer welcome answer ready ");
}

TEST_F(a_late_handshake, metadata_are_checked_when_they_arrive) {
  (void)late->on_command("password", output);
  (void)late->authenticated(output);
  EXPECT_EQ(late->on_command("PUB", output).error(), errc::bad_socket_type);
}

TEST_F(a_late_handshake, passes_on_faults_and_the_peers_reason) {
  EXPECT_EQ(late->on_command("bad", output).error(), errc::bad_command);
  EXPECT_EQ(late->peer_error(), "why");
}

}  // namespace
}  // namespace zmtp
