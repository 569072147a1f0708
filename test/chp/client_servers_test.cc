// Clients and servers of Zinc on real sockets. Committed updates survive at one server, at a pair of which one
// server dies, and after both were active (reliability 3.1, 3.2).

#include "chp/client.h"
#include "chp/server.h"
#include "test/chp/pair_fixture.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace chp {
namespace {

using boost::system::error_code;

// A client, and the events that it received.
struct user {
  user(const boost::asio::any_io_executor& executor, const std::vector<server_address>& servers,
       const client_options& options)
      : map{executor, servers, options,
            [this](const client_event& e) { events.push_back(e.what); }},
        changes{map.watch()} {}

  // Without waiting for the end, which is counted.
  void set(std::string key, std::string value, const set_options& how = {}) {
    ++asked;
    map.async_set(std::move(key), std::move(value), how, [this](error_code ec, truth says) {
      truths.insert(says);
      count(ec);
    });
  }
  void erase(std::string key) {
    ++asked;
    map.async_erase(std::move(key), [this](error_code ec, truth) { count(ec); });
  }
  void count(error_code ec) {
    ++ended;
    failed += ec ? 1U : 0U;
  }
  [[nodiscard]] bool idle() const noexcept { return ended == asked; }
  [[nodiscard]] content all() const {
    content all;
    map.for_each("",
                 [&](std::string_view key, std::string_view value) { all.emplace(key, value); });
    return all;
  }
  // The map as a watcher sees it.
  [[nodiscard]] const content& watched() {
    for (std::vector<change> batch; changes.try_receive(batch);) {
      for (const auto& one : batch) {
        if (one.erased()) {
          seen.erase(one.key);
        } else {
          seen[one.key] = one.value;
        }
      }
    }
    return seen;
  }
  [[nodiscard]] bool received(client_event::kind what) const {
    return std::find(events.begin(), events.end(), what) != events.end();
  }

  std::vector<client_event::kind> events;
  client map;
  watcher changes;
  content seen;
  std::set<truth> truths;  // those of the updates
  std::size_t asked = 0;
  std::size_t ended = 0;
  std::size_t failed = 0;
};

class client_servers : public pair_test {
protected:
  static client_options impatient() {
    client_options options;
    options.heartbeat = 50ms;
    options.retry = 5ms;
    options.longest_retry = 20ms;
    options.resend = 100ms;
    return options;
  }
  static server_address address(const server_endpoints& at) {
    return server_address::at(at.snapshots.to_string());
  }
  std::unique_ptr<user> user_of(const std::vector<server_address>& servers,
                                const client_options& options = impatient()) {
    return std::make_unique<user>(executor(), servers, options);
  }
  std::unique_ptr<user> user_of_pair(const client_options& options = impatient()) {
    return user_of({address(primary.at), address(backup.at)}, options);
  }
  void finish(const user& of) {
    run_until([&] { return of.idle(); });
    EXPECT_EQ(of.failed, 0U);
  }
  void expect_all(user& of, const content& what) {
    run_until([&] { return of.map.status().following && of.all() == what; });
    EXPECT_EQ(of.watched(), what);
  }
  server_endpoints serve(std::uint64_t epoch = 0, std::string_view at = "tcp://127.0.0.1:*") {
    alone.reset();
    alone.emplace(executor(), server_options{.epoch = epoch, .heartbeat = 20ms});
    return alone->bind(at);
  }

