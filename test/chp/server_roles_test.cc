// Roles on real connections: the principals are PLAIN users.
#include "chp/server.h"
#include "test/chp/shell_fixture.h"
#include "zmtp/authenticators/authenticator_function.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace chp {
namespace {

using namespace std::chrono_literals;

constexpr auto read = static_cast<std::uint8_t>(right::read);
constexpr auto write = static_cast<std::uint8_t>(right::write);

zmtp::access_rules some_rules() {
  return zmtp::access_rules{{{"alice", read, "/a/*"},
                             {"alice", write, "/a/*"},
                             {"bob", read, "/b/*"},
                             {"bob", write, "/b/*"},
                             {"operator", read, "*"},
                             {"operator", write, "*"}}};
}

class server_roles : public shell_test {
protected:
  server_roles() {
    server_options options;
    options.heartbeat = 20ms;
    options.access = some_rules();
    options.socket.security = zmtp::plain_server_security{};
    options.socket.authenticator = zmtp::make_authenticator(
        [](const zmtp::peer_info&, const zmtp::credentials& shown) -> zmtp::authenticator::verdict {
          const auto& plain = std::get<zmtp::plain_credentials>(shown);
          return zmtp::authenticator::principal{.user_id = plain.username};
        });
    server_.emplace(executor(), options, server_handlers{.on_refused = [this](const auto& of) {
                      refusals_.push_back(of.user_id + ' ' + to_string(of.wanted));
                    }});
    at_ = server_->bind("tcp://127.0.0.1:*");
  }
  // Every client subscribes to the whole map, as a client of the Guide does.
  std::unique_ptr<raw_client> client(const std::string& user) {
    zmtp::socket_options options;
    options.security = zmtp::plain_client_security{user, "secret"};
    auto made = std::make_unique<raw_client>(executor(), at_, options);
    join(*made);
    return made;
  }
  static std::string key_of(const std::vector<std::string>& m) { return m.front(); }

  std::optional<server> server_;
  server_endpoints at_;
  std::vector<std::string> refusals_;
};

TEST_F(server_roles, each_client_reads_and_writes_only_its_subtrees) {
  const auto alice = client("alice");
  const auto bob = client("bob");
  const auto chief = client("operator");
  set(*alice, "/b/forged", "x");
  run_until([&] { return server_->status().counters.forbidden.updates == 1; });
  set(*bob, "/a/forged", "x");
  run_until([&] { return server_->status().counters.forbidden.updates == 2; });
  set(*alice, "/a/1", "x");
  EXPECT_EQ(key_of(next(*alice)), "/a/1");
  EXPECT_EQ(key_of(next(*chief)), "/a/1");
  set(*bob, "/b/1", "x");
  // Bob did not get the update of the other subtree, which came before.
  EXPECT_EQ(key_of(next(*bob)), "/b/1");
  EXPECT_EQ(key_of(next(*chief)), "/b/1");
  set(*alice, "/a/2", "x");
  EXPECT_EQ(key_of(next(*alice)), "/a/2");

  EXPECT_EQ(snapshot(*alice), (content{{"/a/1", "x"}, {"/a/2", "x"}}));
  EXPECT_EQ(snapshot(*bob), (content{{"/b/1", "x"}}));
  EXPECT_EQ(snapshot(*bob, "/a/"), content{});
  EXPECT_EQ(snapshot(*chief), (content{{"/a/1", "x"}, {"/a/2", "x"}, {"/b/1", "x"}}));
  EXPECT_EQ(refusals_, (std::vector<std::string>{"alice write", "bob write", "bob read"}));
}

TEST_F(server_roles, new_rules_change_what_connected_clients_get) {
  const auto alice = client("alice");
  const auto bob = client("bob");
  const auto chief = client("operator");
  server_->change_access(zmtp::access_rules{{{"alice", read, "/a/*"},
                                             {"bob", read, "*"},
                                             {"operator", read, "*"},
                                             {"operator", write, "*"}}});
  set(*alice, "/a/late", "x");
  run_until([&] { return server_->status().counters.forbidden.updates == 1; });
  set(*chief, "/a/1", "x");
  EXPECT_EQ(key_of(next(*alice)), "/a/1");
  EXPECT_EQ(key_of(next(*bob)), "/a/1");
  EXPECT_EQ(server_->status().subscribers, 3U);
}

}  // namespace
}  // namespace chp
