// The server of the map on real sockets.

#include "chp/server.h"

#include "chp/announcement.h"
#include "test/chp/shell_fixture.h"
#include "zmtp/socket/pipeline_sockets.h"

#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace chp {
namespace {

using namespace std::chrono_literals;

class server_shell : public shell_test {
protected:
  void start(const server_options& options = {}) {
    server_.emplace(executor(), options);
    at_ = server_->bind("tcp://127.0.0.1:*");
  }
  std::unique_ptr<raw_client> client(const zmtp::socket_options& options = {}) {
    auto made = std::make_unique<raw_client>(executor(), at_, options);
    join(*made);
    return made;
  }

  std::optional<server> server_;
  server_endpoints at_;
};

server_options impatient() {
  server_options options;
  options.heartbeat = 20ms;
  return options;
}

TEST_F(server_shell, has_three_ports_in_a_row_with_the_types_of_12_chp) {  // CHP-1, CHP-2, CHP-3
  start();
  const auto port = at_.snapshots.tcp()->port;
  EXPECT_EQ(at_.publisher.tcp()->port, port + 1);
  EXPECT_EQ(at_.collector.tcp()->port, port + 2);
  auto options = zmtp::test::announcing();
  zmtp::dealer_socket snapshot_client{executor(), options};
  zmtp::sub_socket subscriber{executor(), options};
  zmtp::pub_socket setter{executor()};
  snapshot_client.connect(at_.snapshots.to_string());
  subscriber.connect(at_.publisher.to_string());
  setter.connect(at_.collector.to_string());
  run_until([&] {
    return !snapshot_client.peers().empty() && !subscriber.peers().empty() &&
           !setter.peers().empty();
  });
  EXPECT_EQ(snapshot_client.peers()[0].info.type, zmtp::socket_type::router);
  EXPECT_EQ(subscriber.peers()[0].info.type, zmtp::socket_type::pub);
  EXPECT_EQ(setter.peers()[0].info.type, zmtp::socket_type::sub);
}

TEST_F(server_shell, binds_all_three_or_none) {
  start();
  server other{executor()};
  zmtp::error_code ec;
  // The second port of the server is in use.
  const auto before = at_.snapshots.tcp()->port - 1;
  other.bind("tcp://127.0.0.1:" + std::to_string(before), ec);
  EXPECT_TRUE(ec);
  other.bind("ipc:///tmp/none", ec);
  EXPECT_EQ(ec, zmtp::errc::bad_endpoint);
  other.bind("nonsense", ec);
  EXPECT_TRUE(ec);
  EXPECT_THROW(other.bind("nonsense"), boost::system::system_error);
  other.bind("tcp://127.0.0.1:*", ec);
  EXPECT_FALSE(ec);
}

TEST_F(server_shell, serves_clients_of_two_transports) {
  start(impatient());
  const auto over_tcp = client();
  at_ = server_->bind("ws://127.0.0.1:*/map");
  EXPECT_EQ(at_.collector.ws()->port, at_.snapshots.ws()->port + 2);
  EXPECT_EQ(at_.collector.ws()->path, "/map");
  const auto over_ws = client();
  set(*over_ws, "/a/1", "x");
  EXPECT_EQ(next(*over_tcp).front(), "/a/1");
  EXPECT_EQ(next(*over_ws).front(), "/a/1");
  EXPECT_EQ(snapshot(*over_ws), (content{{"/a/1", "x"}}));
}

TEST_F(server_shell, takes_updates_publishes_them_and_answers_with_a_snapshot) {
  start(impatient());
  const auto one = client();
  const auto other = client();
  set(*one, "/a/1", "x");
  for (auto* each : {one.get(), other.get()}) {
    const auto m = next(*each);
    EXPECT_EQ(m.front(), "/a/1");
    EXPECT_EQ(m.back(), "x");
  }
  set(*other, "/b/1", "y");
  EXPECT_EQ(next(*one).front(), "/b/1");
  EXPECT_EQ(snapshot(*one), (content{{"/a/1", "x"}, {"/b/1", "y"}}));
  EXPECT_EQ(snapshot(*other, "/b/"), (content{{"/b/1", "y"}}));
  EXPECT_EQ(server_->status().keys, 2U);
  EXPECT_EQ(server_->status().counters.snapshots, 2U);
}

TEST_F(server_shell, publishes_updates_of_its_own) {
  std::vector<std::uint64_t> seen;
  server_.emplace(executor(), impatient(),
                  server_handlers{.on_turn = [&](const server_status& now) {
                    if (seen.empty() || now.counters.log.updates != seen.back()) {
                      seen.push_back(now.counters.log.updates);
                    }
                  }});
  at_ = server_->bind("tcp://127.0.0.1:*");
  const auto one = client();
  EXPECT_TRUE(server_->set("/a", "x"));
  EXPECT_TRUE(server_->set("/b", "y"));
  EXPECT_EQ(next(*one).front(), "/a");
  EXPECT_EQ(next(*one).back(), "y");
  EXPECT_FALSE(server_->set("HUGZ", "z"));
  EXPECT_FALSE(server_->set("", "z"));
  EXPECT_EQ(server_->status().counters.log.refused[static_cast<std::size_t>(errc::key_reserved)],
            1U);
  EXPECT_EQ(server_->status().counters.log.refused[static_cast<std::size_t>(errc::key_empty)], 1U);
  EXPECT_TRUE(server_->set("/a", ""));
  EXPECT_EQ(next(*one).back(), "");
  EXPECT_EQ(snapshot(*one), (content{{"/b", "y"}}));
  EXPECT_EQ(server_->status().number, 3U);
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{0, 1, 2, 3}));
}

