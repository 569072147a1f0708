#pragma once
// A server of the map with a manual clock, and peers that are only their inboxes.

#include "chp/command.h"
#include "chp/pair_messages.h"
#include "chp/server_state.h"
#include "chp/update_id.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chp {

using namespace std::chrono_literals;

using frames = std::vector<std::string>;

inline frames frames_of(const zmtp::message& m) { return {m.begin(), m.end()}; }

inline std::string number_frame(sequence number, std::size_t size = 8) {
  std::string bytes(size, '\0');
  for (auto at = bytes.rbegin(); at != bytes.rend(); ++at, number >>= 8) {
    *at = static_cast<char>(number & 0xff);
  }
  return bytes;
}

inline sequence number_of(const frames& m) {
  sequence number = 0;
  for (const char byte : m.at(1)) {
    number = number << 8 | static_cast<unsigned char>(byte);
  }
  return number;
}

// Returns the frames of a heartbeat, as in the specification.
inline frames heartbeat_frames() { return {"HUGZ", number_frame(0), "", "", ""}; }

inline constexpr std::uint64_t test_random = 0x0123'4567'89ab'cdef;
inline const auto test_session = update_id::make_session(0xfeed'0000'0000'0001);

inline std::string session_name(std::uint64_t session) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(session));
  return text;
}

class server_setting {
public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit server_setting(const server_options& options = {},
                          server_state::kind as = server_state::kind::alone,
                          std::uint64_t random = test_random)
      : server{options, as, random} {}

  // `announced`: the peer's X-Zinc, empty for a peer without extensions.
  zmtp::peer_id connect(const std::string& announced = {}) {
    const auto id = next_peer();
    server.on_subscriber_attached(id, metadata_of(announced));
    finish();
    return id;
  }
  // `notified` does not have the HUGZ that the server answers.
  zmtp::peer_id subscribe(const std::string& announced = {}) {
    const auto id = connect(announced);
    server.on_subscription(id, "HUGZ", actions);
    finish();
    notified.erase(id);
    return id;
  }
  zmtp::peer_id snapshot_client(const std::string& announced = {}) {
    const auto id = next_peer();
    server.on_snapshot_client_attached(id, metadata_of(announced));
    return id;
  }
  void activate(std::uint64_t epoch = 0) {
    server.activate(epoch, now, actions);
    finish();
  }
  void say(zmtp::peer_id id, const zmtp::message& m) {
    server.on_snapshot_client_message(id, m, now, actions);
    finish();
  }
  void update(zmtp::message m) {
    server.on_update(m);
    finish();
  }
  void set(std::string_view key, std::string_view value, const update_id& id = {},
           std::string_view properties = {}) {
    zmtp::message m{key, number_frame(0), id.empty() ? std::string_view{} : id.bytes(), properties,
                    value};
    update(std::move(m));
  }
  // Returns the snapshot that the peer gets if it reads everything.
  std::vector<frames> snapshot(zmtp::peer_id id, std::string_view subtree = "") {
    replies[id].clear();
    say(id, make_snapshot_request(subtree));
    read(id);
    return std::exchange(replies[id], {});
  }
  // Lets the peer read at most this number of pieces.
  void read(zmtp::peer_id id, std::size_t pieces = 1'000'000) {
    for (; pieces != 0 && wants_room.erase(id) != 0; --pieces) {
      server.on_writable(id, actions);
      finish();
    }
  }
  // Time passes, and the server keeps its deadlines.
  void pass(std::chrono::milliseconds time) {
    const auto until = now + time;
    for (auto due = server.next_deadline(); due && *due <= until; due = server.next_deadline()) {
      now = std::max(now, *due);
      server.on_deadline(now, actions);
      finish();
    }
    now = until;
  }

