#include "bstar/node.h"

#include "test/bstar/node_fixture.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/system/system_error.hpp>

#include <algorithm>
#include <memory>

namespace bstar {
namespace {

using namespace std::chrono_literals;
using boost::system::error_code;
using epoch_list = std::vector<epoch>;
using reasons = std::vector<passive_reason>;

class nodes : public node_test {
protected:
  // A publisher of the Guide's kind, at `at_`, once the node listens to it.
  std::unique_ptr<zmtp::xpub_socket> stock_publisher(side& heard_by) {
    auto publisher = std::make_unique<zmtp::xpub_socket>(executor());
    heard_by.it->connect(publisher->bind("tcp://127.0.0.1:*").to_string());
    zmtp::routed_message subscription;
    run_until([&] { return publisher->try_receive(subscription); });
    return publisher;
  }
  static void say(zmtp::xpub_socket& publisher, std::string_view what) {
    EXPECT_EQ(publisher.try_send(zmtp::message{what}), zmtp::send_status::queued);
  }
  // This loop pauses the nodes: only the time matters.
  static void pause_nodes() {
    const auto until = std::chrono::steady_clock::now() + 2 * quick(role::primary).heartbeat;
    while (std::chrono::steady_clock::now() < until) {
    }
  }
  // Returns the state that a subscriber with these extensions receives.
  std::string heard_state(const side& of, std::vector<std::string> extensions) {
    zmtp::socket_options options;
    options.extensions = std::move(extensions);
    zmtp::sub_socket listener{executor(), options};
    listener.subscribe("");
    listener.connect(of.at);
    zmtp::message m;
    run_until([&] { return listener.try_receive(m); });
    EXPECT_EQ(m.size(), 1U);
    return std::string{m.front()};
  }
};

TEST_F(nodes, meet_and_the_primary_is_active) {
  meet();
  EXPECT_EQ(primary_.activated, epoch_list{1});
  EXPECT_EQ(backup_.passivated, reasons{passive_reason::peer_active});
  EXPECT_TRUE(primary_.it->vote());
  EXPECT_FALSE(backup_.it->vote());
  run_until([&] { return backup_.it->status().current == 1; });
  EXPECT_EQ(epoch_in_file(role::primary), "1");
  EXPECT_EQ(epoch_in_file(role::backup), "1");
  const auto status = primary_.it->status();
  EXPECT_EQ(status.as, role::primary);
  EXPECT_TRUE(status.peer_alive);
  EXPECT_EQ(status.requests_accepted, 1U);
  EXPECT_EQ(backup_.it->status().requests_rejected, 1U);
}

// BS-12
TEST_F(nodes, backup_takes_over_by_a_vote_and_the_restarted_primary_is_passive) {
  meet();
  kill(primary_);
  await_vote(backup_);
  EXPECT_EQ(backup_.activated, epoch_list{2});
  EXPECT_EQ(epoch_in_file(role::backup), "2");
  EXPECT_FALSE(backup_.it->status().peer_alive);
  start(primary_);
  primary_.it->connect(backup_.at);
  await(primary_, state::passive);
  EXPECT_EQ(primary_.activated, epoch_list{1});
  EXPECT_TRUE(backup_.it->vote());
  run_until([&] { return epoch_in_file(role::primary) == "2"; });
  // The reverse case.
  kill(backup_);
  await_vote(primary_);
  EXPECT_EQ(primary_.activated, (epoch_list{1, 3}));
}

TEST_F(nodes, passive_takes_over_at_once_from_a_peer_that_restarts) {
  meet();
  kill(primary_);
  start(primary_);
  primary_.it->connect(backup_.at);
  await(backup_, state::active);
  await(primary_, state::passive);
  EXPECT_EQ(backup_.activated, epoch_list{2});
}

TEST_F(nodes, a_passive_node_that_restarts_changes_nothing) {
  meet();
  kill(backup_);
  run_until([&] { return !primary_.it->status().peer_alive; });
  EXPECT_TRUE(primary_.it->vote());
  start(backup_);
  backup_.it->connect(primary_.at);
  await(backup_, state::passive);
  EXPECT_EQ(primary_.activated, epoch_list{1});
}

// BS-13
TEST_F(nodes, both_continue_with_a_later_epoch_after_a_restart) {
  meet();
  kill(primary_);
  kill(backup_);
  meet();
  EXPECT_EQ(primary_.activated, (epoch_list{1, 3}));
}

// BS-8
TEST_F(nodes, the_later_epoch_stays_if_two_active_nodes_meet) {
  start(primary_);
  await_vote(primary_);
  auto alone = quick(role::backup);
  alone.promote_alone_after = 0ms;
  start(backup_, {.pair = alone, .epoch_file = epoch_path(role::backup)});
  await(backup_, state::active);
  ASSERT_EQ(primary_.activated, epoch_list{1});
  ASSERT_EQ(backup_.activated, epoch_list{2});
  connect(primary_, backup_);
  await(primary_, state::passive);
  EXPECT_EQ(primary_.passivated, reasons{passive_reason::superseded});
  EXPECT_EQ(std::count(primary_.events.begin(), primary_.events.end(), event::dual_active), 1);
  EXPECT_TRUE(backup_.it->vote());
  EXPECT_TRUE(backup_.passivated.empty());
}

TEST_F(nodes, data_of_the_newer_position_win) {
  start(primary_);
  start(backup_);
  primary_.it->set_position(1);
  backup_.it->set_position(2);
  connect(primary_, backup_);
  await(backup_, state::active);
  await(primary_, state::passive);
  EXPECT_TRUE(primary_.activated.empty());
  run_until([&] {
    const auto peer = primary_.it->status().peer;
    return peer && peer->more && peer->more->position == 2;
  });
}

TEST_F(nodes, a_pause_is_noticed_without_a_vote) {
  meet();
  pause_nodes();
  primary_.it->check_pause();
  const auto status = primary_.it->status();
  EXPECT_EQ(status.now, state::suspended);
  EXPECT_EQ(status.requests_accepted, 0U);
  EXPECT_EQ(status.requests_rejected, 0U);
}

TEST_F(nodes, a_paused_active_node_is_suspended_until_the_peer_confirms) {
  meet();
  pause_nodes();
  EXPECT_FALSE(primary_.it->vote());
  EXPECT_EQ(primary_.it->status().now, state::suspended);
  await(primary_, state::active);
  EXPECT_EQ(primary_.activated, epoch_list{1});
  EXPECT_TRUE(primary_.passivated.empty());
  const auto notified = [&](event what) {
    return std::count(primary_.events.begin(), primary_.events.end(), what) != 0;
  };
  EXPECT_TRUE(notified(event::suspended));
  EXPECT_TRUE(notified(event::resumed));
  EXPECT_TRUE(backup_.activated.empty());
}

// BS-1, BS-2
TEST_F(nodes, the_account_goes_to_peers_that_announce_the_extension) {
  start(primary_);
  EXPECT_EQ(heard_state(primary_, {}), "1");
  EXPECT_EQ(heard_state(primary_, {"chp-ack", "bstars"}), "1");
  const auto report = parse_state(heard_state(primary_, {"chp-ack", "bstar"}));
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->more);
}

TEST_F(nodes, peer_of_the_guide_is_understood) {
  start(primary_);
  const auto peer = stock_publisher(primary_);
  say(*peer, "2");
  await(primary_, state::active);
  EXPECT_EQ(heard_state(primary_, {}), "3");
  say(*peer, "3");
  run_until([&] { return !primary_.events.empty(); });
  EXPECT_EQ(primary_.events, std::vector{event::dual_active});
  EXPECT_TRUE(primary_.it->vote());

  start(backup_);
  const auto other = stock_publisher(backup_);
  say(*other, "3");
  await(backup_, state::passive);
  EXPECT_EQ(heard_state(backup_, {}), "4");
  say(*other, "1");
  await(backup_, state::active);
  say(*other, "3");
  await(backup_, state::passive);
  EXPECT_EQ(backup_.passivated.back(), passive_reason::yielded);
}

// BS-3
TEST_F(nodes, malformed_states_are_counted_and_ignored) {
  start(primary_);
  const auto peer = stock_publisher(primary_);
  say(*peer, "5");
  say(*peer, "2 later");
  say(*peer, "3 e=524288 s=0 t=1 r=1");
  EXPECT_EQ(peer->try_send(zmtp::message{"2", "2"}), zmtp::send_status::queued);
  say(*peer, "4");
  run_until([&] { return primary_.it->status().states_received == 1; });
  const auto status = primary_.it->status();
  const auto count = [&](errc what) { return status.bad_messages[static_cast<std::size_t>(what)]; };
  EXPECT_EQ(count(errc::not_a_state), 2U);
  EXPECT_EQ(count(errc::bad_account), 1U);
  EXPECT_EQ(count(errc::epoch_too_large), 1U);
  EXPECT_EQ(status.now, state::primary);
}

// BS-6
TEST_F(nodes, a_voter_gets_only_accepted_requests) {
  meet();
  std::vector<std::string> got;
  const auto echo = [&](zmtp::routed_message request, zmtp::router_socket& on) {
    got.emplace_back(request.content.back());
    EXPECT_EQ(on.try_send(request.peer, std::move(request.content)), zmtp::send_status::queued);
  };
  const auto first = primary_.it->bind_voter("tcp://127.0.0.1:*", echo).to_string();
  const auto second = backup_.it->bind_voter("tcp://127.0.0.1:*", echo).to_string();
  zmtp::req_socket to_backup{executor()};
  to_backup.connect(second);
  to_backup.async_send(zmtp::message{"dropped"}, [](error_code ec) { EXPECT_FALSE(ec); });
  run_until([&] { return backup_.it->status().requests_rejected == 1; });
  zmtp::req_socket to_primary{executor()};
  to_primary.connect(first);
  to_primary.async_send(zmtp::message{"served"}, [](error_code ec) { EXPECT_FALSE(ec); });
  zmtp::message reply;
  run_until([&] { return to_primary.try_receive(reply); });
  EXPECT_EQ(reply, zmtp::message{"served"});
  EXPECT_EQ(got, std::vector<std::string>{"served"});

  zmtp::error_code ec;
  static_cast<void>(primary_.it->bind_voter("tcp://127.0.0.1:*", echo, ec));
  EXPECT_EQ(ec, errc::voter_taken);
}

// BS-7
TEST_F(nodes, the_handler_runs_before_the_request_that_caused_it) {
  std::vector<std::string> order;
  node alone{executor(), {.pair = quick(role::primary)}, {.on_active = [&](epoch) {
               order.emplace_back("active");
             }}};
  const auto at = alone.bind_voter("tcp://127.0.0.1:*", [&](const auto& request, auto&) {
    order.emplace_back(request.content.back());
  });
  zmtp::dealer_socket snapshot_client{executor()};
  snapshot_client.connect(at.to_string());
  run_until([&] {
    static_cast<void>(snapshot_client.try_send(zmtp::message{"request"}));
    return !order.empty();
  });
  run_until([&] { return order.size() > 1; });
  EXPECT_EQ(order[0], "active");
  EXPECT_EQ(order[1], "request");
  EXPECT_EQ(std::count(order.begin(), order.end(), "active"), 1);
}

TEST_F(nodes, do_not_become_active_if_the_epoch_cannot_be_written) {
  start(primary_, {.pair = quick(role::primary), .epoch_file = folder_.path("gone/epoch")});
  run_until([&] {
    EXPECT_FALSE(primary_.it->vote());
    return primary_.errors.size() == 2;
  });
  EXPECT_EQ(primary_.errors[0], boost::system::errc::no_such_file_or_directory);
  EXPECT_TRUE(primary_.activated.empty());
}

TEST_F(nodes, throw_if_the_constructor_fails) {
  const auto fault_of = [&](const node_options& options) {
    try {
      const node made{executor(), options};
    } catch (const boost::system::system_error& e) {
      return e.code();
    }
    return error_code{};
  };
  EXPECT_EQ(fault_of({.pair = {.heartbeat = 0ms}}), errc::bad_option);
  std::ofstream{epoch_path(role::primary)} << "damaged\n";
  EXPECT_EQ(fault_of({.epoch_file = epoch_path(role::primary)}), errc::bad_epoch_file);
}

TEST_F(nodes, handler_may_stop_its_node) {
  std::optional<node> it;
  bool notified = false;
  it.emplace(executor(), node_options{.pair = quick(role::primary)},
             node_handlers{.on_active = [&](epoch) {
               notified = true;
               it->stop();
             }});
  run_until([&] {
    EXPECT_FALSE(it->vote());
    return notified;
  });
  zmtp::error_code ec;
  static_cast<void>(it->bind("tcp://127.0.0.1:*", ec));
  EXPECT_EQ(ec, errc::node_stopped);
  it->connect("tcp://127.0.0.1:1", ec);
  EXPECT_EQ(ec, errc::node_stopped);
  static_cast<void>(it->bind_voter("tcp://127.0.0.1:*", {}, ec));
  EXPECT_EQ(ec, errc::node_stopped);
  EXPECT_THROW(static_cast<void>(it->bind("tcp://127.0.0.1:*")), boost::system::system_error);
  run_to_the_end();
}

TEST_F(nodes, handler_may_destroy_its_node) {
  std::optional<node> it;
  it.emplace(executor(), node_options{.pair = {.heartbeat = 5ms, .take_over = takeover::on_expiry}},
             node_handlers{.on_active = [&](epoch) { it.reset(); }});
  run_until([&] { return !it; });
  run_to_the_end();
}

TEST_F(nodes, exceptions_of_a_handler_propagate_out_of_the_context) {
  const node thrower{executor(),
                     {.pair = {.heartbeat = 5ms, .take_over = takeover::on_expiry}},
                     {.on_active = [](epoch) { throw std::runtime_error{"no"}; }}};
  EXPECT_THROW(run_until([] { return false; }), std::runtime_error);
  EXPECT_EQ(thrower.status().now, state::active);
}

TEST_F(nodes, node_outlives_its_context) {
  meet();
  destroy_context();
  EXPECT_FALSE(primary_.it->vote());
  EXPECT_EQ(primary_.it->status().now, state::active);
  primary_.it->stop();
}

TEST_F(nodes, only_an_active_node_renews_its_epoch) {
  meet();
  backup_.it->renew_epoch();
  primary_.it->renew_epoch();
  EXPECT_EQ(primary_.activated, (epoch_list{1, 3}));
  EXPECT_TRUE(primary_.passivated.empty());
  EXPECT_EQ(epoch_in_file(role::primary), "3");
  run_until([&] { return backup_.it->status().current == 3; });
  EXPECT_TRUE(primary_.it->vote());
  EXPECT_TRUE(backup_.activated.empty());
}

}  // namespace
}  // namespace bstar
