#pragma once
// Which of a listener's handshakes gives way to who comes, where there are as many as there may be.

#include <chrono>
#include <cstddef>
#include <optional>

namespace zmtp {

// The one that has been silent for longest, if it has been so for long enough; else who comes waits in the
// kernel's backlog.
class handshake_room {
public:
  using duration = std::chrono::steady_clock::duration;
  // Of one handshake. None: it never gives way, for it is over or about to be.
  using silence = std::optional<duration>;

  struct verdict {
    enum class kind {
      room,   // there is a place
      evict,  // `which` gives way, unless it turns out to have spoken: may_go()
      wait,   // nobody gives way
    };
    kind what = kind::room;
    std::size_t which = 0;
    silence again_after{};  // wait: when somebody may; absent: not before a handshake is over
  };

  // So many at once; one that has said nothing for as long as `allowed` may have to go.
  handshake_room(std::size_t places, duration allowed) noexcept
      : places_{places}, allowed_{allowed} {}

  // `silence_of(i)` is that of handshake i, of `taken` in the order in which they began.
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

  // Once what it said meanwhile has been read.
  [[nodiscard]] bool may_go(silence of) const noexcept { return of && *of >= allowed_; }

private:
  std::size_t places_;
  duration allowed_;
};

}  // namespace zmtp
