#include "chp/session_acks.h"

#include "chp/acknowledgement.h"
#include "chp/command.h"

#include <algorithm>
#include <utility>

namespace chp {

session_acks::record& session_acks::record_of(std::uint64_t session) { return sessions_[session]; }

void session_acks::attach(std::uint64_t session, zmtp::peer_id subscriber) {
  auto& r = record_of(session);
  if (r.attached) {
    by_subscriber_.erase(r.subscriber);
  }
  r.subscriber = subscriber;
  r.attached = true;
  r.notified = {};
  by_subscriber_.insert_or_assign(subscriber, session);
  owe(session, r);
}

void session_acks::detach(zmtp::peer_id subscriber) {
  const auto found = by_subscriber_.find(subscriber);
  if (found == by_subscriber_.end()) {
    return;
  }
  const auto session = found->second;
  by_subscriber_.erase(found);
  sessions_[session].attached = false;
  forget_if_idle(session);
}

void session_acks::forget_if_idle(std::uint64_t session) {
  if (const auto at = sessions_.find(session);
      at != sessions_.end() && !at->second.attached && at->second.waiting == 0) {
    // A passive server sends no acknowledgements, and clients connect and disconnect meanwhile.
    if (at->second.owed) {
      std::erase(owed_, session);
    }
    if (owed_.empty()) {
      due_.reset();
    }
    sessions_.erase(at);
  }
}

void session_acks::await(std::uint64_t session, std::uint64_t counter, sequence number) {
  await(session, counter, number, waiting_);
}

void session_acks::await_notice(std::uint64_t session, std::uint64_t counter,
                                std::uint64_t notice) {
  await(session, counter, notice, waiting_notices_);
}

void session_acks::await(std::uint64_t session, std::uint64_t counter, std::uint64_t number,
                         std::deque<update>& in) {
  auto& r = record_of(session);
  r.lowest = r.waiting == 0 ? counter : std::min(r.lowest, counter);
  ++r.waiting;
  in.push_back({number, session, counter});
}

void session_acks::owe(std::uint64_t session) {
  if (const auto at = sessions_.find(session); at != sessions_.end()) {
    owe(session, at->second);
  }
}

void session_acks::owe(std::uint64_t session, record& of) {
  if (of.attached && !std::exchange(of.owed, true)) {
    owed_.push_back(session);
  }
}

bool session_acks::commit(sequence mark, std::size_t most) { return commit(mark, most, waiting_); }

bool session_acks::commit_notices(std::uint64_t last, std::size_t most) {
  return commit(last, most, waiting_notices_);
}

bool session_acks::commit(std::uint64_t mark, std::size_t most, std::deque<update>& in) {
  for (; !in.empty() && in.front().number <= mark; --most) {
    if (most == 0) {
      return false;
    }
    const auto [number, session, counter] = in.front();
    in.pop_front();
    auto& r = record_of(session);
    --r.waiting;
    if (r.lowest == counter) {
      r.lowest = counter + 1;
    }
    owe(session, r);
    forget_if_idle(session);
  }
  return true;
}

void session_acks::clear_waiting() {
  clear(waiting_);
  clear(waiting_notices_);
}

void session_acks::clear(std::deque<update>& of) {
  for (const auto& one : std::exchange(of, {})) {
    record_of(one.session).waiting = 0;
    forget_if_idle(one.session);
  }
}

void session_acks::tell(const update_register& applied, bool degraded, time_point now,
                        std::vector<server_actions::addressed>& out) {
  if (owed_.empty()) {
    return;
  }
  due_.reset();
  std::size_t kept = 0;
  std::string properties;
  std::vector<refusal> refused;
  for (const auto session : owed_) {
    const auto at = sessions_.find(session);
    // A session without a connection gets its acknowledgement when it subscribes again. It may have
    // been forgotten meanwhile.
    if (at == sessions_.end() || !at->second.owed) {
      continue;
    }
    auto& r = at->second;
    if (!r.attached) {
      r.owed = false;
      continue;
    }
    if (now < r.notified + interval) {
      due_ = due_ ? std::min(*due_, r.notified + interval) : r.notified + interval;
      owed_[kept++] = session;
      continue;
    }
    r.owed = false;
    const auto known = applied.find(session);
    const auto counter = r.waiting == 0 ? known.counter : std::min(known.counter, r.lowest - 1);
    if (counter == 0) {
      continue;
    }
    auto gaps = known.gaps;
    while (!gaps.empty() && gaps.back().first > counter) {
      gaps = gaps.first(gaps.size() - 1);
    }
    refused.clear();
    for (const auto& one : known.refused) {
      if (one.updates.first <= counter) {
        refused.push_back({{one.updates.first, std::min(one.updates.last, counter)}, one.why});
      }
    }
    r.notified = now;
    properties.clear();
    append_acknowledgement(properties, counter, gaps, degraded, refused, known.unsure);
    out.push_back({r.subscriber, make_heartbeat(properties)});
  }
  owed_.resize(kept);
}

void session_acks::not_taken(zmtp::peer_id subscriber) {
  if (const auto found = by_subscriber_.find(subscriber); found != by_subscriber_.end()) {
    auto& r = sessions_[found->second];
    owe(found->second, r);
    due_ = due_ ? std::min(*due_, r.notified + interval) : r.notified + interval;
  }
}

}  // namespace chp
