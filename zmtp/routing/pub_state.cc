#include "zmtp/routing/pub_state.h"

#include "zmtp/buffer/block.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace zmtp {

pub_state::change pub_state::apply(pipe& p, bool subscribe, std::string_view topic) {
  if (!subscribe) {
    return index_.cancel(p.id.slot, topic) ? change::made : change::none;
  }
  const auto& limit = options_.limit;
  if (index_.subscriptions_of(p.id.slot) >= limit.subscriptions ||
      index_.topic_bytes_of(p.id.slot) + topic.size() > limit.subscription_bytes) {
    // A repeated subscription needs no memory, so no limit applies.
    if (index_.contains(p.id.slot, topic)) {
      return change::none;
    }
    on_refused_subscriptions(1);
    return change::refused;
  }
  return index_.subscribe(p.id.slot, topic) ? change::made : change::none;
}

void pub_state::on_detached(pipe& p) {
  close_group();
  index_.remove(p.id.slot);
  if (p.too_slow || options_.disconnect_slow) {
    drop_queue(p);
  }
  socket_state::on_detached(p);
}

// The next connection starts with messages that are published then.
void pub_state::drop_queue(pipe& p) {
  counters_.dropped_detached += p.drop_unsent();
  p.lagging = false;
  p.too_slow = false;
}

void pub_state::close_pipe(pipe& p) {
  close_group();
  socket_state::close_pipe(p);
}

void pub_state::forget(pipe& p) {
  close_group();
  index_.remove(p.id.slot);
  socket_state::forget(p);
}

void pub_state::on_written(pipe& p) {
  if (p.lagging && !p.too_slow && !p.out.full()) {
    p.lagging = false;
    close_group();
  }
}

bool pub_state::writable() const noexcept {
  bool room = true;
  if (options_.no_drop) {
    for_each_pipe([&](const pipe& p) { room = room && !p.out.full(); });
  }
  return room;
}

std::size_t pub_state::subscribers(std::string_view part) const {
  std::vector<subscription_index::topic_id> topics;
  index_.match(part, topics);
  std::vector<std::uint32_t> peers;
  for (const auto topic : topics) {
    index_.for_each_subscriber(topic, [&](std::uint32_t peer) { peers.push_back(peer); });
  }
  std::sort(peers.begin(), peers.end());
  return static_cast<std::size_t>(std::unique(peers.begin(), peers.end()) - peers.begin());
}

// Returns false if the peers are those of the last message.
bool pub_state::find_peers(std::string_view part) {
  const bool unchanged = version_ == index_.version();
  if (unchanged && index_.parts_match_alike()) {
    return false;
  }
  topics_.clear();
  index_.match(part, topics_);
  if (unchanged && topics_ == topics_before_) {
    return false;
  }
  version_ = no_version;  // until all peers are found
  std::swap(topics_, topics_before_);
  peers_.clear();
  ++round_;
  for (const auto topic : topics_before_) {
    index_.for_each_subscriber(topic, [&](std::uint32_t peer) {
      if (peer >= seen_.size()) {
        seen_.resize(peer + 1);
      }
      if (std::exchange(seen_[peer], round_) != round_) {
        peers_.push_back(peer);
      }
    });
  }
  version_ = index_.version();
  return true;
}

send_status pub_state::send(message&& m, if_full then) {
  (void)find_peers(m.front());
  if (group_round_ != round_) {
    close_group();
  }
  if (peers_.empty()) {
    m.clear();
    return send_status::queued;
  }
  if (options_.conflate) {
    for (const auto slot : peers_) {
      prepare_queueing(pipes_.at(slot));
    }
    for (const auto slot : peers_) {
      queue(pipes_.at(slot), message{m});
    }
    m.clear();
    return send_status::queued;
  }
  const auto size = m.framed_size();
  const bool large = m.tail().size() > message::large_slice;
  if (open_ && (large || messages_ >= room_messages_ || bytes_ >= room_bytes_ ||
                bytes_ + size > block_size::large)) {
    close_group();
  }
  if (!open_ && !open_group(then)) {
    return send_status::full;
  }
  if (large) {
    count_group(1);
    for (const auto slot : takers_) {
      pipes_.at(slot).out.push(message{m});
    }
    close_group();
  } else if (takers_.empty()) {
    count_group(1);
  } else {
    if (!gathered_) {
      gathered_ = block_ptr{block::create(block_size::large)};
    }
    count_group(1);
    auto* at = gathered_->data() + bytes_;
    copy_short(at, m.head().data(), m.head().size());
    if (!m.tail().empty()) {
      std::memcpy(at + m.head().size(), m.tail().data(), m.tail().size());
    }
    bytes_ += size;
    ++messages_;
  }
  m.clear();
  return send_status::queued;
}

