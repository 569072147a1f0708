// A client on real sockets: completion tokens, cancellation, lifetime, and servers that go.

#include "chp/client.h"

#include "test/chp/stand_in_server.h"
#include "test/support/network_test.h"
#include "zmtp/error.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace chp::test {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;

class chp_client : public zmtp::test::network_test {
protected:
  [[nodiscard]] std::vector<server_address> servers() const {
    std::vector<server_address> all{first->address()};
    if (second) {
      all.push_back(second->address());
    }
    return all;
  }
  static client_options impatient() {
    client_options options;
    options.heartbeat = 100ms;
    options.retry = 5ms;
    options.longest_retry = 20ms;
    return options;
  }
  std::unique_ptr<client> ready_client(const client_options& options = impatient()) {
    auto made = std::make_unique<client>(executor(), servers(), options,
                                         [this](const client_event& e) { events.push_back(e); });
    EXPECT_EQ(wait([&](auto done) { made->async_wait_ready(std::move(done)); }), error_code{});
    return made;
  }
  template <class Start>
  error_code wait(Start&& start) {
    std::optional<error_code> end;
    start([&end](error_code ec) { end = ec; });
    EXPECT_FALSE(end) << "completed within its initiation";
    run_until([&] { return end.has_value(); });
    return end.value_or(zmtp::errc::timed_out);
  }
  error_code set(client& of, std::string key, std::string value) {
    return wait([&](auto done) {
      of.async_set(key, value, [done](error_code ec, truth) mutable { done(ec); });
    });
  }

  std::optional<stand_in_server> first{std::in_place, executor()};
  std::optional<stand_in_server> second;
  std::vector<client_event> events;
};

TEST_F(chp_client, a_coroutine_sets_reads_watches_and_erases) {
  first->map = {{"/a/1", "one"}};
  client c{executor(), servers(), impatient()};
  bool over = false;
  const auto use = [&]() -> asio::awaitable<void> {
    auto changes = c.watch("/a/");
    co_await c.async_wait_ready(asio::use_awaitable);
    EXPECT_EQ(c.get("/a/1"), "one");
    EXPECT_EQ(c.get("/a/2"), std::nullopt);
    const auto says = co_await c.async_set("/a/2", "two", {.ttl = 60s}, asio::use_awaitable);
    EXPECT_EQ(says, truth::both_servers);
    EXPECT_EQ(c.get("/a/2"), "two") << "the map has it when it is committed";
    co_await c.async_set("/b", "elsewhere", asio::use_awaitable);
    co_await c.async_erase("/a/1", asio::use_awaitable);
    EXPECT_EQ(c.get("/a/1"), std::nullopt);
    std::vector<change> batch;
    std::string seen;
    while (seen.size() < 21) {
      const auto count = co_await changes.async_receive(batch, asio::use_awaitable);
      EXPECT_EQ(count, batch.size());
      for (const auto& one : batch) {
        seen += one.key + "=" + one.value + " ";
      }
    }
    EXPECT_EQ(seen, "/a/1=one /a/2=two /a/1= ");
    std::string all;
    c.for_each("/", [&](std::string_view key, std::string_view value) {
      all += std::string{key} + "=" + std::string{value} + " ";
    });
    EXPECT_EQ(all, "/a/2=two /b=elsewhere ");
    const auto [ec, none] = co_await c.async_set("HUGZ", "1", asio::as_tuple(asio::use_awaitable));
    EXPECT_EQ(none, truth::unknown);
    EXPECT_EQ(ec, errc::key_reserved);
    EXPECT_EQ(outcome_of(ec), outcome::not_made);
  };
  asio::co_spawn(context(), use(), [&](const std::exception_ptr& thrown) {
    EXPECT_FALSE(thrown);
    over = true;
  });
  run_until([&] { return over; });
}

TEST_F(chp_client, connects_a_dealer_a_sub_and_a_pub) {  // CHP-4, CHP-5, CHP-6
  auto options = impatient();
  options.subtree = "/a/";
  const auto c = ready_client(options);
  EXPECT_EQ(first->topics, (std::vector<std::string>{"/a/", "HUGZ"}));
  EXPECT_EQ(set(*c, "/a/1", "one"), error_code{});
  EXPECT_EQ(first->sets, 1U);
  using enum zmtp::socket_type;
  EXPECT_EQ(first->peer_types[0], std::set{dealer});
  EXPECT_EQ(first->peer_types[1], std::set{sub});
  EXPECT_EQ(first->peer_types[2], std::set{pub});
}

