// Titanic behind a broker with rules, on real connections: the principals are PLAIN users.
#include "mdp/titanic/client.h"
#include "mdp/titanic/command.h"
#include "mdp/titanic/server.h"
#include "mdp/titanic/sqlite_request_database.h"
#include "test/mdp/shell_fixture.h"
#include "test/support/scratch_folder.h"
#include "zmtp/authenticators/authenticator_function.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mdp::titanic {
namespace {

using boost::system::error_code;
using namespace std::chrono_literals;
using zmtp::message;

constexpr std::uint8_t verb_of(right what) { return static_cast<std::uint8_t>(what); }

zmtp::access_rules some_rules() {
  return zmtp::access_rules{{{"titanic", verb_of(right::offer), "titanic.*"},
                             {"titanic", verb_of(right::inspect), "*"},
                             {"titanic", verb_of(right::represent), "*"},
                             {"worker", verb_of(right::offer), "echo"},
                             {"alice", verb_of(right::call), "*"},
                             {"mallory", verb_of(right::call), "titanic.*"}}};
}

class secured_titanic : public shell_test {
protected:
  secured_titanic() {
    auto options = impatient_broker();
    options.access = some_rules();
    options.socket.security = zmtp::plain_server_security{};
    options.socket.authenticator = zmtp::make_authenticator(
        [](const zmtp::peer_info&, const zmtp::credentials& shown) -> zmtp::authenticator::verdict {
          return zmtp::authenticator::principal{
              .user_id = std::get<zmtp::plain_credentials>(shown).username};
        });
    start_broker(options);
    auto echo = impatient_worker(version::v02);
    echo.socket = of("worker");
    echo.reads_principals = true;
    worker_ = std::make_unique<worker>(executor(), at_, echo, [this](worker_request request) {
      served_.push_back(request.principal().value_or("nothing"));
      auto body = std::move(request.body());
      EXPECT_FALSE(request.reply(std::move(body)));
    });
    start_titanic();
    alice_.emplace(executor(), at_, client_of("alice"));
    mallory_.emplace(executor(), at_, client_of("mallory"));
  }
  static zmtp::socket_options of(const std::string& user) {
    zmtp::socket_options options;
    options.security = zmtp::plain_client_security{user, "secret"};
    return options;
  }
  static titanic::client_options client_of(const std::string& user) {
    titanic::client_options options;
    options.timeout = 15s;
    options.least_wait = 1ms;
    options.most_wait = 5ms;
    options.socket = of(user);
    return options;
  }
  void start_titanic() {
    server_options options;
    options.heartbeat = 50ms;
    options.reconnect_delay = 5ms;
    options.core.least_backoff = 5ms;
    options.core.most_backoff = 20ms;
    options.socket = of("titanic");
    titanic_.emplace(
        executor(), at_, options,
        std::make_shared<sqlite_request_database>(
            executor(),
            sqlite_options{.path = folder_.path("store"), .sync = false, .reserve_bytes = 0}));
    // Titanic has five services.
    await_workers(6);
  }
  std::string request(titanic::client& by, const std::string& body) {
    std::optional<std::string> stored;
    by.async_request("echo", message{body}, [&](error_code ec, std::string id) {
      EXPECT_FALSE(ec) << ec.message();
      stored = std::move(id);
    });
    run_until([&] { return stored.has_value(); });
    return *stored;
  }
  std::pair<error_code, message> wait(titanic::client& by, const std::string& id) {
    std::optional<std::pair<error_code, message>> got;
    by.async_wait(id, [&](error_code ec, message m) { got.emplace(ec, std::move(m)); });
    run_until([&] { return got.has_value(); });
    return *got;
  }
  error_code close(titanic::client& by, const std::string& id) {
    std::optional<error_code> end;
    by.async_close(id, [&](error_code ec) { end = ec; });
    run_until([&] { return end.has_value(); });
    return *end;
  }

  zmtp::test::scratch_folder folder_;
  std::unique_ptr<worker> worker_;
  std::vector<std::string> served_;  // principals that the worker got
  std::optional<server> titanic_;
  std::optional<titanic::client> alice_;
  std::optional<titanic::client> mallory_;
};

TEST_F(secured_titanic, only_the_principal_of_a_request_reads_and_closes_it) {
  const auto id = request(*alice_, "of alice");
  EXPECT_EQ(wait(*alice_, id), (std::pair<error_code, message>{{}, {"of alice"}}));
  EXPECT_EQ(served_, std::vector<std::string>{"alice"});
  EXPECT_EQ(wait(*mallory_, id).first, errc::unknown_id);
  EXPECT_FALSE(close(*mallory_, id)) << "as for an unknown request";
  EXPECT_EQ(wait(*alice_, id).second, message{"of alice"});
  EXPECT_FALSE(close(*alice_, id));
  EXPECT_EQ(wait(*alice_, id).first, errc::unknown_id);
}

TEST_F(secured_titanic, a_client_reaches_no_service_that_it_may_not_call) {
  const auto id = request(*mallory_, "of mallory");
  EXPECT_EQ(wait(*mallory_, id).first, errc::request_failed);
  EXPECT_TRUE(served_.empty());
  EXPECT_EQ(broker_->status().counters.forbidden_calls, 1U);
  // The requests of others are not delayed.
  EXPECT_EQ(wait(*alice_, request(*alice_, "x")).second, message{"x"});
}

TEST_F(secured_titanic, a_restart_keeps_the_principal) {
  const auto id = request(*alice_, "of alice");
  EXPECT_EQ(wait(*alice_, id).second, message{"of alice"});
  titanic_.reset();
  await_workers(1);
  start_titanic();
  EXPECT_EQ(wait(*mallory_, id).first, errc::unknown_id);
  EXPECT_EQ(wait(*alice_, id).second, message{"of alice"});
}

}  // namespace
}  // namespace mdp::titanic
