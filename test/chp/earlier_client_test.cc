// A client of Zinc's version before, beside a server whose log has numbers that are not published.

#include "test/chp/server_fixture.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace chp {
namespace {

// The rules of that version for publications of the whole map.
class earlier_client {
public:
  explicit earlier_client(sequence snapshot) : last_{snapshot} {}

  void take(const frames& m) {
    if (m.front() == "HUGZ") {
      return;
    }
    const auto number = number_of(m);
    if (number <= last_) {
      return;
    }
    gaps += number == last_ + 1 && epoch_of(number) == epoch_of(last_) ? 0 : 1;
    last_ = number;
    if (!m.back().empty()) {
      ++changes;
      map[m.front()] = m.back();
    } else {
      changes += static_cast<int>(map.erase(m.front()));
    }
  }

  int gaps = 0;     // it requests a snapshot for each
  int changes = 0;  // its watchers see each
  std::map<std::string, std::string> map;

private:
  sequence last_;
};

class earlier_clients : public testing::Test {
protected:
  static server_options options() {
    server_options o;
    o.map.max_keys = 2;
    return o;
  }
  static std::string earlier(std::uint64_t session = test_session) {
    return "chp-ack=" + session_name(session);
  }
  earlier_clients() { s.activate(1); }

  zmtp::peer_id subscribe(const std::string& announced) {
    const auto peer = s.subscribe(announced);
    s.feeds[peer];
    return peer;
  }
  // An update of the next counter, in a turn that goes on.
  void set(std::string_view key, std::string_view value) {
    const auto id = update_id::of_session(test_session + (1U << 16), ++counter_);
    s.server.on_update(make_set(form::kvmsg, key, id, "low=1\n", value));
  }
  [[nodiscard]] earlier_client client_of(zmtp::peer_id peer, sequence snapshot) {
    earlier_client client{snapshot};
    for (const auto& m : s.feeds.at(peer)) {
      client.take(m);
    }
    return client;
  }

  server_setting s{options()};

private:
  std::uint64_t counter_ = 0;
};

TEST_F(earlier_clients, see_no_gap_after_refused_updates) {
  const auto peer = subscribe(earlier());
  const auto first = s.server.number();
  set("a", "1");
  set("b", "2");
  set("c", "refused");
  set("a", "3");
  set("d", "refused");
  set("e", "refused");
  set("b", "4");
  s.finish();
  set("f", "refused");
  s.finish();
  set("a", "5");
  s.finish();
  const auto client = client_of(peer, first);
  EXPECT_EQ(client.gaps, 0);
  EXPECT_EQ(client.changes, 5) << "and nothing else";
  EXPECT_EQ(client.map, s.content());
  EXPECT_EQ(client.map, (std::map<std::string, std::string>{{"a", "5"}, {"b", "4"}}));
}

TEST_F(earlier_clients, may_have_a_snapshot_of_any_later_number) {
  set("a", "1");
  set("b", "2");
  set("c", "refused");
  s.finish();
  const auto peer = subscribe(earlier());
  const auto subscribed = s.server.number();
  set("d", "refused");
  s.finish();
  const auto later = s.server.number();
  set("e", "refused");
  set("a", "3");
  s.finish();
  EXPECT_EQ(later, subscribed + 1);
  EXPECT_EQ(client_of(peer, subscribed).gaps, 0);
  EXPECT_EQ(client_of(peer, later).gaps, 0);
  EXPECT_EQ(client_of(peer, subscribed - 2).gaps, 1) << "a publication is missing";
}

TEST_F(earlier_clients, see_no_gap_if_the_server_begins_another_reign_meanwhile) {
  const auto peer = subscribe(earlier());
  const auto first = s.server.number();
  set("a", "1");
  set("b", "1");
  for (int i = 2; i != 1'000; ++i) {
    set("b", "2");
  }
  set("c", "refused");
  set("a", "2");
  s.server.activate(2, s.now, s.actions);
  s.finish();
  EXPECT_EQ(client_of(peer, first).map.at("a"), "1") << "a turn publishes 1,000 entries";
  s.finish();
  const auto client = client_of(peer, first);
  EXPECT_EQ(client.gaps, 0);
  EXPECT_EQ(client.map, s.content());
}

TEST_F(earlier_clients, see_no_gap_after_a_pause_of_the_server) {
  const auto peer = subscribe(earlier());
  const auto first = s.server.number();
  set("a", "1");
  set("b", "1");
  set("c", "refused");
  s.finish();
  s.server.suspend(s.actions);
  s.finish();
  s.activate(1);
  set("a", "2");
  s.finish();
  EXPECT_EQ(client_of(peer, first).gaps, 0);
  EXPECT_EQ(client_of(peer, first).map, s.content());
}

TEST_F(earlier_clients, alone_hear_of_numbers_that_are_not_published) {
  const auto present = subscribe(earlier(test_session + (2U << 16)) + ",chp-log");
  const auto guides = subscribe("");
  const auto gone = subscribe(earlier());
  const auto other = subscribe(earlier(test_session + (3U << 16)));
  s.server.on_subscriber_detached(gone);
  set("a", "1");
  set("b", "2");
  set("c", "refused");
  set("a", "3");
  s.finish();
  EXPECT_EQ(s.feeds.at(present).size(), 3U);
  EXPECT_EQ(s.feeds.at(guides).size(), 3U);
  EXPECT_EQ(s.feeds.at(gone).size(), 3U);
  ASSERT_EQ(s.feeds.at(other).size(), 4U);
  const auto number = number_of(s.feeds.at(other)[1]) + 1;
  EXPECT_EQ(s.feeds.at(other)[2],
            (frames{"HUGZ passed", number_frame(number), std::string(16, '\0'), "", ""}));
}

TEST_F(earlier_clients, request_a_snapshot_after_a_thousand_refusals) {
  const auto peer = subscribe(earlier());
  const auto first = s.server.number();
  set("a", "1");
  set("b", "1");
  const auto gaps_after = [&](int refused) {
    for (int i = 0; i != refused; ++i) {
      set("c", "refused");
    }
    set("a", std::to_string(refused));
    s.finish();
    s.finish();  // a turn commits 1,000 entries
    return client_of(peer, first).gaps;
  };
  EXPECT_EQ(gaps_after(1'000), 0);
  EXPECT_EQ(gaps_after(1'001), 1);
  // If the map has the key, it cannot be erased.
  set("b", "");
  set("HUGZ passed", "a key like any other");
  EXPECT_EQ(gaps_after(1), 2);
  EXPECT_EQ(client_of(peer, first).map, s.content());
}

}  // namespace
}  // namespace chp
