#include "chp/snapshot_streams.h"

#include "chp/command.h"
#include "chp/properties.h"
#include "chp/subtree.h"

#include <algorithm>
#include <array>
#include <utility>

namespace chp {

namespace {

// Entries that are looked at for one piece, of which a snapshot may have to pass over many.
constexpr std::size_t looked_at = 8'192;

}  // namespace

const announcement* snapshot_streams::find(zmtp::peer_id peer) const {
  const auto at = peers_.find(peer);
  return at == peers_.end() ? nullptr : &at->second.said;
}

void snapshot_streams::miss_offer(zmtp::peer_id peer) {
  if (const auto at = peers_.find(peer); at != peers_.end()) {
    at->second.missed_offers = true;
  }
}

bool snapshot_streams::missed_offers(zmtp::peer_id peer) const {
  const auto at = peers_.find(peer);
  return at != peers_.end() && at->second.missed_offers;
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
  if (r.said.acks && std::find(r.asked.begin(), r.asked.end(), subtree) != r.asked.end()) {
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
std::unique_ptr<snapshot_streams::answer> snapshot_streams::open(const record& of,
                                                                 const source& from) const {
  const auto& subtree = of.asked.front();
  auto made = std::make_unique<answer>(answer{from.map.open_snapshot(subtree), {}, {}});
  if (of.said.acks && !subtree.empty()) {
    if (const auto count = from.counts.of(subtree)) {
      const std::array counts{directory_count{subtree, *count}};
      append_directory_counts(made->end_properties, counts);
    }
  }
  if ((of.said.acks || of.said.backup) && from.begun != 0) {
    append_property(made->end_properties, property_name::begun, from.begun);
  }
  if (of.said.backup) {
    append_property(made->end_properties, property_name::shared, from.shared);
    append_property(made->end_properties, property_name::own, from.own);
    made->applied.emplace(from.applied.open_image());
  }
  return made;
}

zmtp::message snapshot_streams::entry_for(const record& of, const store::entry& e,
                                          time_point now) const {
  if (!of.said.backup) {
    return make_entry(options_.wire_format, e.key(), of.current->entries.number(), {}, {},
                      e.value());
  }
  std::string properties;
  if (const auto deadline = e.deadline()) {
    // Only the active server erases expired keys.
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - now);
    append_ttl_left(properties, std::max(left, std::chrono::milliseconds{1}));
  }
  // The number of the entry itself, by which the backup detects changes since both had the same.
  return make_entry(options_.wire_format, e.key(), e.number(), e.id().bytes(), properties,
                    e.value());
}

snapshot_streams::progress snapshot_streams::write(zmtp::peer_id peer, const source& from,
                                                   time_point now,
                                                   std::vector<server_actions::addressed>& out) {
  progress made;
  const auto at = peers_.find(peer);
  if (at == peers_.end() || at->second.asked.empty()) {
    return made;
  }
  auto& r = at->second;
  if (!r.current) {
    r.current = open(r, from);
    if (r.said.backup && r.asked.front().empty()) {
      made.of_backup = r.current->entries.number();
    }
  }
  auto& a = *r.current;
  std::size_t bytes = 0;
  a.entries.read(looked_at, [&](const store::entry& e) {
    out.push_back({peer, entry_for(r, e, now)});
    bytes += out.back().content.framed_size();
    return bytes < options_.snapshot_piece;
  });
  while (a.entries.at_end() && bytes < options_.snapshot_piece && a.applied) {
    if (const auto piece = a.applied->next(); !piece.empty()) {
      out.push_back({peer, make_register_piece(piece)});
      bytes += piece.size();
    } else {
      a.applied.reset();
    }
  }
  if (a.entries.at_end() && !a.applied) {
    out.push_back({peer, make_snapshot_end(options_.wire_format, a.entries.number(),
                                           r.asked.front(), a.end_properties)});
    r.current.reset();
    r.asked.pop_front();
    made.ended = true;
  }
  made.more = !r.asked.empty();
  return made;
}

}  // namespace chp
