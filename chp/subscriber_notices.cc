#include "chp/subscriber_notices.h"

#include "chp/command.h"
#include "chp/properties.h"

#include <algorithm>
#include <utility>

namespace chp {

namespace {

void append_degraded(std::string& to, bool degraded) {
  append_property(to, property_name::degraded, std::uint64_t{degraded ? 1U : 0U});
}

}  // namespace

void subscriber_notices::subscribe(zmtp::peer_id peer, const sessions& known) {
  const auto found = peers_.find(peer);
  if (found == peers_.end() || std::exchange(found->second.subscribed, true)) {
    return;
  }
  auto& r = found->second;
  const auto& announced = r.announced;
  if (!announced.session) {
    return;
  }
  by_session_[*announced.session].push_back(peer);
  if (!announced.log) {
    earlier_.push_back(peer);
    known.visit_outcomes(*announced.session, [&](std::uint64_t counter, const entry_outcome& of) {
      if (of.why != errc{}) {
        add_refusal(r, counter, of.why);
      }
    });
  }
}

bool subscriber_notices::are_all_zincs() const noexcept {
  return std::all_of(peers_.begin(), peers_.end(),
                     [](const auto& each) { return each.second.announced.acks; });
}

void subscriber_notices::detach(zmtp::peer_id peer) {
  const auto found = peers_.find(peer);
  if (found == peers_.end()) {
    return;
  }
  const auto& session = found->second.announced.session;
  if (const auto at = session ? by_session_.find(*session) : by_session_.end();
      at != by_session_.end()) {
    auto& all = at->second;
    all.erase(std::remove(all.begin(), all.end(), peer), all.end());
    if (all.empty()) {
      by_session_.erase(at);
    }
  }
  if (found->second.pending) {
    std::erase(pending_, peer);
  }
  if (pending_.empty()) {
    due_.reset();
  }
  std::erase(earlier_, peer);
  peers_.erase(found);
}

void subscriber_notices::note(const answer& of) {
  const auto at = by_session_.find(of.session);
  if (at == by_session_.end()) {
    return;
  }
  const auto peer = at->second.back();
  auto& r = peers_.find(peer)->second;
  if (of.is_unknown) {
    r.is_unknown = true;
  } else if (r.announced.log) {
    add(r, of);
  } else {
    r.counter = std::max(r.counter, of.counter);
    if (of.why != errc{}) {
      add_refusal(r, of.counter, of.why);
    }
  }
  if (!std::exchange(r.pending, true)) {
    pending_.push_back(peer);
  }
}

void subscriber_notices::add(record& to, const answer& of) {
  if (!to.answers.empty()) {
    if (auto& last = to.answers.back();
        last.updates.last + 1 == of.counter && last.says == of.says && last.why == of.why) {
      last.updates.last = of.counter;
      last.number = std::max(last.number, of.number);
      return;
    }
  }
  to.answers.push_back({{of.counter, of.counter}, of.number, of.says, of.why});
}

void subscriber_notices::add_refusal(record& to, std::uint64_t counter, errc why) {
  if (!to.refused.empty()) {
    auto& last = to.refused.back();
    if (counter <= last.updates.last) {
      return;  // answered again
    }
    if (last.updates.last + 1 == counter && last.why == why) {
      last.updates.last = counter;
      return;
    }
  }
  if (to.refused.size() == max_refusals) {
    to.unsure = to.refused.front().updates.last;
    to.refused.erase(to.refused.begin());
  }
  to.refused.push_back({{counter, counter}, why});
}

void subscriber_notices::greet(zmtp::peer_id peer, bool degraded,
                               std::vector<server_actions::addressed>& out) const {
  const auto found = peers_.find(peer);
  std::string properties;
  if (found != peers_.end() && found->second.announced.log) {
    append_degraded(properties, degraded);
  }
  out.push_back({peer, make_heartbeat(properties)});
}

void subscriber_notices::write(zmtp::peer_id peer, record& r, bool degraded,
                               std::vector<server_actions::addressed>& out) {
  properties_.clear();
  if (r.announced.log) {
    if (!r.answers.empty()) {
      append_answers(properties_, r.answers);
      r.answers.clear();
    }
    if (std::exchange(r.is_unknown, false)) {
      append_property(properties_, property_name::unknown, std::uint64_t{1});
    }
  } else {
    // Refusals above the counter are sent with the outcomes before them.
    auto refused = r.refused;
    while (!refused.empty() && refused.back().updates.first > r.counter) {
      refused.pop_back();
    }
    if (!refused.empty()) {
      refused.back().updates.last = std::min(refused.back().updates.last, r.counter);
    }
    append_acknowledgement(properties_, {r.counter, degraded, refused, r.unsure});
  }
  out.push_back({peer, make_heartbeat(properties_)});
}

// Without `degraded`, both servers have all that was answered.
void subscriber_notices::announce(bool degraded, std::vector<server_actions::addressed>& out) {
  properties_.clear();
  append_degraded(properties_, degraded);
  for (auto& [peer, r] : peers_) {
    if (r.subscribed && r.announced.log) {
      out.push_back({peer, make_heartbeat(properties_)});
    }
    for (auto& each : r.answers) {
      each.says = degraded || is_on_both(each.says) ? each.says : truth::both_servers;
    }
  }
}

void subscriber_notices::tell(bool degraded, time_point now,
                              std::vector<server_actions::addressed>& out) {
  if (std::exchange(announced_degraded_, degraded) != degraded) {
    announce(degraded, out);
  }
  due_.reset();
  std::size_t left = 0;
  for (const auto peer : pending_) {
    auto& r = peers_.find(peer)->second;
    if (const auto next = r.last_sent_at + interval; now < next && r.last_sent_at != time_point{}) {
      due_ = due_ ? std::min(*due_, next) : next;
      pending_[left++] = peer;
      continue;
    }
    r.pending = false;
    r.last_sent_at = now;
    write(peer, r, degraded, out);
  }
  pending_.resize(left);
}

}  // namespace chp
