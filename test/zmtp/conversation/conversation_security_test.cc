// PLAIN and CURVE in a conversation: both parts of both, with the peer's bytes cut in every way.

#include "test/support/conversation_script.h"
#include "test/support/fixed_random.h"
#include "zmtp/curve/key.h"
#include "zmtp/mechanism/curve.h"
#include "zmtp/mechanism/security.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using test::framed;
using test::parts;

const auto server_keys = make_key_pair(test::fixed_random(100));
const auto client_keys = make_key_pair(test::fixed_random(200));

security_options client_of_curve() {
  return curve_client({.server_key = server_keys.public_key, .keys = client_keys});
}
security_options server_of_curve() { return curve_server({.keys = server_keys}); }

struct pairing {
  std::string_view name;
  std::string_view mechanism;
  bool we_serve;
  security_options own;
  security_options peer;
};

std::vector<pairing> pairings() {
  const security_options plain_client = plain_client_security{"admin", "secret"};
  const security_options plain_server = plain_server_security{};
  return {{"plain_server", "PLAIN", true, plain_server, plain_client},
          {"plain_client", "PLAIN", false, plain_client, plain_server},
          {"curve_server", "CURVE", true, server_of_curve(), client_of_curve()},
          {"curve_client", "CURVE", false, client_of_curve(), server_of_curve()}};
}

std::string greeting_of_side(const pairing& p, bool of_server) {
  auto bytes = test::greeting_of(3, 1, std::string{p.mechanism});
  bytes[32] = of_server ? '\1' : '\0';
  return bytes;
}

std::string wire(framing* form, std::string frames) {
  if (form == nullptr) {
    return frames;
  }
  std::string to(frames.size() + 10 * form->overhead(), '\0');
  const framing::piece whole{std::as_bytes(std::span{std::as_const(frames)})};
  to.resize(form->write(std::array{whole}, std::as_writable_bytes(std::span{to})));
  return to;
}

// A handshake of the two, outside a conversation. `own` has the random numbers of test::side.
class rehearsal {
public:
  struct command {
    bool own;
    std::string frame;
  };

  explicit rehearsal(const pairing& p)
      : own_{make_mechanism(p.own, handshake_role::accepting, announcing(), limits{},
                            test::fixed_random(1))},
        peer_{make_mechanism(p.peer, handshake_role::connecting, announcing(), limits{},
                             test::fixed_random(2))} {
    mechanism* const from_first = p.we_serve ? peer_.get() : own_.get();
    std::string output;
    from_first->start(output);
    for (auto* from = from_first; !output.empty();) {
      commands.push_back({from == own_.get(), output});
      auto* const to = from == own_.get() ? peer_.get() : own_.get();
      output = answer(*to, std::exchange(output, {}));
      from = to;
    }
    own_form = own_->take_framing();
    peer_form = peer_->take_framing();
  }

  std::vector<command> commands;
  std::unique_ptr<framing> own_form;
  std::unique_ptr<framing> peer_form;

private:
  static metadata announcing() {
    metadata own;
    own.add("Socket-Type", "DEALER");
    own.add("Identity", "");
    return own;
  }
  static std::string answer(mechanism& to, const std::string& frame) {
    std::string output;
    const auto body = test::content_of(frame).commands.at(0);
    auto progress = to.on_command(body, output).value();
    if (progress == mechanism::progress::authentication) {
      progress = to.authenticated(output);
    }
    if (progress == mechanism::progress::admission) {
      static_cast<void>(to.admit(output));
    }
    return output;
  }

  std::unique_ptr<mechanism> own_;
  std::unique_ptr<mechanism> peer_;
};

class conversation_security : public testing::TestWithParam<pairing> {
protected:
  test::conversation_script& shake_hands(test::conversation_script& script, const rehearsal& with) {
    script.expect_output(greeting_of_side(GetParam(), GetParam().we_serve))
        .peer_sends(greeting_of_side(GetParam(), !GetParam().we_serve));
    for (const auto& command : with.commands) {
      command.own ? script.expect_output(command.frame) : script.peer_sends(command.frame);
    }
    // As a link does: nothing of the handshake is needed for the traffic.
    return script.expect({test::heard_request(), test::heard_ready()}).then([](test::side& s) {
      EXPECT_EQ(s.talk.peer_metadata().properties().size(), 2U);
      EXPECT_EQ(s.talk.mechanism_name(), GetParam().mechanism);
      s.talk.forget_handshake();
      EXPECT_TRUE(s.talk.peer_metadata().properties().empty());
      EXPECT_TRUE(s.talk.mechanism_name().empty());
    });
  }
};

TEST_P(conversation_security, traffic_follows_the_handshake) {
  rehearsal with{GetParam()};
  test::conversation_script script{{.security = GetParam().own}};
  const auto from_peer = [&](const std::string& frames) {
    return wire(with.peer_form.get(), frames);
  };
  shake_hands(script, with);
  // Evaluated in this order, because boxes are counted.
  const auto one = from_peer(framed({"one"}));
  const auto ping = from_peer(test::ping("context"));
  const auto many = from_peer(framed({"many", std::string(300, 'x'), ""}));
  const auto pong = wire(with.own_form.get(), test::pong("context"));
  const auto reply = wire(with.own_form.get(), framed({"reply", std::string(300, 'y')}));
  script.peer_sends(one + ping + many)
      .expect({test::heard_message(parts{"one"}),
               test::heard_message(parts{"many", std::string(300, 'x'), ""})})
      .expect_output(pong)
      .then([](test::side& s) {
        s.out.push({"reply", std::string(300, 'y')});
      })
      .expect_output(reply)
      .run();
}

