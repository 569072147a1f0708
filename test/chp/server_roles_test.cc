// Roles on real connections: the principals are PLAIN users.
#include "chp/client.h"
#include "chp/server.h"
#include "test/chp/shell_fixture.h"
#include "zmtp/authenticators/authenticator_function.h"

#include <gtest/gtest.h>

#include <algorithm>
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

TEST_F(server_roles, our_client_is_told_that_it_may_not_read_its_subtree) {
  client_options options;
  options.subtree = "/a/";
  options.retry = options.longest_retry = 5ms;
  options.heartbeat = 20ms;
  options.socket.security = zmtp::plain_client_security{"bob", "secret"};
  std::vector<client_event::kind> events;
  chp::client ours{executor(),
                   {server_address::at(at_.snapshots.to_string())},
                   options,
                   [&](const client_event& event) { events.push_back(event.what); }};
  const auto wait = [&] {
    std::optional<boost::system::error_code> ended;
    ours.async_wait_ready([&](boost::system::error_code ec) { ended = ec; });
    run_until([&] { return ended.has_value(); });
    return *ended;
  };
  EXPECT_EQ(wait(), errc::subtree_forbidden);
  EXPECT_EQ(events.back(), client_event::kind::forbidden);

  // With other rules it follows, until these change again.
  server_->change_access(zmtp::access_rules{{{"bob", read, "/*"}}});
  run_until([&] { return ours.status().following; });
  EXPECT_EQ(wait(), boost::system::error_code{});
  server_->change_access(some_rules());
  events.clear();
  const auto saw = [&](client_event::kind what) {
    return std::find(events.begin(), events.end(), what) != events.end();
  };
  run_until([&] { return saw(client_event::kind::forbidden); });
  EXPECT_TRUE(saw(client_event::kind::server_lost));
  EXPECT_FALSE(ours.status().following);
}

}  // namespace
}  // namespace chp