TEST_F(server_shell, erases_expired_keys) {
  start(impatient());
  const auto one = client();
  set(*one, "t", "x", new_id(), "ttl=1\n");
  EXPECT_EQ(next(*one).back(), "x");
  EXPECT_EQ(next(*one).back(), "");
}

TEST_F(server_shell, publishes_a_hundred_thousand_updates_in_order_and_none_is_lost) {
  constexpr std::size_t count = 100'000;
  start();
  zmtp::socket_options options;
  options.receive_mark = {.messages = 100, .bytes = {}};
  const auto reader = client(options);
  zmtp::socket_options wait;
  wait.no_drop = true;
  zmtp::pub_socket setter{executor(), wait};
  setter.connect(at_.collector.to_string());
  run_until([&] { return setter.subscribers("") == 1; });
  std::size_t sent = 0;
  std::size_t received = 0;
  zmtp::message m;
  const std::string value(32, 'v');
  run_until([&] {
    for (int n = 0; n < 500 && sent < count; ++n) {
      if (setter.try_send(make_set(form::kvmsg, "k" + std::to_string(sent % 1'000), new_id(), {},
                                   value)) != zmtp::send_status::queued) {
        break;
      }
      ++sent;
    }
    while (reader->subscriber.try_receive(m)) {
      if (m.front() != "HUGZ") {
        EXPECT_EQ(m.front(), "k" + std::to_string(received % 1'000));
        ++received;
      }
    }
    return received == count || HasFailure();
  });
  EXPECT_EQ(server_->connections().dropped_full, 0U);
}

TEST_F(server_shell, sends_a_snapshot_as_its_peer_reads_and_serves_others) {
  server_options options;
  options.snapshot_piece = 10'000;
  start(options);
  const auto one = client();
  const std::string value(1'000, 'v');
  for (int n = 0; n < 20'000; ++n) {
    set(*one, "k" + std::to_string(n), value);
    if (n % 200 == 199) {
      run_until([&] { return server_->status().keys == static_cast<std::size_t>(n) + 1; });
    }
  }
  zmtp::socket_options slow;
  slow.receive_mark = {.messages = 10, .bytes = {}};
  slow.transport.receive_buffer = 16 * 1024;
  const auto reader = client(slow);
  ASSERT_EQ(reader->snapshot_client.try_send(make_snapshot_request("")), zmtp::send_status::queued);
  run_until([&] { return reader->snapshot_client.readable(); });
  EXPECT_EQ(server_->status().counters.snapshots, 0U) << "twenty MB do not fit into the buffers";
  const auto quick = client();
  set(*one, "k0", "changed");
  set(*one, "new", "x");
  run_until([&] { return server_->status().keys == 20'001; });
  EXPECT_EQ(snapshot(*quick).size(), 20'001U);
  content all;
  zmtp::message m;
  for (;;) {
    run_until([&] { return reader->snapshot_client.try_receive(m); });
    if (HasFailure() || m.front() == "KTHXBAI") {
      break;
    }
    all.emplace(m.front(), m.back());
  }
  EXPECT_EQ(all.size(), 20'000U);
  EXPECT_EQ(all["k0"], value) << "of one moment";
}

TEST_F(server_shell, makes_one_piece_of_one_snapshot_per_turn) {
  start(impatient());
  const auto first = client();
  for (int n = 0; n < 100; ++n) {
    set(*first, "k" + std::to_string(n), "v");
  }
  run_until([&] { return server_->status().keys == 100; });
  constexpr std::size_t count = 30;
  std::vector<std::unique_ptr<raw_client>> others;
  for (std::size_t n = 0; n < count; ++n) {
    others.push_back(client());
  }
  // Runs once in each turn.
  std::uint64_t ended = 0;
  std::uint64_t at_once = 0;
  std::function<void()> look = [&] {
    const auto now = server_->status().counters.snapshots;
    at_once = std::max(at_once, now - ended);
    ended = now;
    if (ended != count) {
      boost::asio::post(executor(), look);
    }
  };
  boost::asio::post(executor(), look);
  for (const auto& each : others) {
    ASSERT_EQ(each->snapshot_client.try_send(make_snapshot_request("")), zmtp::send_status::queued);
  }
  run_until([&] { return ended == count; });
  EXPECT_EQ(at_once, 1U);
}

TEST_F(server_shell, disconnects_a_subscriber_that_does_not_read) {  // G3
  server_options options;
  options.publisher_bytes = 100'000;
  start(options);
  const auto one = client();
  zmtp::socket_options stalled;
  stalled.receive_mark = {.messages = 1, .bytes = {}};
  stalled.transport.receive_buffer = 16 * 1024;
  const auto slow = client(stalled);
  const std::string value(10'000, 'v');
  const auto too_slow = [&] {
    return server_->connections().ended[static_cast<std::size_t>(zmtp::errc::too_slow)];
  };
  for (int n = 0; n < 100'000 && too_slow() == 0 && !HasFailure(); ++n) {
    set(*one, "k" + std::to_string(n % 100), value);
    EXPECT_EQ(next(*one).front(), "k" + std::to_string(n % 100));
  }
  EXPECT_EQ(too_slow(), 1U);
}

TEST_F(server_shell, tells_an_earlier_client_the_number_of_a_refused_update) {
  server_options options;
  options.map.max_keys = 1;
  start(options);
  zmtp::socket_options earlier;
  earlier.extensions = {"chp-ack=0000000000008abc"};
  const auto one = client(earlier);
  const auto other = client();
  set(*one, "a", "1");
  set(*one, "b", "refused", update_id::of_session(update_id::make_session(7), 1), "low=1\n");
  set(*one, "a", "2");
  const auto number_of = [](const std::vector<std::string>& m) {
    return static_cast<int>(m.at(1).back());
  };
  for (const auto& [to, count] : {std::pair{one.get(), 3}, {other.get(), 2}}) {
    std::vector<std::string> keys;
    std::vector<int> numbers;
    for (int i = 0; i != count; ++i) {
      const auto m = next(*to);
      keys.push_back(m.front());
      numbers.push_back(number_of(m));
    }
    if (to == one.get()) {
      EXPECT_EQ(keys, (std::vector<std::string>{"a", "HUGZ passed", "a"}));
      EXPECT_EQ(numbers, (std::vector{1, 2, 3}));
    } else {
      EXPECT_EQ(numbers, (std::vector{1, 3}));
    }
  }
}

TEST_F(server_shell, serves_the_guides_model_3_from_a_pull) {
  server_options options;
  options.wire_format = form::kvsimple_8;
  options.collector = collector_kind::pull;
  start(options);
  zmtp::sub_socket subscriber{executor()};
  subscriber.subscribe("");
  subscriber.connect(at_.publisher.to_string());
  zmtp::push_socket setter{executor()};
  setter.connect(at_.collector.to_string());
  run_until([&] { return server_->status().subscribers == 1; });
  zmtp::message m;
  std::size_t sent = 0;
  // A subscription takes time to arrive, and causes no event.
  run_until([&] {
    if (setter.writable()) {
      EXPECT_EQ(setter.try_send({"key", std::string(8, '\0'), "v" + std::to_string(++sent)}),
                zmtp::send_status::queued);
    }
    return subscriber.try_receive(m);
  });
  EXPECT_EQ(m.size(), 3U);
  EXPECT_EQ(m.front(), "key");
}

TEST_F(server_shell, ends_its_operations_when_stopped_destroyed_or_without_context) {
  start(impatient());
  {
    const auto one = client();
    set(*one, "a", "1");
    server_->stop();
    zmtp::error_code ec;
    server_->bind("tcp://127.0.0.1:*", ec);
    EXPECT_TRUE(ec);
  }
  server_.reset();
  run_to_the_end();
  start(impatient());
  destroy_context();
  EXPECT_EQ(server_->status().keys, 0U);
}

}  // namespace
}  // namespace chp