  std::optional<server> alone;
};

TEST_F(client_servers, a_committed_update_is_in_every_copy) {
  const auto at = address(serve());
  const auto setter = user_of({at});
  const auto reader = user_of({at});
  setter->set("/a/1", "one");
  setter->set("/a/2", "two");
  setter->set("plain", "three");
  setter->erase("/a/1");
  finish(*setter);
  const content expected{{"/a/2", "two"}, {"plain", "three"}};
  EXPECT_EQ(setter->all(), expected) << "the map has it when it is committed";
  expect_all(*reader, expected);
  // A client that connects late gets the snapshot.
  expect_all(*user_of({at}), expected);
  EXPECT_TRUE(setter->map.status().acknowledges);
  EXPECT_FALSE(setter->map.status().degraded) << "it has no backup to miss";
  EXPECT_EQ(setter->map.status().counters.gaps, 0U);
}

TEST_F(client_servers, a_subtree_is_complete_and_contains_nothing_else) {
  const auto at = address(serve());
  auto options = impatient();
  options.subtree = "/a/";
  const auto reader = user_of({at}, options);
  const auto setter = user_of({at});
  content expected;
  for (int n = 0; n < 500; ++n) {
    const auto key = std::to_string(n);
    setter->set("/a/" + key, key);
    setter->set("/b/" + key, key);
    expected["/a/" + key] = key;
  }
  finish(*setter);
  expect_all(*reader, expected);
  // A client may also write outside of its subtree.
  reader->set("/b/0", "changed");
  finish(*reader);
  run_until([&] { return setter->map.get("/b/0") == "changed"; });
  EXPECT_EQ(reader->all(), expected);
  EXPECT_EQ(reader->map.status().counters.gaps, 0U);
}

TEST_F(client_servers, a_key_expires_at_all_clients) {
  const auto at = address(serve());
  const auto setter = user_of({at});
  const auto reader = user_of({at});
  setter->set("/short", "1", {.ttl = 1s});
  setter->set("/long", "2", {.ttl = 1h});
  finish(*setter);
  EXPECT_EQ(setter->all().size(), 2U);
  expect_all(*reader, {{"/long", "2"}});
  expect_all(*setter, {{"/long", "2"}});
}

TEST_F(client_servers, applies_many_updates_in_flight_once_and_in_order) {
  const auto at = address(serve());
  const auto one = user_of({at});
  const auto other = user_of({at});
  for (int n = 0; n < 20'000; ++n) {
    one->set("/one/" + std::to_string(n % 100), std::to_string(n));
    other->set("/other/" + std::to_string(n % 100), std::to_string(n));
  }
  finish(*one);
  finish(*other);
  content expected;
  for (int n = 19'900; n < 20'000; ++n) {
    expected["/one/" + std::to_string(n % 100)] = std::to_string(n);
    expected["/other/" + std::to_string(n % 100)] = std::to_string(n);
  }
  expect_all(*one, expected);
  expect_all(*other, expected);
  EXPECT_EQ(alone->status().counters.log.updates, 40'000U);
}

TEST_F(client_servers, a_server_that_lost_its_map_is_followed_in_a_later_epoch) {
  const auto bound = serve(1);
  const auto reader = user_of({address(bound)});
  reader->set("/a", "1");
  finish(*reader);
  EXPECT_EQ(epoch_of(reader->map.status().number), 1U);
  serve(2, bound.snapshots.to_string());
  expect_all(*reader, {});
  reader->set("/b", "2");
  finish(*reader);
  expect_all(*reader, {{"/b", "2"}});
  EXPECT_EQ(epoch_of(reader->map.status().number), 2U);
}

TEST_F(client_servers, a_write_does_not_wait_for_the_retry_pause_of_another_server) {
  const auto away = serve();
  const auto second = serve();  // in the place of the first, which is away from now on
  auto options = impatient();
  options.retry = 1h;
  options.longest_retry = 1h;
  const auto one = user_of({address(second), address(away)}, options);
  // The client has seen no update that the other server lacks.
  run_until([&] { return one->map.status().following; });
  server again{executor(), server_options{.heartbeat = 20ms}};
  again.bind(away.snapshots.to_string());
  alone.reset();
  one->set("b", "2");
  finish(*one);
}

TEST_F(client_servers, a_pair_commits_updates_that_both_servers_have) {
  start();
  const auto setter = user_of_pair();
  setter->set("/a", "1");
  finish(*setter);
  EXPECT_FALSE(setter->map.status().degraded);
  EXPECT_EQ(backup.all(), (content{{"/a", "1"}}));
  EXPECT_TRUE(has_epoch(setter->map.status().number));
}

TEST_F(client_servers, committed_updates_survive_the_loss_of_the_active_server) {
  start();
  const auto setter = user_of_pair();
  const auto reader = user_of_pair();
  auto options = impatient();
  options.subtree = "/later/";
  const auto follower = user_of_pair(options);
  content expected;
  const auto set_some = [&](const std::string& folder, int count) {
    for (int n = 0; n < count; ++n) {
      setter->set(folder + std::to_string(n), std::to_string(n));
      expected[folder + std::to_string(n)] = std::to_string(n);
    }
  };
  setter->set("/gone", "1");
  setter->erase("/gone");
  set_some("/before/", 100);
  finish(*setter);
  // Kills the server while updates are in flight.
  set_some("/during/", 5'000);
  run_until([&] { return setter->ended > setter->asked - 4'000; });
  EXPECT_FALSE(setter->idle());
  primary.server.reset();
  set_some("/later/", 100);
  finish(*setter);
  EXPECT_TRUE(backup.active());
  EXPECT_TRUE(setter->map.status().degraded);
  expect_all(*setter, expected);
  expect_all(*reader, expected);
  EXPECT_EQ(backup.all(), expected);
  run_until([&] { return follower->all().size() == 100; });
  EXPECT_FALSE(setter->received(client_event::kind::history_lost));

  // The primary restarts empty, follows, and takes over later.
  make(primary, options_of(bstar::role::primary));
  connect(primary, backup);
  run_until([&] { return backup.server->status().server.backup_in_sync; });
  set_some("/again/", 100);
  finish(*setter);
  run_until([&] { return !setter->map.status().degraded; });
  backup.server.reset();
  set_some("/last/", 100);
  finish(*setter);
  EXPECT_TRUE(primary.active());
  expect_all(*setter, expected);
  expect_all(*reader, expected);
  EXPECT_EQ(primary.all(), expected);
}

TEST_F(client_servers, updates_that_a_split_brain_cuts_are_reported_to_their_client) {
  auto at_once = options_of(bstar::role::backup);
  at_once.pair.pair.promote_alone_after = 10ms;
  make(primary, options_of(bstar::role::primary));
  make(backup, at_once);
  const auto here = user_of({address(primary.at)});
  const auto there = user_of({address(backup.at)});
  content expected;
  for (int n = 0; n < 300; ++n) {
    here->set("/here/" + std::to_string(n), "1");
    there->set("/there/" + std::to_string(n), "2");
    expected["/there/" + std::to_string(n)] = "2";
  }
  finish(*here);
  finish(*there);
  ASSERT_TRUE(primary.active());
  ASSERT_TRUE(backup.active());
  EXPECT_TRUE(here->map.status().degraded);
  EXPECT_EQ(here->all().size(), 300U);
  EXPECT_EQ(there->all().size(), 300U);
  EXPECT_EQ(here->truths, (std::set{truth::one_server})) << "no completion claims two servers";

  connect(primary, backup);
  connect(backup, primary);
  run_until([&] { return backup.server->status().server.backup_in_sync; });
  EXPECT_FALSE(primary.active()) << "the backup's epoch is the later one";
  EXPECT_EQ(primary.all(), expected) << "what the primary alone had is cut";
  EXPECT_EQ(primary.server->status().server.counters.log.lost, 300U);
  expect_all(*there, expected);
  const auto anywhere = user_of_pair();
  expect_all(*anywhere, expected);
  anywhere->set("/more", "3");
  expected["/more"] = "3";
  finish(*anywhere);
  EXPECT_FALSE(anywhere->map.status().degraded);
  expect_all(*there, expected);
  // The client of the primary alone hears it when that server is active again.
  backup.server.reset();
  expect_all(*here, expected);
  EXPECT_TRUE(here->received(client_event::kind::history_lost));
  run_until([&] { return here->map.status().counters.lost == 300; });
}

TEST_F(client_servers, a_client_reports_a_lost_history_before_the_changes_of_the_next) {
  const auto at = serve(1);
  const auto one = user_of({address(at)});
  one->set("/a", "1");
  finish(*one);
  auto changes = one->map.watch();
  std::vector<change> batch;
  std::optional<bool> reported_before;
  changes.async_receive(batch, [&](error_code, std::size_t) {
    reported_before = one->received(client_event::kind::history_lost);
  });
  serve(2, at.snapshots.to_string());
  run_until([&] { return reported_before.has_value(); });
  EXPECT_TRUE(*reported_before);
  EXPECT_TRUE(batch.front().erased());
}

// The limits of frames are by default for the values of the default limit.
TEST_F(client_servers, values_may_be_larger_than_the_frames_of_other_messages) {
  constexpr std::size_t size = 300'000;
  zmtp::socket_options small;
  small.limit.frame_size = 1'000;
  small.limit.message_size = 2'000;
  server_options options;
  options.limit.max_value_size = size;
  options.socket = small;
  server one{executor(), options};
  const auto at = one.bind("tcp://127.0.0.1:*");
  client_options of_client;
  of_client.most_value_bytes = size;
  of_client.socket = small;
  client writer{executor(), {address(at)}, of_client};
  std::optional<error_code> end;
  writer.async_set("a", std::string(size, 'v'), [&](error_code ec, truth) { end = ec; });
  run_until([&] { return end.has_value(); });
  EXPECT_EQ(*end, error_code{});
  client reader{executor(), {address(at)}, of_client};
  run_until([&] { return reader.status().ready; });
  EXPECT_EQ(reader.get("a"), std::string(size, 'v'));
}

TEST_F(client_servers, a_full_server_reports_it) {
  server full{executor(), {.limit = {.max_value_size = 4}, .map = {.max_keys = 1}}};
  const auto at = full.bind("tcp://127.0.0.1:*");
  const auto one = user_of({address(at)});
  std::vector<error_code> ends;
  const auto set = [&](std::string key, std::string value) {
    one->map.async_set(std::move(key), std::move(value),
                       [&](error_code ec, truth) { ends.push_back(ec); });
  };
  set("a", "1");
  set("b", "1");
  set("a", "12345");
  set("a", "2");
  run_until([&] { return ends.size() == 4; });
  EXPECT_EQ(ends, (std::vector<error_code>{{}, errc::too_many_keys, errc::value_too_long, {}}));
  EXPECT_EQ(outcome_of(ends[1]), outcome::not_made);
  EXPECT_EQ(one->map.get("a"), "2");
  EXPECT_EQ(one->map.status().sent, 0U);
}

TEST_F(client_servers, a_server_whose_epoch_is_used_up_continues_in_the_next) {
  std::vector<server_event> events;
  std::uint64_t last = 5;
  server own{executor(),
             {.epoch = 5, .epoch_reserve = max_position - 10, .heartbeat = 20ms},
             {.next_epoch = [&] { return last == 7 ? std::nullopt : std::optional{++last}; },
              .on_event = [&](server_event e) { events.push_back(e); }}};
  const auto at = address(own.bind("tcp://127.0.0.1:*"));
  const auto setter = user_of({at});
  const auto reader = user_of({at});
  content expected;
  for (int n = 0; n < 100; ++n) {
    const auto key = "/" + std::to_string(n);
    expected[key] = key;
    setter->set(key, key);
    finish(*setter);
  }
  expect_all(*reader, expected);
  EXPECT_EQ(last, 7U);
  EXPECT_EQ(epoch_of(own.status().number), 7U);
  EXPECT_EQ(own.status().counters.log.updates, 100U);
  EXPECT_EQ(std::count(events.begin(), events.end(), server_event::epoch_used_up), 0);
  EXPECT_FALSE(reader->received(client_event::kind::history_lost));
}

TEST_F(client_servers, a_pair_whose_epoch_is_used_up_continues_in_the_next) {
  const auto options = [](bstar::role as) {
    auto own = options_of(as);
    own.server.epoch_reserve = max_position - 10;
    return own;
  };
  make(primary, options(bstar::role::primary));
  make(backup, options(bstar::role::backup));
  connect(primary, backup);
  connect(backup, primary);
  run_until([&] { return primary.server->status().server.backup_in_sync; });
  const auto one = user_of_pair();
  content expected;
  for (int n = 0; n < 50; ++n) {
    const auto key = "/" + std::to_string(n);
    expected[key] = key;
    one->set(key, key);
    finish(*one);
  }
  expect_all(*one, expected);
  EXPECT_TRUE(primary.active());
  EXPECT_GE(epoch_of(primary.server->status().server.number), 3U);
  EXPECT_EQ(epoch_of(primary.server->status().server.number) % 2, 1U) << "the backup's are even";
  run_until([&] { return backup.all() == expected; });
}

}  // namespace
}  // namespace chp
