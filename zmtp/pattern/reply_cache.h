#pragma once
// Stores replies by client and request number, so that a service executes a repeated request only
// once. Pure.

#include "zmtp/message.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace zmtp {

// At a limit, the cache evicts the oldest reply.
struct reply_cache_options {
  std::size_t entries = 100'000;
  std::size_t octets = 64 * 1024 * 1024;  // bytes of replies and keys in memory
  // How long a reply is stored. Must be longer than clients retry.
  std::chrono::milliseconds age{60'000};
};

// Look up a request before you execute it, and store its reply before you send it. A repeated
// request then gets the same reply. Replies are lost if the process crashes, and such requests are
// executed again.
//
// Thread safety: distinct objects safe, one object not.
class reply_cache {
public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit reply_cache(const reply_cache_options& options = {}) : options_{options} {}
  reply_cache(const reply_cache&) = delete;
  reply_cache& operator=(const reply_cache&) = delete;

  // Returns the key of a request that has these two parts as its name. The parts may have any
  // bytes.
  [[nodiscard]] static std::string key(std::string_view client, std::string_view number);

  // Returns the stored reply, or nullptr. Valid until the cache changes.
  [[nodiscard]] const message* find(std::string_view key, time_point now);
  // Stores a reply unless the key already has one. Does not store a reply that exceeds the limits.
  void store(std::string_view key, const message& reply, time_point now);

  // Returns the stored reply. If there is none, returns and stores the result of `execute`.
  template <class Execute>
  [[nodiscard]] message answer(std::string_view key, time_point now, Execute&& execute) {
    if (const auto* const known = find(key, now)) {
      return *known;
    }
    message reply = std::forward<Execute>(execute)();
    store(key, reply, now);
    return reply;
  }

  [[nodiscard]] std::size_t entries() const noexcept { return replies_.size(); }
  [[nodiscard]] std::size_t octets() const noexcept { return octets_; }
  [[nodiscard]] std::uint64_t hits() const noexcept { return hits_; }

private:
  struct entry {
    std::string key;
    message reply;
    time_point stored_at;
    std::size_t octets;
  };

  void drop_old(time_point now);
  void drop_first();

  const reply_cache_options options_;
  std::list<entry> replies_;  // oldest first
  std::unordered_map<std::string_view, std::list<entry>::iterator> by_key_;
  std::size_t octets_ = 0;
  std::uint64_t hits_ = 0;
};

}  // namespace zmtp
