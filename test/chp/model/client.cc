#include "test/chp/model/client.h"

#include "test/chp/model/checker.h"
#include "test/chp/model/participant.h"

#include <algorithm>

namespace chp::model {

client_kind client::kind() const { return around_.how.clients[self_]; }
bool client::reaches(std::size_t server) const {
  return (around_.how.reach[self_] >> server & 1) != 0;
}

bool client::idle() const {
  return following_ &&
         std::none_of(calls_.begin(), calls_.end(), [](const call& c) { return c.kept; });
}

void client::send(std::size_t server, const to_server& message) {
  if (reaches(server)) {
    around_.net.links[self_][server].up.push_back(message);
  }
}

void client::set(std::uint32_t new_update, std::uint8_t key, bool erases, std::uint8_t ttl) {
  update u{.number = new_update, .key = key, .erases = erases, .ttl = ttl, .since = {}};
  u.has_id = kind() != client_kind::guide_without_ids;
  around_.check->on_begin(*this, u);
  if (kind() != client_kind::ours) {
    send(0, u);
    send(1, u);
    return;
  }
  calls_.push_back({u});
  send_waiting();
}

// Gives new calls their counters, and sends them.
void client::send_waiting() {
  if (!following_ || session_ == 0) {
    return;
  }
  for (call& c : calls_) {
    if (c.came_to == result::pending && c.what.counter == 0) {
      c.what.session = session_;
      c.what.counter = ++counters_;
      send_again(c);
    }
  }
}

void client::send_again(call& c) {
  c.what.low = low();
  c.what.since = since_;
  // An update that was acknowledged is not offered again. A history without it gets a refusal in its place.
  c.what.asks =
      c.came_to != result::pending && around_.how.fault != planted::offers_lost_updates_again;
  send(server_, c.what);
  if (around_.how.fault == planted::sends_to_both_servers) {
    send(1 - server_, c.what);
  }
}

// The lowest counter without a final answer. So a server still knows the outcome of what one server alone had.
std::uint32_t client::low() const {
  std::uint32_t result = counters_ + 1;
  for (const call& c : calls_) {
    if (c.kept && c.what.counter != 0) {
      result = std::min(result, c.what.counter);
    }
  }
  return result;
}

void client::on_timer() {
  if (!following_) {
    ask_next();
    return;
  }
  if (!around_.net.links[self_][server_].up.empty()) {
    return;
  }
  for (call& c : calls_) {
    if (c.kept && c.what.counter != 0) {
      send_again(c);
    }
  }
  send_waiting();
}

void client::ask_next() {
  const std::size_t other = 1 - server_;
  seek(asked_ && reaches(other) ? other : reaches(server_) ? server_ : other);
}

void client::seek(std::size_t server) {
  server_ = server;
  following_ = false;
  asked_ = true;
  if (asked_since_refusal_ != 0) {
    asked_since_refusal_ |= 1U << server;
  }
  send(server, want_snapshot{});
}

void client::on_link_gone(std::size_t server) {
  if (server == server_) {
    following_ = false;
    asked_ = false;
  }
}

void client::on_message(std::size_t server, const to_client& message) {
  if (server == server_) {
    std::visit([&](const auto& m) { on(server, m); }, message);
  }
}

void client::on(std::size_t server, const snapshot& message) {
  if (following_) {
    return;
  }
  bool contained = contains(message.rows, seen_, around_.how.fault);
  if (around_.how.fault == planted::follows_higher_epoch) {
    contained = seen_.at == 0 || message.rows.back().of >= seen_.of;
  }
  if (contained) {
    adopt(message, false);
    return;
  }
  // Another server may have the history that this client has seen.
  const bool first = asked_since_refusal_ == 0;
  asked_since_refusal_ |= 1U << server;
  const bool round_is_over =
      (asked_since_refusal_ & around_.how.reach[self_]) == around_.how.reach[self_] &&
      (!first || !reaches(1 - server));
  if (round_is_over || around_.how.fault == planted::follows_without_asking_others) {
    adopt(message, true);
  } else {
    seek(1 - server);
  }
}

void client::adopt(const snapshot& message, bool lost) {
  around_.check->on_adopt(*this, message, lost, seen_, seen_stamp_, seen_degraded_,
                          asked_since_refusal_);
  following_ = true;
  asked_since_refusal_ = 0;
  rows_ = message.rows;
  map_ = message.map;
  if (lost) {
    seen_ = {};
  }
  const auto shown = std::find_if(message.history.begin(), message.history.end(),
                                  [&](const entry& e) { return e.at == message.published; });
  see(message.published, shown == message.history.end() ? 0 : shown->stamp, message.degraded);
  if (kind() != client_kind::ours) {
    return;
  }
  if (session_ == 0) {
    begin_session(message.since);
  }
  for (call& c : calls_) {
    c.in_doubt = c.in_doubt || (lost && c.kept);
    if (lost && c.forgotten && c.came_to == result::one) {
      c.came_to = result::unknown;
    }
  }
  on_timer();
}

void client::begin_session(const position& since) {
  session_ = static_cast<std::uint32_t>(around_.draw());
  since_ = since;
  counters_ = 0;
}

// The position is what this client has been shown, and what it has been answered.
void client::see(number at, std::uint64_t stamp, bool degraded) {
  if (at >= seen_.at) {
    seen_ = place_of(rows_, at);
    seen_stamp_ = stamp;
    seen_degraded_ = degraded;
  }
}

void client::on(std::size_t, const change& message) {
  if (!following_) {
    return;
  }
  const entry& e = message.what;
  if (e.what == kind::reign) {
    rows_.push_back({epoch_of(e.at), e.tag_or_ends, e.at});
  }
  rows_.back().last = std::max(rows_.back().last, e.at);
  apply(map_, e, around_.now);
  see(e.at, e.stamp, message.degraded);
}

void client::on(std::size_t, const answer& message) {
  if (!following_) {
    return;
  }
  for (call& c : calls_) {
    if (c.kept && c.what.session == message.session && c.what.counter == message.counter &&
        message.session != 0) {
      take(c, message);
    }
  }
}

void client::take(call& c, const answer& a) {
  if (around_.how.fault != planted::position_without_answers && a.at != 0 && !rows_.empty()) {
    rows_.back().last = std::max(rows_.back().last, a.at);
    see(std::max(a.at, seen_.at), a.at > seen_.at ? a.stamp : seen_stamp_,
        a.at > seen_.at ? a.says == truth::one : seen_degraded_);
  }
  if (a.made) {
    c.came_to = a.says == truth::both ? result::both : result::one;
  } else {
    const bool was_made = c.came_to == result::one || c.came_to == result::lost;
    c.came_to = was_made ? result::lost : result::refused;
  }
  c.in_doubt = false;
  c.kept = a.says != truth::both && around_.how.fault != planted::forgets_at_first_answer;
  around_.check->on_result(*this, c);
}

// The servers have forgotten the session. So the fate of its updates is unknown.
void client::on(std::size_t, const unknown_session& message) {
  if (!following_ || message.session != session_) {
    return;
  }
  for (call& c : calls_) {
    if (c.kept && c.what.counter != 0) {
      if (c.came_to == result::pending || c.in_doubt) {
        c.came_to = result::unknown;
      }
      c.kept = false;
      c.forgotten = true;
      around_.check->on_result(*this, c);
    }
  }
  session_ = 0;
  seek(server_);  // a new session begins with a snapshot
}

}  // namespace chp::model