TEST_F(chp_client, constructor_rejects_bad_endpoints_immediately) {
  const auto fault = [&](const std::vector<server_address>& to, const client_options& options) {
    try {
      const client c{executor(), to, options};
    } catch (const boost::system::system_error& e) {
      return e.code();
    }
    return error_code{};
  };
  EXPECT_EQ(fault({}, {}), zmtp::errc::bad_endpoint);
  EXPECT_EQ(fault({{"tcp://127.0.0.1:5556", "tcp://127.0.0.1:5557", "nowhere"}}, {}),
            zmtp::errc::bad_endpoint);
  EXPECT_EQ(fault(servers(), {.subtree = "/a"}), errc::malformed_subtree);
  EXPECT_EQ(fault(servers(), {.subtree = "/a/"}), error_code{});
}

TEST_F(chp_client, the_three_ports_follow_one_another) {
  const auto at = server_address::at("localhost:5556");
  EXPECT_EQ(at.snapshot, "tcp://localhost:5556");
  EXPECT_EQ(at.publisher, "tcp://localhost:5557");
  EXPECT_EQ(at.collector, "tcp://localhost:5558");
  EXPECT_EQ(server_address::at("tcp://[::1]:1").collector, "tcp://[::1]:3");
  EXPECT_EQ(server_address::at("ws://localhost:80/map").publisher, "ws://localhost:81/map");
  for (const auto* const bad : {"localhost", "localhost:65534", "ws://localhost/map", "inproc://a",
                                "ipc:///tmp/x", "localhost:0", ""}) {
    EXPECT_THROW(static_cast<void>(server_address::at(bad)), boost::system::system_error) << bad;
  }
}

TEST_F(chp_client, without_an_answer_a_wait_ends_at_its_deadline) {
  first->answers = false;
  client c{executor(), servers(), impatient()};
  EXPECT_EQ(wait([&](auto done) { c.async_wait_ready(20ms, std::move(done)); }),
            zmtp::errc::timed_out);
  first->wake();
  EXPECT_EQ(wait([&](auto done) { c.async_wait_ready(15s, std::move(done)); }), error_code{});
  EXPECT_EQ(wait([&](auto done) { c.async_wait_ready(std::move(done)); }), error_code{});
}

TEST_F(chp_client, waits_can_be_cancelled) {
  first->answers = false;
  client c{executor(), servers(), impatient()};
  auto changes = c.watch();
  asio::cancellation_signal signals[3];
  std::vector<error_code> ends;
  const auto note = [&](error_code ec) { ends.push_back(ec); };
  std::vector<change> batch;
  c.async_wait_ready(asio::bind_cancellation_slot(signals[0].slot(), note));
  c.async_set("/a", "1", asio::bind_cancellation_slot(signals[1].slot(), [&](error_code ec, truth) {
                note(ec);
              }));
  changes.async_receive(
      batch, asio::bind_cancellation_slot(signals[2].slot(),
                                          [&](error_code ec, std::size_t) { note(ec); }));
  for (auto& signal : signals) {
    signal.emit(asio::cancellation_type::total);
  }
  EXPECT_TRUE(ends.empty());
  run_until([&] { return ends.size() == 3; });
  for (const auto& ec : ends) {
    EXPECT_EQ(ec, asio::error::operation_aborted);
  }
  // The client withdraws the unsent update, so the next one is the first.
  first->wake();
  EXPECT_EQ(set(c, "/a", "2"), error_code{});
  EXPECT_EQ(first->sets, 1U);
}

TEST_F(chp_client, a_cancelled_set_that_was_sent_is_still_committed) {
  first->acknowledges = false;
  const auto c = ready_client();
  std::optional<error_code> end;
  asio::cancellation_signal signal;
  c->async_set("/a", "1", asio::bind_cancellation_slot(signal.slot(), [&](error_code ec, truth) {
                 end = ec;
               }));
  run_until([&] { return first->sets == 1; });
  signal.emit(asio::cancellation_type::terminal);
  run_until([&] { return end.has_value(); });
  EXPECT_EQ(end, asio::error::operation_aborted);
  EXPECT_EQ(outcome_of(*end), outcome::unknown);
  EXPECT_EQ(c->status().sent, 1U);
  first->acknowledge();
  run_until([&] { return c->status().sent == 0; });
  EXPECT_EQ(c->get("/a"), "1");
}

