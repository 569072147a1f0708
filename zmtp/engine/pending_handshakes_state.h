#pragma once
// The limits of a listener's pending handshakes: per address, and for all of them together.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace zmtp {

// Counts the handshakes of each address, so that one address cannot use all slots. Loopback
// addresses and connections without an address (ipc) are not limited, because all local programs
// share them.
class address_shares {
public:
  // An IPv6 address, or an IPv4 address mapped into IPv6 (::ffff:192.0.2.1).
  using host = std::array<std::uint8_t, 16>;

  // Counts a new handshake. Returns false, without counting it, if its address already has a
  // quarter of `places`, or one if a quarter is less than one.
  [[nodiscard]] bool enter(const std::optional<host>& from, std::size_t places);
  // Call when a counted handshake has ended.
  void leave(const std::optional<host>& from) noexcept;

private:
  // only addresses with handshakes; ordered, so that peers cannot force hash collisions
  std::map<host, std::size_t> taken_;
};

// Selects the handshake to evict when the listener has no free slot for a new connection: the one
// that has been idle for longest, if that is long enough. Otherwise new connections wait in the
// kernel's backlog.
class handshake_room {
public:
  using duration = std::chrono::steady_clock::duration;
  // The idle time of one handshake. Empty: never evicted, because the handshake is complete or
  // about to be.
  using silence = std::optional<duration>;

  struct verdict {
    enum class kind {
      room,   // a slot is free
      evict,  // evict `which`, unless may_go() is false after a last read
      wait,   // no handshake may be evicted
    };
    kind what = kind::room;
    std::size_t which = 0;
    // wait: time until one may be evicted; empty: only when a handshake ends
    silence again_after{};
  };

  // `places`: the number of slots. `allowed`: the idle time after which a handshake may be evicted.
  handshake_room(std::size_t places, duration allowed) noexcept
      : places_{places}, allowed_{allowed} {}

  // Decides for `taken` handshakes. `silence_of(i)` returns the idle time of handshake i, in order
  // of their start.
  template <class SilenceOf>
  [[nodiscard]] verdict decide(std::size_t taken, SilenceOf&& silence_of) const {
    if (taken < places_) {
      return {.what = verdict::kind::room};
    }
    silence longest;
    std::size_t which = 0;
    for (std::size_t i = 0; i < taken; ++i) {
      if (const auto of = silence_of(i); longest < of) {
        longest = of;
        which = i;
      }
    }
    if (may_go(longest)) {
      return {.what = verdict::kind::evict, .which = which};
    }
    return {.what = verdict::kind::wait,
            .which = which,
            .again_after = longest ? silence{allowed_ - *longest} : silence{}};
  }

  // Returns whether a handshake may be evicted. Call after a last read from its connection.
  [[nodiscard]] bool may_go(silence of) const noexcept { return of && *of >= allowed_; }

private:
  std::size_t places_;
  duration allowed_;
};

}  // namespace zmtp
