#pragma once
// Two servers of the map, one active, and a network between them that can be cut.

#include "chp/properties.h"
#include "test/chp/server_fixture.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace chp {

using content = std::map<std::string, std::string>;

inline update_id id(std::uint64_t counter) { return update_id::of_session(test_session, counter); }

class server_pair : public testing::Test {
protected:
  explicit server_pair(const server_options& options = {}) : a{options, 1}, b{options, 2} {
    join(a, b);
    join(b, a);
  }
  // A server whose messages reach its peer while the two are linked.
  struct node : server_setting {
    node(const server_options& options, std::uint64_t random)
        : server_setting{options, server_state::kind::paired, random} {}
    explicit node(std::uint64_t random) : node{{}, random} {}
    zmtp::peer_id other{};  // as an asker of this one
    zmtp::peer_id feed{};   // … and as its subscriber
    bool linked = false;
  };

  void join(node& from, node& to) {
    from.on_published = [&from, &to](zmtp::message&& m) {
      if (from.linked) {
        to.server.on_publication(std::move(m), to.now, to.actions);
      }
    };
    from.on_told = [&from, &to](zmtp::peer_id peer, zmtp::message&& m) {
      if (from.linked && peer == from.feed) {
        to.server.on_publication(std::move(m), to.now, to.actions);
      }
    };
    from.on_reply = [&from, &to](zmtp::peer_id peer, const zmtp::message& m) {
      if (from.linked && peer == from.other) {
        to.server.on_source_message(m, to.now, 0ms, to.actions);
      }
    };
  }
  // `from` connects to `to`.
  void connect_source(node& from, node& to) {
    to.other = to.snapshot_client("chp-ack,chp-backup");
    from.server.on_source_attached(server_setting::metadata_of("chp-ack"), from.now, from.actions);
  }
  void link() {
    for (auto* n : {&a, &b}) {
      auto& other = n == &a ? b : a;
      n->linked = true;
      n->feed = n->subscribe("chp-ack,chp-backup");
      other.server.on_feed_attached();
      connect_source(other, *n);
    }
    // The active one answers the subscription to HUGZ.
    for (auto* n : {&a, &b}) {
      auto& other = n == &a ? b : a;
      if (n->server.active()) {
        other.server.on_publication(make_heartbeat(), other.now, other.actions);
      }
    }
    run();
  }
  void unlink() {
    for (auto* n : {&a, &b}) {
      auto& other = n == &a ? b : a;
      n->linked = false;
      n->server.on_snapshot_client_detached(n->other, n->actions);
      n->server.on_subscriber_detached(n->feed);
      other.server.on_feed_detached(other.actions);
      other.server.on_source_detached();
      other.asked.clear();
      other.wants_to_offer = false;
    }
    run();
  }
  // The connections are lost as soon as this is so.
  template <class Cut>
  void link_and_cut_when(Cut&& cut) {
    cut_ = cut;
    link();
    cut_ = nullptr;
    ASSERT_FALSE(a.linked);
  }
  // Runs until neither server has another message to send.
  void run() { run(a, b); }
  void run(node& one, node& two) {
    for (bool more = true; more;) {
      more = false;
      if (cut_ && cut_()) {
        cut_ = nullptr;
        unlink();
        return;
      }
      for (auto* n : {&one, &two}) {
        auto& other = n == &one ? two : one;
        n->finish();
        for (auto& m : std::exchange(n->asked, {})) {
          if (other.linked) {
            other.say(other.other, m);
            more = true;
          }
        }
        if (std::exchange(n->wants_source, false) && other.linked) {
          n->server.on_source_detached();
          other.server.on_snapshot_client_detached(other.other, other.actions);
          connect_source(*n, other);
          more = true;
        }
        if (std::exchange(n->wants_to_offer, false) && other.linked) {
          n->server.on_source_writable(n->now, n->actions);
          more = true;
        }
        if (n->wants_room.contains(n->other)) {
          n->read(n->other);
          more = true;
        }
      }
    }
  }
  void pass(std::chrono::milliseconds time) {
    for (; time > 0ms; time -= 10ms) {
      a.pass(10ms);
      b.pass(10ms);
      run();
    }
  }
  void make_passive(node& n) {
    n.server.deactivate(n.now, n.actions);
    run();
  }
  // A client's update reaches both.
  void set_both(std::string_view key, std::string_view value, const update_id& with = {},
                std::string_view properties = {}) {
    b.set(key, value, with, properties);
    a.set(key, value, with, properties);
    run();
  }
  // a is active, b follows.
  void begin() {
    a.activate(1);
    make_passive(b);
    link();
    ASSERT_TRUE(b.server.status().following);
    ASSERT_TRUE(a.server.status().backup_in_sync);
  }

  node a;
  node b;

private:
  std::function<bool()> cut_;
};

}  // namespace chp
