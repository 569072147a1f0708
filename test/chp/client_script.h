#pragma once
// A client's state without a network: scripts of the actions of its servers, on a manual clock, and the
// client's actions as text.

#include "chp/answers.h"
#include "chp/client_state.h"
#include "chp/command.h"
#include "chp/lineage.h"
#include "chp/properties.h"
#include "chp/proposal.h"
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
  std::uint64_t session = update_id::make_session(0x0123'4567'89ab'cdef);

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
                                                 : name_of(c.ec) + " ") +
                    std::to_string(c.ticket) +
                    (c.says == truth::unknown ? "" : " " + std::string{to_string(c.says)}));
    }
    for (const auto& one : out.lost) {
      all.push_back("lost " + one.key + "=" + one.value);
    }
    if (out.forbidden) {
      all.emplace_back("not ready");
    }
    if (out.became_ready) {
      all.emplace_back("ready");
    }
    for (const auto& e : out.events) {
      all.push_back(to_string(e.what) + (" " + std::to_string(e.server)));
    }
    if (out.needs_session) {
      all.emplace_back("needs session");
    }
    out = {};
    return all;
  }
  [[nodiscard]] static std::string name_of(const boost::system::error_code& ec) {
    return ec == errc::not_on_both         ? "not on both"
           : ec == errc::lost              ? "lost"
           : ec == errc::session_forgotten ? "forgotten"
           : ec == errc::too_many_keys     ? "too many keys"
                                           : ec.message();
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
    const auto to_log = set->properties.find("low=");
    if (const auto own = set->properties.substr(0, to_log); !own.empty()) {
      text += " " + std::string{own.substr(0, own.size() - 1)};
    }
    if (parse_proposal(m, form::kvmsg, {}).asks) {
      text += " asks";
    }
    return text;
  }
  [[nodiscard]] static bool is_for_log(const zmtp::message& m) {
    return (*++(++(++m.begin()))).find("low=") != std::string_view::npos;
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
  void subscriber(bool with_log = true) {
    has_log = with_log;
    state->on_subscriber_attached(with_log, now, out);
  }
  void snapshot() { state->on_snapshot_attached(now, out); }
  void entry(std::string_view key, std::string_view value, sequence number = 0,
             std::string_view id = {}) {
    state->on_snapshot_message(make_entry(options.wire_format, key, number, id, {}, value), now,
                               out);
  }
  // A server with a log tells its lineage first: by default one in which each later epoch follows.
  void end(sequence number, std::string_view properties = {}) {
    if (has_log) {
      if (history.empty() || epoch_of(number) > history.last().epoch) {
        history.begin_reign(epoch_of(number), 7, number);
      }
      history.extend(std::max(history.end(), number));
      state->on_snapshot_message(make_lineage(history, history.end()), now, out);
    }
    state->on_snapshot_message(
        make_snapshot_end(options.wire_format, number, options.subtree, properties), now, out);
  }
  void hear(const zmtp::message& m) { state->on_subscriber_message(m, now, out); }
  void hugz(std::string_view properties = {}) { hear(make_heartbeat(properties)); }
  // Answers of a server with a log.
  void answer(std::uint64_t first, std::uint64_t last, truth says = truth::both_servers,
              sequence number = 1, errc why = {}) {
    const answer_range one{{first, last}, number, says, why};
    std::string properties;
    append_answers(properties, {&one, 1});
    hugz(properties);
  }
  void publish(std::string_view key, std::string_view value, sequence number,
               std::string_view properties = {}, const update_id& id = update_id::of_random(1, 2)) {
    if (has_log && !history.empty() && epoch_of(number) == epoch_of(history.end())) {
      history.extend(std::max(history.end(), number));
    }
    hear(make_entry(options.wire_format, key, number, id.bytes(), properties, value));
  }
  [[nodiscard]] static std::string count(std::string_view directory, std::uint64_t n) {
    std::string properties;
    append_directory_counts(properties, std::vector<directory_count>{{directory, n}});
    return properties;
  }
  [[nodiscard]] update_id own(std::uint64_t counter) {
    return update_id::of_session(session, counter);
  }

  // Connected, and asked when the subscription held.
  void ask(bool with_log = true) {
    subscriber(with_log);
    hugz();
    snapshot();
    forget();
  }
  // … and following, from a map without keys on.
  void follow(sequence at = 0, bool with_log = true, std::string_view properties = {}) {
    ask(with_log);
    end(at, properties);
    EXPECT_TRUE(state->status().following);
    forget();
  }
  void collector(std::size_t server = 0, bool with_log = false) {
    state->on_collector_subscribed(server, with_log, now, out);
  }
  client_state::ticket set(std::string key, std::string value,
                           std::optional<std::chrono::seconds> ttl = {},
                           std::optional<std::chrono::milliseconds> within = {},
                           bool for_both = false) {
    const auto until = within ? std::optional{now + *within} : std::nullopt;
    const auto given =
        state->add_update(std::move(key), std::move(value),
                          {.ttl = ttl, .for_both = for_both, .end = until}, now, out);
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
  bool has_log = false;  // the server that the client visits
  lineage history;
};

}  // namespace chp::test
