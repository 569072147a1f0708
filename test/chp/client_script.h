#pragma once
// A client's state without a network: scripts of the actions of its servers, on a manual clock, and the
// client's actions as text.

#include "chp/acknowledgement.h"
#include "chp/client_state.h"
#include "chp/command.h"
#include "chp/sequence.h"
#include "chp/subtree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chp::test {

using texts = std::vector<std::string>;

class client_script : public testing::Test {
protected:
  static constexpr std::uint64_t session = update_id::make_session(0x0123'4567'89ab'cdef);

  void begin(std::size_t servers = 1) {
    state.emplace(servers, options, session);
    state->tell_changes(true);
    state->start(now, out);
  }

  // Returns the actions since the last call, and carries them out.
  texts done() {
    texts all;
    for (const auto& c : out.connections) {
      static constexpr const char* names[] = {"close ", "open ", "renew ", "close snapshot "};
      all.push_back(names[static_cast<int>(c.what)] + std::to_string(c.server));
    }
    for (const auto& m : out.asks) {
      EXPECT_EQ(m, options.snapshots == snapshot_kind::whole
                       ? make_snapshot_request()
                       : make_snapshot_request(options.subtree));
      all.emplace_back("ask");
    }
    for (const auto& p : out.publications) {
      all.push_back("publish " + std::to_string(p.server) + " " + text_of(p.content));
    }
    for (const auto& w : out.await_written) {
      all.push_back("await written " + std::to_string(w.server));
      mark = w.mark;
    }
    for (const auto& c : out.changes) {
      all.push_back(c.key + (c.erased() ? " erased" : "=" + c.value));
    }
    for (const auto& c : out.completions) {
      all.push_back((!c.ec                       ? "committed "
                     : c.ec == errc::not_sent    ? "not sent "
                     : c.ec == errc::unconfirmed ? "unconfirmed "
                                                 : c.ec.message() + " ") +
                    std::to_string(c.ticket));
    }
    if (out.became_ready) {
      all.emplace_back("ready");
    }
    for (const auto& e : out.events) {
      all.push_back(to_string(e.what) + (" " + std::to_string(e.server)));
    }
    out = {};
    return all;
  }
  void forget() { static_cast<void>(done()); }

  // /a=1 #7 ttl=5
  [[nodiscard]] std::string text_of(const zmtp::message& m) const {
    const auto set = parse_set(m, options.wire_format, {});
    EXPECT_TRUE(set);
    if (options.wire_format != form::kvmsg) {
      return std::string{set->key} + "=" + std::string{set->value};
    }
    const auto id = update_id::of_frame(set->id);
    EXPECT_EQ(id.session(), session);
    auto text =
        std::string{set->key} + "=" + std::string{set->value} + " #" + std::to_string(id.counter());
    if (!set->properties.empty()) {
      text += " " + std::string{set->properties.substr(0, set->properties.size() - 1)};
    }
    return text;
  }

  void pass(std::chrono::milliseconds time) {
    const auto end = now + time;
    while (state->next_deadline() && *state->next_deadline() <= end) {
      now = std::max(now, *state->next_deadline());
      state->on_deadline(now, out);
    }
    now = end;
  }

  // The server's side.
  void subscriber(bool ours = true) { state->on_subscriber_attached(ours, now, out); }
  void snapshot() { state->on_snapshot_attached(now, out); }
  void entry(std::string_view key, std::string_view value, sequence number = 0,
             std::string_view id = {}) {
    state->on_snapshot_message(make_entry(options.wire_format, key, number, id, {}, value), now,
                               out);
  }
  void end(sequence number, std::string_view properties = {}) {
    state->on_snapshot_message(
        make_snapshot_end(options.wire_format, number, options.subtree, properties), now, out);
  }
  void hear(zmtp::message m) { state->on_subscriber_message(std::move(m), now, out); }
  void hugz(std::string_view properties = {}) { hear(make_heartbeat(properties)); }
  void ack(std::uint64_t counter, const std::vector<counter_range>& gaps = {},
           bool degraded = false) {
    std::string properties;
    append_acknowledgement(properties, counter, gaps, degraded);
    hugz(properties);
  }
  void publish(std::string_view key, std::string_view value, sequence number,
               std::string_view properties = {}, const update_id& id = update_id::of_random(1, 2)) {
    update u;
    u.key = key;
    u.value = value;
    hear(make_publication(options.wire_format, u, id, number, properties));
  }
  [[nodiscard]] static std::string count(std::string_view directory, std::uint64_t n) {
    std::string properties;
    append_directory_counts(properties, std::vector<directory_count>{{directory, n}});
    return properties;
  }
  [[nodiscard]] static update_id own(std::uint64_t counter) {
    return update_id::of_session(session, counter);
  }

  // Connected, and asked when the subscription held.
  void ask(bool ours = true) {
    subscriber(ours);
    hugz();
    snapshot();
    forget();
  }
  // … and following, from a map without keys on.
  void follow(sequence at = 0, bool ours = true, std::string_view properties = {}) {
    ask(ours);
    end(at, properties);
    EXPECT_TRUE(state->status().following);
    forget();
  }
  void collector(std::size_t server = 0) { state->on_collector_subscribed(server, now, out); }
  client_state::ticket set(std::string key, std::string value,
                           std::optional<std::chrono::seconds> ttl = {},
                           std::optional<std::chrono::milliseconds> within = {}) {
    const auto until = within ? std::optional{now + *within} : std::nullopt;
    const auto given = state->set(std::move(key), std::move(value), ttl, until, now, out);
    EXPECT_TRUE(given);
    return given ? *given : 0;
  }
  [[nodiscard]] std::string value(std::string_view key) const {
    const auto* const found = state->map().find(key);
    return std::string{found != nullptr ? found->value() : ""};
  }
  [[nodiscard]] std::uint64_t ignored(errc fault) const {
    return state->status().counters.invalid[static_cast<std::size_t>(fault)];
  }

  client_options options;
  std::optional<client_state> state;
  client_actions out;
  client_state::time_point now{std::chrono::hours{1}};
  std::uint64_t mark = 0;
};

}  // namespace chp::test
