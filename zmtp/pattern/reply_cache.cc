#include "zmtp/pattern/reply_cache.h"

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
  added.octets = sizeof(entry) + key.size() + added.reply.memory_size();
  if (added.octets > options_.octets || options_.entries == 0) {
    return;
  }
  while (!replies_.empty() &&
         (replies_.size() >= options_.entries || octets_ + added.octets > options_.octets)) {
    drop_first();
  }
  octets_ += added.octets;
  replies_.push_back(std::move(added));
  by_key_.emplace(replies_.back().key, std::prev(replies_.end()));
}

void reply_cache::drop_old(time_point now) {
  while (!replies_.empty() && now - replies_.front().stored_at >= options_.age) {
    drop_first();
  }
}

void reply_cache::drop_first() {
  octets_ -= replies_.front().octets;
  by_key_.erase(replies_.front().key);
  replies_.pop_front();
}

}  // namespace zmtp
