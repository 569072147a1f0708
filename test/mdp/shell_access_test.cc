// Roles on real connections: the principals are PLAIN users.
#include "test/mdp/shell_fixture.h"
#include "zmtp/authenticators/authenticator_function.h"
#include "zmtp/socket/request_sockets.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mdp {
namespace {

using namespace std::string_view_literals;

constexpr std::uint8_t verb_of(right what) { return static_cast<std::uint8_t>(what); }

zmtp::access_rules rules_for(const std::string& worker) {
  return zmtp::access_rules{{{worker, verb_of(right::offer), "echo"},
                             {"alice", verb_of(right::call), "echo"},
                             {"alice", verb_of(right::inspect), "echo"}}};
}

class broker_roles : public shell_test {
protected:
  broker_roles() {
    auto options = impatient_broker();
    options.heartbeat = std::chrono::seconds{10};
    options.access = rules_for("worker");
    options.socket.security = zmtp::plain_server_security{};
    options.socket.authenticator = zmtp::make_authenticator(
        [](const zmtp::peer_info&, const zmtp::credentials& shown) -> zmtp::authenticator::verdict {
          const auto& plain = std::get<zmtp::plain_credentials>(shown);
          if (plain.password != "secret") {
            return zmtp::authenticator::refusal{.status = "400"};
          }
          return zmtp::authenticator::principal{.user_id = plain.username};
        });
    broker_.emplace(
        executor(), options,
        broker_handlers{.on_event = [this](const broker_event& event, std::string_view) {
          if (event.what == broker_event::kind::access_refused) {
            refusals_.push_back(event.user_id + ' ' + to_string(event.wanted));
          }
        }});
    at_ = broker_->bind("tcp://127.0.0.1:*").to_string();
  }
  std::unique_ptr<zmtp::dealer_socket> peer(const std::string& user, bool reads_errors = false) {
    zmtp::socket_options options;
    options.security = zmtp::plain_client_security{user, "secret"};
    if (reads_errors) {
      options.extensions = {"mdp-errors"};
    }
    auto made = std::make_unique<zmtp::dealer_socket>(executor(), options);
    made->connect(at_);
    return made;
  }
  void send(zmtp::dealer_socket& from, zmtp::message m) {
    EXPECT_EQ(from.try_send(std::move(m)), zmtp::send_status::queued);
  }
  zmtp::message receive(zmtp::dealer_socket& from) {
    zmtp::message m;
    run_until([&] { return from.try_receive(m); });
    return m;
  }
  // Answers one request of `client` by `worker`, which shows that both are undisturbed.
  void expect_echo(zmtp::dealer_socket& client, zmtp::dealer_socket& worker) {
    send(client, {"MDPC02"sv, "\x01"sv, "echo"sv, "hello"sv});
    const auto asked = receive(worker);
    ASSERT_EQ(asked.size(), 5U);
    send(worker, {"MDPW02"sv, "\x04"sv, asked[2], ""sv, asked[4]});
    EXPECT_EQ(receive(client), (zmtp::message{"MDPC02"sv, "\x03"sv, "echo"sv, "hello"sv}));
  }

  std::vector<std::string> refusals_;
};

TEST_F(broker_roles, refused_peers_do_not_disturb_the_others) {
  const auto owner = peer("worker");
  send(*owner, {"MDPW02"sv, "\x01"sv, "echo"sv});
  await_workers(1);
  const auto alice = peer("alice");
  expect_echo(*alice, *owner);

  // A foreign worker, twice.
  for (int i = 0; i < 2; ++i) {
    const auto thief = peer("mallory");
    send(*thief, {"MDPW02"sv, "\x01"sv, "echo"sv});
    EXPECT_EQ(receive(*thief), (zmtp::message{"MDPW02"sv, "\x06"sv}));
    expect_echo(*alice, *owner);
  }
  // A client that reads errors, and one that does not.
  const auto ours = peer("mallory", true);
  send(*ours, {"MDPC02"sv, "\x01"sv, "echo"sv, "x"sv});
  EXPECT_EQ(receive(*ours),
            (zmtp::message{"MDPC02"sv, "\x03"sv, "mmi.error"sv, "403"sv, "refused"sv, "echo"sv}));
  const auto stock = peer("mallory");
  send(*stock, {"MDPC02"sv, "\x01"sv, "echo"sv, "x"sv});
  run_until([&] { return broker_->status().counters.forbidden_calls == 2; });
  expect_echo(*alice, *owner);
  zmtp::message m;
  EXPECT_FALSE(stock->try_receive(m));
  EXPECT_FALSE(owner->try_receive(m));

  EXPECT_EQ(broker_->status().workers, 1U);
  EXPECT_EQ(broker_->status().counters.forbidden_offers, 2U);
  EXPECT_EQ(refusals_, (std::vector<std::string>{"mallory offer", "mallory call"}));
}

TEST_F(broker_roles, new_rules_disconnect_only_the_refused_worker) {
  const auto owner = peer("worker");
  send(*owner, {"MDPW02"sv, "\x01"sv, "echo"sv});
  await_workers(1);
  const auto alice = peer("alice");
  expect_echo(*alice, *owner);
  const auto peers = broker_->status().peers;

  broker_->change_access(rules_for("heir"));
  EXPECT_EQ(receive(*owner), (zmtp::message{"MDPW02"sv, "\x06"sv}));
  EXPECT_EQ(broker_->status().workers, 0U);
  EXPECT_EQ(broker_->status().peers, peers);
  const auto heir = peer("heir");
  send(*heir, {"MDPW02"sv, "\x01"sv, "echo"sv});
  await_workers(1);
  expect_echo(*alice, *heir);
}

}  // namespace
}  // namespace mdp