TEST_F(chp_client, a_set_ends_at_its_deadline_with_its_known_outcome) {
  first->acknowledges = false;
  const auto c = ready_client();
  const auto end = wait([&](auto done) {
    c->async_set("/a", "1", {.until = 30ms}, [done](error_code ec, truth) mutable { done(ec); });
  });
  EXPECT_TRUE(end == errc::unconfirmed || end == errc::not_sent) << end.message();
}

TEST_F(chp_client, a_destroyed_client_completes_pending_operations) {
  first->acknowledges = false;
  auto c = ready_client();
  auto changes = c->watch();
  std::vector<error_code> ends;
  std::vector<change> batch;
  c->async_set("/a", "1", [&](error_code ec, truth) { ends.push_back(ec); });
  changes.async_receive(batch, [&](error_code ec, std::size_t) { ends.push_back(ec); });
  c->stop();
  c->async_wait_ready([&](error_code ec) { ends.push_back(ec); });
  c->async_erase("/a", [&](error_code ec, truth) { ends.push_back(ec); });
  c.reset();
  EXPECT_TRUE(ends.empty()) << "called within the destructor";
  run_until([&] { return ends.size() == 4; });
  for (const auto& ec : ends) {
    EXPECT_EQ(ec, asio::error::operation_aborted);
  }
  EXPECT_FALSE(changes.try_receive(batch));
  first.reset();
  run_to_the_end();
}

TEST_F(chp_client, a_handler_may_destroy_the_client) {
  auto c = ready_client();
  bool notified = false;
  c->async_set("/a", "1", [&](error_code ec, truth) {
    EXPECT_FALSE(ec);
    c.reset();
    notified = true;
  });
  c->async_set("/a", "2", [](error_code, truth) {});
  run_until([&] { return notified; });
  first.reset();
  run_to_the_end();
}

TEST_F(chp_client, a_destroyed_context_ends_all_operations) {
  first->acknowledges = false;
  auto c = ready_client();
  auto changes = c->watch();
  const auto owned = std::make_shared<int>(1);
  std::vector<change> batch;
  c->async_set("/a", "1", [owned](error_code, truth) { ADD_FAILURE(); });
  run_until([&] { return first->sets == 1; });
  first.reset();
  destroy_context();
  EXPECT_EQ(owned.use_count(), 1);
  EXPECT_EQ(c->get("/none"), std::nullopt);
  while (changes.try_receive(batch)) {
    EXPECT_EQ(batch.size(), 1U);
  }
}

TEST_F(chp_client, fails_over_and_resends_pending_updates_to_the_next_server) {
  second.emplace(executor());
  first->number = make_sequence(1, 0);
  second->history.begin_reign(1, 7, make_sequence(1, 10));
  second->number = make_sequence(2, 0);
  first->acknowledges = false;
  const auto c = ready_client();
  std::optional<error_code> end;
  c->async_set("/a", "1", [&](error_code ec, truth) { end = ec; });
  run_until([&] { return first->sets == 1; });
  EXPECT_FALSE(end);
  EXPECT_EQ(second->sets, 0U);
  first.reset();
  run_until([&] { return end.has_value(); });
  EXPECT_FALSE(*end);
  EXPECT_EQ(c->get("/a"), "1");
  EXPECT_EQ(c->status().server, 1U);
  EXPECT_EQ(set(*c, "/b", "2"), error_code{});
  using enum client_event::kind;
  EXPECT_EQ(events, (std::vector<client_event>{{following, 0}, {server_lost, 0}, {following, 1}}));
}

TEST_F(chp_client, a_set_for_both_servers_waits_until_both_have_it) {
  first->says = truth::one_disk;
  const auto c = ready_client();
  std::optional<truth> of_one;
  std::optional<truth> of_both;
  c->async_set("/a", "1", {.require = required::both}, [&](error_code ec, truth says) {
    EXPECT_FALSE(ec);
    of_both = says;
  });
  c->async_set("/b", "1", [&](error_code ec, truth says) {
    EXPECT_FALSE(ec);
    of_one = says;
  });
  run_until([&] { return of_one.has_value(); });
  EXPECT_EQ(of_one, truth::one_disk);
  EXPECT_FALSE(of_both);
  first->says = truth::both_disks;
  first->acknowledge();
  run_until([&] { return of_both.has_value(); });
  EXPECT_EQ(of_both, truth::both_disks);
  std::optional<error_code> end;
  first->says = truth::one_disk;
  c->async_erase("/a", {.until = 30ms, .require = required::both},
                 [&](error_code ec, truth) { end = ec; });
  run_until([&] { return end.has_value(); });
  EXPECT_EQ(outcome_of(*end), *end == errc::not_on_both   ? outcome::committed
                              : *end == errc::unconfirmed ? outcome::unknown
                                                          : outcome::not_made);
}

