#pragma once
// Violations that a simulation of the clustered hashmap can detect.

#include <cstdint>
#include <string_view>

namespace chp::simulation {

enum class violation : std::uint8_t {
  // C1
  lost,          // a committed update is gone, and no later one has replaced it
  unreplicated,  // an update was reported as committed by both servers, and the peer never had it
  not_promised,  // a client counted an update as committed that no server had acknowledged
  // C2
  differs,        // a map differs from the result of the updates up to its number
  not_converged,  // the network works, and a program does not follow yet
  stuck,          // all is well, and an update is not committed
  // C3
  invented,     // a value that no client has set, or not for this key
  resurrected,  // an update was published again in a history that had it, or over a later one
  forgotten,    // received updates of a passive server were not published when it became active
  // C4
  went_back,  // a client's number fell, or what it had seen was before all that there is, and it was not told
              // that history was lost
  // C5
  too_early,  // a key was gone before its time, or that had none
  outlived,   // … or is there behind its time
  // B1 to B4
  epoch_twice,    // two servers, or two lives of one, were active in one epoch
  two_active,     // both served, though nothing was wrong between them
  none_active,    // none does, though all is well
  slow_failover,  // it took too long until one served
};

[[nodiscard]] constexpr std::string_view to_string(violation b) noexcept {
  switch (b) {
    case violation::lost: return "lost";
    case violation::unreplicated: return "unreplicated";
    case violation::not_promised: return "not promised";
    case violation::differs: return "differs";
    case violation::not_converged: return "not converged";
    case violation::stuck: return "stuck";
    case violation::invented: return "invented";
    case violation::resurrected: return "resurrected";
    case violation::forgotten: return "forgotten";
    case violation::went_back: return "went back";
    case violation::too_early: return "too early";
    case violation::outlived: return "outlived";
    case violation::epoch_twice: return "epoch twice";
    case violation::two_active: return "two active";
    case violation::none_active: return "none active";
    case violation::slow_failover: return "slow failover";
  }
  return {};
}

}  // namespace chp::simulation