class conversation_of_a_client : public conversation_security {};

// Bytes of the first message may arrive together with READY.
TEST_P(conversation_of_a_client, a_message_may_arrive_with_the_last_command) {
  rehearsal with{GetParam()};
  const auto& last = with.commands.back();
  test::conversation_script script{{.security = GetParam().own}};
  script.expect_output(greeting_of_side(GetParam(), GetParam().we_serve))
      .peer_sends(greeting_of_side(GetParam(), !GetParam().we_serve));
  for (std::size_t i = 0; i + 1 < with.commands.size(); ++i) {
    const auto& command = with.commands[i];
    command.own ? script.expect_output(command.frame) : script.peer_sends(command.frame);
  }
  script.peer_sends(last.frame + wire(with.peer_form.get(), framed({"one"})))
      .expect({test::heard_request(), test::heard_ready(), test::heard_message(parts{"one"})})
      .run();
}

TEST_P(conversation_security, a_message_in_place_of_a_command_ends_it) {
  const rehearsal with{GetParam()};
  // Before each command of the peer.
  for (std::size_t before = 0; before < with.commands.size(); ++before) {
    if (with.commands[before].own) {
      continue;
    }
    test::conversation_script script{{.security = GetParam().own}};
    script.expect_output(greeting_of_side(GetParam(), GetParam().we_serve))
        .peer_sends(greeting_of_side(GetParam(), !GetParam().we_serve));
    for (std::size_t i = 0; i < before; ++i) {
      const auto& command = with.commands[i];
      command.own ? script.expect_output(command.frame) : script.peer_sends(command.frame);
    }
    script.peer_sends(framed({"early"})).expect_closed(errc::unexpected_command).run();
  }
}

TEST_P(conversation_security, a_peer_with_another_mechanism_is_rejected) {  // Z-4
  for (const std::string name : {"NULL", "PLAIN", "CURVE", "GSSAPI"}) {
    if (name != GetParam().mechanism) {
      test::conversation_script script{{.security = GetParam().own}};
      script.expect_output(greeting_of_side(GetParam(), GetParam().we_serve))
          .peer_sends(test::greeting_of(3, 1, name))
          .expect_closed(errc::mechanism_mismatch)
          .run();
    }
  }
}

TEST_P(conversation_security, a_refused_peer_gets_the_status) {
  const rehearsal with{GetParam()};
  test::side s{{.admits = false, .security = GetParam().own}};
  s.say();
  s.hear(greeting_of_side(GetParam(), !GetParam().we_serve));
  for (const auto& command : with.commands) {
    if (!command.own) {
      s.hear(command.frame);
    }
  }
  s.say();
  EXPECT_EQ(s.news(), std::vector{test::heard_request()});
  s.talk.refuse(errc::not_admitted, "400");
  s.digest();
  EXPECT_EQ(s.say(), test::framed_command("ERROR", test::bytes("03 '400'")));
  EXPECT_EQ(s.news(), std::vector{test::heard_end(errc::not_admitted)});
}

class conversation_with_curve : public conversation_security {};

TEST_P(conversation_with_curve, altered_traffic_ends_it_behind_all_that_was_valid) {
  rehearsal with{GetParam()};
  const auto one = wire(with.peer_form.get(), framed({"one"}));
  auto two = wire(with.peer_form.get(), framed({"two"}));
  const auto script_with = [&](const std::string& bytes, errc fault) {
    test::conversation_script script{{.security = GetParam().own}};
    shake_hands(script, with)
        .peer_sends(bytes)
        .expect({test::heard_message(parts{"one"}), test::heard_end(fault)})
        .expect_silence()
        .run();
  };
  script_with(one + one, errc::nonce_not_increased);
  two.back() = static_cast<char>(two.back() ^ 1);
  script_with(one + two, errc::box_not_opened);
  script_with(one + framed({"in clear"}), errc::unexpected_command);
  script_with(one + test::framed_command("ERROR", test::bytes("03 '400'")),
              errc::unexpected_command);
}

std::string name_of(const testing::TestParamInfo<pairing>& p) { return std::string{p.param.name}; }

std::vector<pairing> of_clients() {
  auto all = pairings();
  std::erase_if(all, [](const pairing& p) { return p.we_serve; });
  return all;
}
std::vector<pairing> with_curve() {
  auto all = pairings();
  std::erase_if(all, [](const pairing& p) { return p.mechanism != "CURVE"; });
  return all;
}

INSTANTIATE_TEST_SUITE_P(each, conversation_security, testing::ValuesIn(pairings()), name_of);
INSTANTIATE_TEST_SUITE_P(each, conversation_of_a_client, testing::ValuesIn(of_clients()), name_of);
INSTANTIATE_TEST_SUITE_P(each, conversation_with_curve, testing::ValuesIn(with_curve()), name_of);

}  // namespace
}  // namespace zmtp