TEST_F(chp_client, reports_updates_that_a_history_has_lost) {
  second.emplace(executor());
  first->number = make_sequence(1, 0);
  first->says = truth::one_server;
  second->number = make_sequence(2, 0);  // another history
  second->acknowledges = false;
  const auto c = ready_client();
  std::vector<lost_update> lost;
  c->on_lost([&](const lost_update& one) { lost.push_back(one); });
  EXPECT_EQ(set(*c, "/a", "1"), error_code{});
  first.reset();
  run_until([&] { return second->sets == 1; });
  second->acknowledge(errc::refused);
  run_until([&] { return !lost.empty(); });
  EXPECT_EQ(lost, (std::vector<lost_update>{{"/a", "1"}}));
  run_until([&] { return !events.empty() && events.back().what == client_event::kind::lost; });
  EXPECT_EQ(c->status().counters.lost, 1U);
}

TEST_F(chp_client, begins_a_new_session_when_the_server_has_forgotten_it) {
  first->acknowledges = false;
  const auto c = ready_client();
  std::optional<error_code> end;
  c->async_set("/a", "1", [&](error_code ec, truth) { end = ec; });
  run_until([&] { return first->sets == 1; });
  first->forget_sessions();
  run_until([&] { return end.has_value(); });
  EXPECT_EQ(*end, errc::session_forgotten);
  EXPECT_EQ(outcome_of(*end), outcome::unknown);
  first->acknowledges = true;
  EXPECT_EQ(set(*c, "/a", "2"), error_code{});
  EXPECT_EQ(first->sessions(), 2U);
}

TEST_F(chp_client, connects_to_a_server_that_starts_later) {
  const auto at = first->address();
  first.reset();
  second.emplace(executor());
  second->map = {{"/a", "1"}};
  client c{executor(), {at, second->address()}, impatient()};
  EXPECT_EQ(wait([&](auto done) { c.async_wait_ready(15s, std::move(done)); }), error_code{});
  EXPECT_EQ(c.status().server, 1U);
  EXPECT_EQ(c.get("/a"), "1");
}

TEST_F(chp_client, a_slow_watcher_gets_the_last_value_of_each_key) {
  auto options = impatient();
  options.watched_changes = 10;
  const auto c = ready_client(options);
  auto changes = c->watch("/a/");
  for (int i = 0; i < 50; ++i) {
    first->set("/a/" + std::to_string(i % 3), std::to_string(i));
    first->set("/b", "other");
  }
  run_until([&] { return c->status().number == 100; });
  std::vector<change> batch;
  ASSERT_TRUE(changes.try_receive(batch));
  EXPECT_LE(batch.size(), 10U);
  std::map<std::string, std::string> last;
  for (const auto& one : batch) {
    last[one.key] = one.value;
  }
  EXPECT_EQ(last,
            (std::map<std::string, std::string>{{"/a/0", "48"}, {"/a/1", "49"}, {"/a/2", "47"}}));
  EXPECT_FALSE(changes.try_receive(batch));
}

TEST_F(chp_client, a_slow_watcher_of_large_values_keeps_the_last_ones) {
  auto options = impatient();
  options.watched_bytes = 100;
  const auto c = ready_client(options);
  auto changes = c->watch("/a/");
  for (int i = 0; i < 50; ++i) {
    first->set("/a/" + std::to_string(i % 3), std::string(18, 'v') + std::to_string(10 + i));
  }
  run_until([&] { return c->status().number == 50; });
  std::vector<change> batch;
  ASSERT_TRUE(changes.try_receive(batch));
  EXPECT_GE(batch.size(), 3U);
  EXPECT_LE(batch.size(), 6U) << "twice the bytes of the three keys";
  EXPECT_EQ(batch.back().value, std::string(18, 'v') + "59");
}

TEST_F(chp_client, many_sets_at_once_are_committed_each_once_and_in_order) {
  const auto c = ready_client();
  constexpr std::size_t count = 20'000;
  std::size_t committed = 0;
  for (std::size_t i = 0; i < count; ++i) {
    c->async_set("/a/" + std::to_string(i % 100), std::to_string(i), [&](error_code ec, truth) {
      EXPECT_FALSE(ec);
      ++committed;
    });
  }
  run_until([&] { return committed == count; });
  EXPECT_EQ(first->sets, count);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(c->get("/a/" + std::to_string(i)), std::to_string(count - 100 + i));
  }
}

}  // namespace
}  // namespace chp::test