send_status pub_state::send(message_batch& from, if_full then) {
  auto* const run =
      skip_notices(from) ? std::get_if<message_run>(&from.first_item().content) : nullptr;
  if (run == nullptr || options_.conflate) {
    return socket_state::send(from, then);
  }
  (void)find_peers(frame::first_part(run->data));
  close_group();
  if (!open_group(then)) {
    return send_status::full;
  }
  frame::cut part;
  do {
    part.bytes += frame::message_at(run->data + part.bytes).bytes;
    ++part.messages;
  } while (part.messages < run->messages && part.messages < room_messages_ &&
           part.bytes < room_bytes_ && !find_peers(frame::first_part(run->data + part.bytes)));
  count_group(part.messages);
  close_group();
  const auto first = first_of(*run, part);
  for (const auto slot : takers_) {
    pipes_.at(slot).out.push(first);
  }
  from.drop_front(part);
  return send_status::queued;
}

// Counts messages for the open group.
void pub_state::count_group(std::size_t messages) noexcept {
  counters_.dropped_full += messages * missers_.size();
  counters_.dropped_over_budget += messages * over_.size();
  counters_.messages_sent += messages * takers_.size();
  sent_ += messages;
}

// Returns false if a queue is full and the caller must try again.
bool pub_state::open_group(if_full then) {
  takers_.clear();
  missers_.clear();
  over_.clear();
  room_messages_ = static_cast<std::size_t>(-1);
  room_bytes_ = static_cast<std::size_t>(-1);
  for (const auto slot : peers_) {
    auto& p = pipes_.at(slot);
    if (p.lagging) {
      leave_out(p);
      continue;
    }
    if (p.out.full()) {
      if (then == if_full::report || options_.no_drop) {
        return false;
      }
      if (options_.disconnect_slow) {
        too_slow_.push_back(p.id);
        p.too_slow = true;
      }
      p.lagging = true;
      leave_out(p);
      continue;
    }
    takers_.push_back(slot);
    room_messages_ = std::min(room_messages_, p.out.room_for_messages());
    room_bytes_ = std::min(room_bytes_, p.out.room_for_bytes());
  }
  for (const auto slot : takers_) {
    prepare_queueing(pipes_.at(slot));
  }
  group_round_ = round_;
  open_ = true;
  return true;
}

void pub_state::leave_out(const pipe& p) {
  const bool over = !p.out.at_mark() && p.out.over_quota();
  (over ? over_ : missers_).push_back(p.id.slot);
}

void pub_state::close_group() {
  if (!std::exchange(open_, false)) {
    return;
  }
  for (const auto slot : takers_) {
    pipes_.at(slot).counters.messages_sent += sent_;
  }
  for (const auto slot : missers_) {
    pipes_.at(slot).counters.dropped_full += sent_;
  }
  for (const auto slot : over_) {
    pipes_.at(slot).counters.dropped_over_budget += sent_;
  }
  sent_ = 0;
  if (messages_ == 0) {
    return;
  }
  for (const message_run group{
           .memory = gathered_, .data = gathered_->data(), .size = bytes_, .messages = messages_};
       const auto slot : takers_) {
    pipes_.at(slot).out.push(group);
  }
  // If a queue shares the block, it keeps the block. Otherwise the next group reuses it.
  if (!gathered_->unique()) {
    gathered_ = block_ptr{};
  }
  bytes_ = 0;
  messages_ = 0;
}

}  // namespace zmtp
