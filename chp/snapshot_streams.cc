#include "chp/snapshot_streams.h"

#include "chp/command.h"
#include "chp/properties.h"
#include "chp/subtree.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace chp {

namespace {

// Entries that are read for one piece. A snapshot of a subtree may skip many of them.
constexpr std::size_t read_at_once = 8'192;

}  // namespace

const announcement* snapshot_streams::find(zmtp::peer_id peer) const {
  const auto at = peers_.find(peer);
  return at == peers_.end() ? nullptr : &at->second.announced;
}

std::string_view snapshot_streams::user_of(zmtp::peer_id peer) const {
  const auto at = peers_.find(peer);
  return at == peers_.end() ? std::string_view{} : std::string_view{at->second.user_id};
}

std::optional<zmtp::peer_id> snapshot_streams::end_oldest() {
  const auto oldest = std::find_if(peers_.begin(), peers_.end(), [](const auto& each) {
    const auto& current = each.second.current;
    return current && current->entries.is_oldest();
  });
  if (oldest == peers_.end()) {
    return std::nullopt;
  }
  oldest->second.current.reset();
  oldest->second.asked.clear();
  return oldest->first;
}

void snapshot_streams::clear(std::vector<zmtp::peer_id>& waiting) {
  for (auto& [peer, r] : peers_) {
    if (!r.asked.empty()) {
      waiting.push_back(peer);
    }
    r.current.reset();
    r.asked.clear();
  }
}

snapshot_streams::asked snapshot_streams::ask(zmtp::peer_id peer, std::string_view subtree) {
  const auto at = peers_.find(peer);
  if (at == peers_.end()) {
    return asked::refused;
  }
  auto& r = at->second;
  if (r.announced.acks && std::find(r.asked.begin(), r.asked.end(), subtree) != r.asked.end()) {
    return asked::another;
  }
  if (r.asked.size() >= options_.snapshots_of_a_peer) {
    return asked::refused;
  }
  r.asked.emplace_back(subtree);
  return r.asked.size() == 1 ? asked::first : asked::another;
}

std::size_t snapshot_streams::size() const noexcept {
  return static_cast<std::size_t>(std::count_if(
      peers_.begin(), peers_.end(), [](const auto& each) { return !each.second.asked.empty(); }));
}

// The properties and the entries are of the same moment.
std::unique_ptr<snapshot_streams::reply> snapshot_streams::open(const record& of,
                                                                const source& from) {
  const auto& subtree = of.asked.front();
  auto made = std::make_unique<reply>(
      reply{from.past.map().open_snapshot(subtree), from.past.published(), {}});
  if (of.announced.acks && !subtree.empty()) {
    if (const auto count = from.counts.of(subtree)) {
      const std::array counts{directory_count{subtree, *count}};
      append_directory_counts(made->end_properties, counts);
    }
  }
  return made;
}

snapshot_streams::progress snapshot_streams::write(zmtp::peer_id peer, const source& from,
                                                   std::vector<server_actions::addressed>& out) {
  progress made;
  const auto at = peers_.find(peer);
  if (at == peers_.end() || at->second.asked.empty()) {
    return made;
  }
  auto& r = at->second;
  constexpr auto read = static_cast<std::uint8_t>(right::read);
  const bool is_whole = from.rules.allows_all(r.user_id, read, r.asked.front());
  made.forbidden = r.announced.acks && !is_whole;
  if (made.forbidden) {
    out.push_back({peer, make_snapshot_forbidden(r.asked.front())});
    made.ended = true;
  } else {
    made.ended = write_piece(peer, r, is_whole, from, out);
  }
  if (made.ended) {
    r.current.reset();
    r.asked.pop_front();
  }
  made.more = !r.asked.empty();
  return made;
}

bool snapshot_streams::write_piece(zmtp::peer_id peer, record& r, bool is_whole, const source& from,
                                   std::vector<server_actions::addressed>& out) {
  if (!r.current) {
    r.current = open(r, from);
  }
  auto& current = *r.current;
  std::size_t bytes = 0;
  current.entries.read(read_at_once, [&](const store::entry& e) {
    if (!is_whole &&
        !from.rules.allows(r.user_id, static_cast<std::uint8_t>(right::read), e.key())) {
      return true;
    }
    out.push_back(
        {peer, make_entry(options_.wire_format, e.key(), current.number, {}, {}, e.value())});
    bytes += out.back().content.framed_size();
    return bytes < options_.snapshot_piece;
  });
  if (!current.entries.at_end()) {
    return false;
  }
  if (r.announced.log) {
    out.push_back({peer, make_lineage(from.past.reigns(), from.past.end())});
  }
  out.push_back({peer, make_snapshot_end(options_.wire_format, current.number, r.asked.front(),
                                         current.end_properties)});
  return true;
}

}  // namespace chp
