#include "zmtp/pattern/freelance_server_state.h"

#include "zmtp/pattern/call_error.h"
#include "zmtp/pattern/freelance_frames.h"
#include "zmtp/pattern/pirate_message.h"

#include <iterator>

namespace zmtp {

std::string reply_cache::key(std::string_view client, std::string_view number) {
  auto key = std::to_string(client.size());
  key += ':';
  key += client;
  key += number;
  return key;
}

const message* reply_cache::find(std::string_view key, time_point now) {
  drop_old(now);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) {
    return nullptr;
  }
  ++hits_;
  return &found->second->reply;
}

void reply_cache::store(std::string_view key, const message& reply, time_point now) {
  drop_old(now);
  if (by_key_.contains(key)) {
    return;
  }
  entry added{std::string{key}, reply, now, 0};
  // Do not keep a block that is much larger than the reply.
  added.reply.compact();
  added.bytes = sizeof(entry) + key.size() + added.reply.memory_size();
  if (added.bytes > options_.bytes || options_.entries == 0) {
    return;
  }
  while (!replies_.empty() &&
         (replies_.size() >= options_.entries || bytes_ + added.bytes > options_.bytes)) {
    drop_first();
  }
  bytes_ += added.bytes;
  replies_.push_back(std::move(added));
  by_key_.emplace(replies_.back().key, std::prev(replies_.end()));
}

void reply_cache::drop_old(time_point now) {
  while (!replies_.empty() && now - replies_.front().stored_at >= options_.age) {
    drop_first();
  }
}

void reply_cache::drop_first() {
  bytes_ -= replies_.front().bytes;
  by_key_.erase(replies_.front().key);
  replies_.pop_front();
}

freelance_server_state::freelance_server_state(const freelance_server_options& options)
    : options_{options} {
  if (options_.keep_replies && options_.form != freelance_form::plain) {
    kept_.emplace(*options_.keep_replies);
  }
}

void freelance_server_state::on_message(peer_id client, bool sessions, message&& m, time_point now,
                                        actions& out) {
  const bool flp = options_.form == freelance_form::flp;
  if (flp && m.size() == 1 && m.front() == freelance_ping) {
    ++counters_.pings;
    out.sends.emplace_back(client, message{freelance_pong});
    return;
  }
  // The envelope of the reply.
  const auto front =
      flp ? 1 : envelope_size(m) + (options_.form == freelance_form::sequenced ? 1 : 0);
  if ((!flp && envelope_size(m) == 0) || m.size() <= front) {
    ++counters_.invalid;
    return;
  }
  auto envelope = take_front(m, front);
  if (flp && !sessions && m.size() > 1 && m.front().empty()) {
    m.pop_front();  // the Guide's Python clients send an empty frame here
  }
  std::string key;
  if (kept_) {
    key = key_of(client, sessions, envelope.back());
    if (const auto* const known = kept_->find(key, now)) {
      ++counters_.repeated;
      envelope.append(*known);
      out.sends.emplace_back(client, std::move(envelope));
      return;
    }
    if (const auto at = by_key_.find(key); at != by_key_.end()) {
      // The request is in progress. Its reply goes to the client that sent it last.
      ++counters_.repeated;
      auto& working = in_flight_.at(at->second);
      working.client = client;
      working.envelope = std::move(envelope);
      return;
    }
  }
  ++counters_.requests;
  const auto id = ++last_id_;
  if (!key.empty()) {
    by_key_.emplace(key, id);
  }
  in_flight_.emplace(id, hand{client, std::move(envelope), std::move(key)});
  out.requests.push_back({id, std::move(m)});
}

std::string freelance_server_state::key_of(peer_id client, bool sessions,
                                           std::string_view control) const {
  return sessions
             ? reply_cache::key("", control)
             : reply_cache::key(
                   std::to_string(client.slot) + '.' + std::to_string(client.generation), control);
}

boost::system::error_code freelance_server_state::reply(std::uint64_t request, message&& body,
                                                        time_point now, actions& out) {
  const auto found = in_flight_.find(request);
  if (found == in_flight_.end()) {
    return call_errc::no_request;
  }
  auto& held = found->second;
  if (!held.key.empty()) {
    kept_->store(held.key, body, now);
    by_key_.erase(held.key);
  }
  body.prepend(held.envelope);
  out.sends.emplace_back(held.client, std::move(body));
  in_flight_.erase(found);
  return {};
}

void freelance_server_state::drop(std::uint64_t request) {
  if (const auto found = in_flight_.find(request); found != in_flight_.end()) {
    by_key_.erase(found->second.key);
    in_flight_.erase(found);
  }
}

}  // namespace zmtp
