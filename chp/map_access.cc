#include "chp/map_access.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace chp {

namespace {

// Heartbeats and outcomes have this key, and every client may read them. No principal may write a
// key that begins with it, because all subscribers of heartbeats would get its updates.
constexpr std::string_view heartbeats = "HUGZ";

constexpr std::uint8_t verb_of(right what) noexcept { return static_cast<std::uint8_t>(what); }

}  // namespace

const char* to_string(right what) noexcept {
  switch (what) {
    case right::read: return "read";
    case right::write: return "write";
    case right::use_session: return "use_session";
  }
  return "";
}

void map_access::count(std::uint64_t& counter, std::string_view user_id, right wanted,
                       std::string_view name) {
  ++counter;
  if (guard_.refuse(user_id, verb_of(wanted)) == zmtp::access_guard::verdict::refused_first) {
    refusals_.push_back({std::string{user_id}, wanted, std::string{name}});
  }
}

bool map_access::attach_subscriber(zmtp::peer_id peer, std::string_view user_id, bool is_zinc,
                                   std::optional<std::uint64_t> session) {
  const bool fits = !session || may_use(user_id, *session);
  auto& added = subscribers_[peer];
  added = {.user_id = std::string{user_id},
           .is_zinc = is_zinc,
           .session = fits ? session : std::nullopt};
  if (added.session) {
    auto& owner = owners_[*added.session];
    owner.user_id = user_id;
    ++owner.subscribers;
  }
  return fits;
}

void map_access::detach_subscriber(zmtp::peer_id peer) {
  const auto gone = subscribers_.extract(peer);
  if (gone.empty() || !gone.mapped().session) {
    return;
  }
  const auto owner = owners_.find(*gone.mapped().session);
  if (--owner->second.subscribers == 0) {
    owners_.erase(owner);
  }
}

// Returns the topics that the publisher may send to this subscriber for a topic that it wants.
std::vector<std::string> map_access::parts_of(const subscriber& s, std::string_view topic) const {
  std::vector<std::string> parts;
  if (topic.starts_with(heartbeats) || rules().allows_all(s.user_id, verb_of(right::read), topic)) {
    parts.emplace_back(topic);
    return parts;
  }
  if (!s.is_zinc) {
    parts = rules().allowed_parts(s.user_id, verb_of(right::read), topic);
  }
  if (heartbeats.starts_with(topic)) {
    parts.emplace_back(heartbeats);
  }
  return parts;
}

void map_access::subscribe(zmtp::peer_id peer, std::string_view topic,
                           std::vector<subscription>& out) {
  const auto at = subscribers_.find(peer);
  if (at == subscribers_.end() || !at->second.wanted.emplace(topic).second) {
    return;
  }
  auto& s = at->second;
  auto parts = parts_of(s, topic);
  if (parts.empty() || (parts.size() == 1 && parts.front() == heartbeats && topic != heartbeats)) {
    count(counters_.subscriptions, s.user_id, right::read, topic);
  }
  for (auto& part : parts) {
    if (++s.sent[part] == 1) {
      out.push_back({peer, true, std::move(part)});
    }
  }
}

void map_access::cancel(zmtp::peer_id peer, std::string_view topic,
                        std::vector<subscription>& out) {
  const auto at = subscribers_.find(peer);
  const auto found = at == subscribers_.end() ? decltype(at->second.wanted.begin()){}
                                              : at->second.wanted.find(topic);
  if (at == subscribers_.end() || found == at->second.wanted.end()) {
    return;
  }
  auto& s = at->second;
  s.wanted.erase(found);
  for (auto& part : parts_of(s, topic)) {
    const auto sent = s.sent.find(part);
    if (--sent->second == 0) {
      s.sent.erase(sent);
      out.push_back({peer, false, std::move(part)});
    }
  }
}

void map_access::change(zmtp::access_rules rules, std::vector<subscription>& out,
                        std::vector<zmtp::peer_id>& lost) {
  guard_.change(std::move(rules));
  for (auto& [peer, s] : subscribers_) {
    const auto before = std::exchange(s.sent, {});
    for (const auto& topic : s.wanted) {
      for (auto& part : parts_of(s, topic)) {
        ++s.sent[std::move(part)];
      }
    }
    bool has_lost = false;
    for (const auto& [topic, causes] : before) {
      if (!s.sent.contains(topic)) {
        out.push_back({peer, false, topic});
        has_lost = true;
      }
    }
    if (has_lost && s.is_zinc) {
      lost.push_back(peer);
    }
    for (const auto& [topic, causes] : s.sent) {
      if (!before.contains(topic)) {
        out.push_back({peer, true, topic});
      }
    }
  }
}

bool map_access::may_copy(std::string_view user_id) {
  for (const auto wanted : {right::read, right::write}) {
    if (!rules().allows_all(user_id, verb_of(wanted), "")) {
      count(counters_.backups, user_id, wanted, "*");
      return false;
    }
  }
  return true;
}

bool map_access::may_read(std::string_view user_id, bool is_zinc, std::string_view subtree) {
  const auto verb = verb_of(right::read);
  const bool may = is_zinc ? rules().allows_all(user_id, verb, subtree)
                           : !rules().allowed_parts(user_id, verb, subtree).empty();
  if (!may) {
    count(counters_.snapshots, user_id, right::read, subtree);
  }
  return may;
}

bool map_access::may_write(std::string_view user_id, std::string_view key) {
  const bool may = !restricted() || (!key.starts_with(heartbeats) &&
                                     rules().allows(user_id, verb_of(right::write), key));
  if (!may) {
    count(counters_.updates, user_id, right::write, key);
  }
  return may;
}

bool map_access::may_use(std::string_view user_id, std::uint64_t session) {
  const auto owner = owners_.find(session);
  const bool may = !restricted() || owner == owners_.end() || owner->second.user_id == user_id;
  if (!may) {
    std::array<char, 2 * sizeof session> digits;
    const auto* const end = std::to_chars(digits.begin(), digits.end(), session, 16).ptr;
    count(counters_.sessions, user_id, right::use_session,
          {digits.data(), static_cast<std::size_t>(end - digits.data())});
  }
  return may;
}

bool map_access::owns(std::string_view user_id, std::uint64_t session) const {
  const auto owner = owners_.find(session);
  return owner != owners_.end() && owner->second.user_id == user_id;
}

std::vector<access_refusal> map_access::take_refusals() { return std::exchange(refusals_, {}); }

}  // namespace chp