  // Ends the turn, and carries out the actions as the shell does.
  void finish() {
    server.on_turn_end(now, actions);
    auto done = std::exchange(actions, {});
    for (auto& one : done.write) {
      given.push_back(std::move(one));
    }
    auto inserted = done.insert.begin();
    std::size_t count = 0;
    for (const auto next : done.publish) {
      for (; inserted != done.insert.end() && inserted->behind == count; ++inserted) {
        feeds[inserted->what.to].push_back(frames_of(inserted->what.content));
      }
      ++count;
      auto m = next.to_message();
      published.push_back(frames_of(m));
      for (auto& [to, feed] : feeds) {
        feed.push_back(frames_of(m));
      }
      if (on_published) {
        on_published(std::move(m));
      }
    }
    EXPECT_EQ(inserted, done.insert.end());
    for (auto& [to, m] : done.tell) {
      notified[to].push_back(frames_of(m));
      if (on_told) {
        on_told(to, std::move(m));
      }
    }
    for (auto& [to, m] : done.reply) {
      replies[to].push_back(frames_of(m));
      if (on_reply) {
        on_reply(to, m);
      }
    }
    wants_room.insert(done.stream.begin(), done.stream.end());
    closed.insert(done.close_snapshot_clients.begin(), done.close_snapshot_clients.end());
    closed.insert(done.close_subscribers.begin(), done.close_subscribers.end());
    for (auto& m : done.ask) {
      asked.push_back(std::move(m));
    }
    wants_source = wants_source || done.reconnect_source;
    renewals += done.renew_epoch ? 1U : 0U;
    for (const auto& each : done.refusals) {
      reported.push_back(each.user_id + ' ' + to_string(each.wanted) + ' ' + each.name);
    }
    events.insert(events.end(), done.events.begin(), done.events.end());
  }

  // Without the heartbeats.
  std::vector<frames> publications() {
    std::vector<frames> all;
    for (auto& m : std::exchange(published, {})) {
      if (m.front() != "HUGZ") {
        all.push_back(std::move(m));
      }
    }
    return all;
  }
  [[nodiscard]] std::map<std::string, std::string> content() const {
    std::map<std::string, std::string> all;
    server.map().for_each("", [&](const store::entry& e) {
      all.emplace(e.key(), e.value());
      return true;
    });
    return all;
  }
  [[nodiscard]] bool saw(server_event event) const {
    return std::find(events.begin(), events.end(), event) != events.end();
  }
  [[nodiscard]] std::uint64_t refused(errc fault) const {
    const auto all = server.status().counters;
    return all.refused[static_cast<std::size_t>(fault)] +
           all.log.refused[static_cast<std::size_t>(fault)];
  }
  [[nodiscard]] static zmtp::metadata metadata_of(const std::string& announced) {
    zmtp::metadata properties;
    if (!announced.empty()) {
      properties.add("X-Zinc", announced);
    }
    return properties;
  }

  time_point now{1'000s};
  server_state server;
  server_actions actions;
  std::vector<frames> published;
  // All publications to these subscribers of the whole map, in order. A test adds the subscribers.
  std::map<zmtp::peer_id, std::vector<frames>> feeds;
  std::map<zmtp::peer_id, std::vector<frames>> notified;
  std::map<zmtp::peer_id, std::vector<frames>> replies;
  std::set<zmtp::peer_id> wants_room;
  std::set<zmtp::peer_id> closed;
  std::vector<std::string> reported;  // refusals by the rules: principal, right and name
  std::vector<zmtp::message> asked;
  bool wants_source = false;
  std::size_t renewals = 0;  // times that another epoch was asked for
  std::vector<server_event> events;
  std::deque<state_write> given;  // to its store
  std::function<void(zmtp::message&&)> on_published;
  std::function<void(zmtp::peer_id, zmtp::message&&)> on_told;
  std::function<void(zmtp::peer_id, const zmtp::message&)> on_reply;

private:
  zmtp::peer_id next_peer() { return {peers_++, 7}; }

  std::uint32_t peers_ = 0;
};

}  // namespace chp
