#include "test/zmtp/simulation/history.h"

#include <utility>

namespace zmtp::simulation {

std::string history::name(const parcel& p) {
  return "parcel " + std::to_string(p.sequence) + " of " + std::to_string(p.sender);
}

parcel history::next(std::uint32_t sender, std::uint32_t answers_to, std::uint32_t answers) {
  auto& of = sent_[sender];
  const parcel p{.sender = sender,
                 .sequence = static_cast<std::uint32_t>(of.size() + 1),
                 .destination = answers_to,
                 .answers = answers};
  of.push_back({p, false, 0, {}});
  return p;
}

void history::offered(const parcel& p) {
  auto& e = entry_of(p);
  e.what = p;
  // An answer may go to a connection that has ended since its request.
  const auto* const request = p.answers != 0 ? &sent_[p.destination][p.answers - 1] : nullptr;
  e.expected_by = request != nullptr && request->expected_by == 0 ? 0 : expected_by_;
}

std::optional<parcel> history::received(std::uint32_t receiver, const routed_message& m) {
  const auto found = unwrap(m.content);
  const auto who = " at " + std::to_string(receiver);
  if (found.found == unwrapped::state::cut_short) {
    report(violation::partial, name(found.what) + who);
    return std::nullopt;
  }
  if (found.found != unwrapped::state::whole) {
    report(violation::spliced, "a message" + who + " is none that was sent");
    return std::nullopt;
  }
  const auto& p = found.what;
  const auto of = sent_.find(p.sender);
  if (of == sent_.end() || p.sequence == 0 || p.sequence > of->second.size() ||
      !(entry_of(p).what == p)) {
    report(violation::spliced, name(p) + who + " was never sent so");
    return std::nullopt;
  }
  auto& e = entry_of(p);
  ++count_;
  if (p.destination != 0 && p.destination != receiver) {
    report(violation::misaddressed, name(p) + who);
  }
  if (e.received_by.contains(receiver) || (!to_many_ && !e.received_by.empty())) {
    report(violation::duplicate, name(p) + who);
  }
  e.received_by.insert(receiver);
  auto& last = last_[receiver][{m.peer, p.sender}];
  if (p.sequence <= last) {
    report(violation::reordered, name(p) + who + " after " + std::to_string(last));
  }
  last = p.sequence;
  return p;
}

void history::restarted(std::uint32_t receiver) { last_.erase(receiver); }

std::size_t history::missing() const {
  std::size_t count = 0;
  for (const auto& [sender, parcels] : sent_) {
    for (const auto& e : parcels) {
      count += e.queued && e.received_by.size() < e.expected_by ? 1U : 0U;
    }
  }
  return count;
}

std::size_t history::bytes_lost(std::uint32_t sender) const {
  std::size_t bytes = 0;
  bool first = true;
  if (const auto of = sent_.find(sender); of != sent_.end()) {
    for (const auto& e : of->second) {
      if (e.queued && e.received_by.empty()) {
        bytes += std::exchange(first, false) ? 0 : e.what.size;
      }
    }
  }
  return bytes;
}

void history::close() {
  for (const auto& [sender, parcels] : sent_) {
    for (const auto& e : parcels) {
      if (e.queued && e.received_by.size() < e.expected_by) {
        report(violation::lost, name(e.what));
      }
    }
  }
}

}  // namespace zmtp::simulation
