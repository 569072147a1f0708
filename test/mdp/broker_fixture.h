#pragma once
// A broker with a manual clock, and peers that are only their inboxes.

#include "mdp/broker_state.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace zmtp {

// How GoogleTest shows a message.
inline void PrintTo(const message& m, std::ostream* out) {
  for (const auto part : m) {
    *out << '[';
    for (const char byte : part) {
      char hex[8];
      std::snprintf(hex, sizeof hex, "\\x%02x", static_cast<unsigned char>(byte));
      *out << (byte >= ' ' && byte <= '~' ? std::string(1, byte) : std::string{hex});
    }
    *out << ']';
  }
}

}  // namespace zmtp

namespace mdp {

using namespace std::chrono_literals;
using namespace std::string_view_literals;

inline constexpr std::uint64_t test_instance = 0x0123'4567'89ab'cdef;

// A request as a worker gets it.
struct given_request {
  std::string address;
  zmtp::message body;
};

class broker_setting {
public:
  explicit broker_setting(const broker_options& options = {}) : broker{options, test_instance} {}

  // `announced`: the peer's X-Zinc, empty for a peer without extensions.
  zmtp::peer_id attach(const std::string& announced = {}) {
    const zmtp::peer_id id{static_cast<std::uint32_t>(inbox.size()), 7};
    inbox[id];
    zmtp::metadata properties;
    if (!announced.empty()) {
      properties.add("X-Zinc", announced);
    }
    broker.on_attached(id, "id" + std::to_string(id.slot), properties, now, actions);
    carry_out();
    return id;
  }
  void detach(zmtp::peer_id id) {
    broker.on_detached(id, now, actions);
    paused.erase(id);
    closed.insert(id);
    carry_out();
  }
  void say(zmtp::peer_id id, zmtp::message m) {
    broker.on_message(id, std::move(m), now, actions);
    carry_out();
  }

  // Time passes, and the broker keeps its deadlines.
  void pass(std::chrono::milliseconds time) {
    const auto until = now + time;
    for (auto due = broker.next_deadline(); due && *due <= until; due = broker.next_deadline()) {
      now = std::max(now, *due);
      broker.on_deadline(now, actions);
      carry_out();
      ASSERT_TRUE(!broker.next_deadline() || *broker.next_deadline() > now);
    }
    now = until;
  }

  // The oldest message that was sent to the peer, no parts if none.
  zmtp::message next(zmtp::peer_id id) {
    auto& messages = inbox.at(id);
    if (messages.empty()) {
      return {};
    }
    auto m = std::move(messages.front());
    messages.pop_front();
    return m;
  }
  bool silent(zmtp::peer_id id) { return inbox.at(id).empty(); }

  // The same, which must be a REQUEST to a worker of this dialect.
  given_request next_request(zmtp::peer_id worker, dialect how = dialect::v02) {
    auto m = next(worker);
    given_request given;
    const auto input = parse_for_worker(m, how);
    if (!input || !std::holds_alternative<broker_request>(*input)) {
      ADD_FAILURE() << "no REQUEST: " << testing::PrintToString(m);
      return given;
    }
    given.address = std::get<broker_request>(*input).address;
    m.pop_front();
    m.pop_front();
    given.body = m;
    return given;
  }

  zmtp::peer_id attach_worker(std::string_view service, dialect how = dialect::v02,
                              const std::string& announced = {}) {
    const auto id = attach(announced);
    auto ready = make_ready(version_of(how), service);
    if (how == dialect::v02_delimited) {
      ready.push_front("");
    }
    say(id, std::move(ready));
    return id;
  }
  void ask(zmtp::peer_id id, std::string_view service, zmtp::message body,
           version v = version::v02) {
    push_client_request(body, v, service);
    say(id, std::move(body));
  }
  void reply(zmtp::peer_id worker, std::string_view address, zmtp::message body,
             version v = version::v02, bool final = true) {
    push_worker_reply(body, v, final, address);
    say(worker, std::move(body));
  }
  // Answers the worker's next request with its own body.
  void echo(zmtp::peer_id worker, dialect how = dialect::v02) {
    auto given = next_request(worker, how);
    reply(worker, given.address, std::move(given.body), version_of(how));
  }
  std::uint64_t invalid(errc fault) const {
    return broker.status().counters.invalid_messages[static_cast<std::size_t>(fault)];
  }
  broker_counters counters() const { return broker.status().counters; }

  broker_state broker;
  broker_state::time_point now{1h};
  broker_state::actions actions;
  std::map<zmtp::peer_id, std::deque<zmtp::message>> inbox;
  std::set<zmtp::peer_id> paused;
  std::set<zmtp::peer_id> closed;  // by the broker, or detached

  void carry_out() {
    for (auto& send : actions.sends) {
      EXPECT_EQ(closed.count(send.to), 0U);
      inbox.at(send.to).push_back(std::move(send.content));
    }
    for (const auto id : actions.pause) {
      EXPECT_TRUE(paused.insert(id).second);
    }
    for (const auto id : actions.resume) {
      EXPECT_EQ(paused.erase(id), 1U);
    }
    for (const auto id : actions.close) {
      EXPECT_TRUE(closed.insert(id).second);
    }
    actions.clear();
  }
};

class broker_fixture : public testing::Test, public broker_setting {
public:
  using broker_setting::broker_setting;
};

inline zmtp::message heartbeat(dialect how = dialect::v02) { return make_heartbeat(how); }
inline zmtp::message disconnect(dialect how = dialect::v02) { return make_disconnect(how); }
inline zmtp::message final_reply(std::string_view service, std::string_view body) {
  return {"MDPC02"sv, "\x03"sv, service, body};
}
inline zmtp::message partial_reply(std::string_view service, std::string_view body) {
  return {"MDPC02"sv, "\x02"sv, service, body};
}
inline zmtp::message old_reply(std::string_view service, std::string_view body) {
  return {""sv, "MDPC01"sv, service, body};
}

}  // namespace mdp
