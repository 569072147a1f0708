#include "zmtp/engine/links.h"

#include "zmtp/engine/link.h"

#include <algorithm>
#include <utility>

namespace zmtp {

void links::add(const std::shared_ptr<peer_link>& to_peer) {
  links_.emplace(++arrivals_, to_peer);
  to_peer->arrived_as(arrivals_);
}

void links::remove(const peer_link& to_peer) noexcept { links_.erase(to_peer.arrival()); }

void links::attach(peer_id id, peer_link& to_peer) {
  // The new peer receives all subscriptions, the other peers only the changes.
  tell_changes();
  if (id.slot >= by_slot_.size()) {
    by_slot_.resize(id.slot + 1);
  }
  by_slot_[id.slot] = &to_peer;
}

void links::detach(peer_id id) noexcept {
  if (id.slot < by_slot_.size()) {
    by_slot_[id.slot] = nullptr;
  }
}

std::vector<peer_status> links::peers() const {
  std::vector<peer_status> all;
  state_.for_each_pipe([&](const pipe& p) {
    if (const auto* link = p.attached ? of(p.id) : nullptr) {
      all.push_back({.id = p.id,
                     .info = p.info,
                     .counters = p.counters,
                     .messages_to_send = p.out.messages(),
                     .bytes_to_send = p.out.bytes(),
                     .messages_to_receive = p.in.size(),
                     .bytes_to_receive = p.in.bytes(),
                     .attached_at = link->attached_at()});
    }
  });
  return all;
}

bool links::flush(std::size_t most) {
  auto& dirty = state_.dirty();
  for (auto count = std::min(dirty.size(), most); count != 0; --count) {
    const auto id = dirty.front();
    auto* const link = of(id);
    const auto more = link != nullptr && !link->flush();
    auto* const p = state_.find(id);
    if (p != nullptr) {
      p->out.compact();
      p->dirty = false;
    }
    dirty.pop_front();
    // A peer with more output goes behind those that have not had their turn.
    if (p != nullptr && more) {
      state_.touch(*p);
    }
  }
  return dirty.empty();
}

bool links::flush(peer_id to) {
  auto* const link = of(to);
  return link == nullptr || link->flush();
}

void links::hand_over() {
  for (const auto id : state_.dirty()) {
    if (auto* const link = of(id)) {
      link->hand_over();
    }
  }
}

void links::tell(subscription_changes& unsent_subscriptions) {
  state_.for_each_pipe([&](const pipe& p) {
    if (auto* link = of(p.id)) {
      for (const auto& change : unsent_subscriptions) {
        link->tell(change.subscribe, change.topic);
      }
    }
  });
  unsent_subscriptions.clear();
}

bool links::resume(std::vector<peer_id>& resumable) {
  // Resuming one peer may add others.
  for (std::size_t i = 0; i < resumable.size(); ++i) {
    if (auto* link = of(resumable[i])) {
      link->resume();
    }
  }
  resumable.clear();
  return true;
}

bool links::end(std::vector<peer_id>& too_slow) {
  for (std::size_t i = 0; i < too_slow.size(); ++i) {
    // The connection may have ended already, and the endpoint may have another one.
    const auto* const p = state_.find(too_slow[i]);
    auto* const link = p != nullptr && p->too_slow ? of(too_slow[i]) : nullptr;
    if (link != nullptr) {
      link->close(errc::too_slow);
    }
  }
  too_slow.clear();
  return true;
}

void links::options_changed() {
  const auto all = links_;
  for (const auto& [number, link] : all) {
    link->options_changed();
  }
}

void links::finish() {
  const auto all = links_;
  for (const auto& [number, link] : all) {
    link->finish();
  }
}

void links::abandon() noexcept {
  const auto all = std::move(links_);
  links_.clear();
  by_slot_.clear();
  for (const auto& [number, link] : all) {
    link->abandon();
  }
}

}  // namespace zmtp
