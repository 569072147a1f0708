#pragma once
// For services that may be asked the same thing twice: keeps replies by who asked and the number that it
// gave its request, so that a request is carried out once. Pure.

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

// The reply that has been kept longest gives way to a new one.
struct reply_cache_options {
  std::size_t entries = 100'000;
  std::size_t octets = 64 * 1024 * 1024;  // of replies and keys in memory
  // How long a reply is kept: longer than clients go on asking.
  std::chrono::milliseconds age{60'000};
};

// Look a request up before it is carried out; store its reply before it is sent: so one that was lost on
// its way is the same when it is asked for again. What a crash of the process loses is carried out again.
//
// Thread safety: distinct objects safe, one object not.
class reply_cache {
public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit reply_cache(const reply_cache_options& options = {}) : options_{options} {}
  reply_cache(const reply_cache&) = delete;
  reply_cache& operator=(const reply_cache&) = delete;

  // Of a request that is named by two parts, whatever octets they are.
  [[nodiscard]] static std::string key(std::string_view client, std::string_view number);

  // The reply to this request, until the cache is changed; null if it is not known.
  [[nodiscard]] const message* find(std::string_view key, time_point now);
  // Keeps a reply; the first one, if there are several. One that is too large for it is not kept.
  void store(std::string_view key, const message& reply, time_point now);

  // The whole of it: the reply that is known, or what `execute` returns, which is kept.
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
  std::list<entry> replies_;  // in the order of their age
  std::unordered_map<std::string_view, std::list<entry>::iterator> by_key_;
  std::size_t octets_ = 0;
  std::uint64_t hits_ = 0;
};

}  // namespace zmtp
