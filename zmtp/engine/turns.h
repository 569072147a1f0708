#pragma once
// Runs the turns of a socket: serves pending operations, and writes what they send, in rounds.

#include "zmtp/engine/after_turn.h"
#include "zmtp/engine/pending_operations.h"
#include "zmtp/engine/turn_policy.h"
#include "zmtp/peer.h"
#include "zmtp/runtime/executor.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace zmtp {

class socket_core;

// Belongs to its core. turn_policy makes the decisions. socket_core documents the functions.
class turns {
public:
  turns(socket_core& core, pending_operations& waiting) noexcept : core_{core}, waiting_{waiting} {}
  turns(const turns&) = delete;
  turns& operator=(const turns&) = delete;

  // Counts as a turn without being one: operations that become ready are not served at its end.
  class scope {
  public:
    explicit scope(turns& of) noexcept : alone_{of.serial_}, policy_{of.policy_} {
      outermost_ = policy_.enter();
    }
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;
    ~scope() { policy_.leave(); }
    [[nodiscard]] bool outermost() const noexcept { return outermost_; }

  private:
    serial_check::scope alone_;
    turn_policy& policy_;
    bool outermost_;
  };

  // The caller owns the core meanwhile.
  template <class Body>
  void run(Body&& body) {
    after_turn::scope tail;
    {
      const serial_check::scope alone{serial_};
      {
        const scope turn{*this};
        if (turn.outermost()) {
          begin();
        }
        std::forward<Body>(body)();
      }
      if (!running()) {
        end_or_again();
      }
    }
    tail.run();
  }
  [[nodiscard]] bool running() const noexcept { return policy_.running(); }
  [[nodiscard]] std::uint64_t number() const noexcept { return policy_.number(); }

  void schedule();
  void post();
  bool flush(std::size_t most);
  bool flush(peer_id to);
  void hand_over();
  [[nodiscard]] serial_check& serial() noexcept { return serial_; }

private:
  void begin() noexcept;
  void end();
  void end_or_again();
  [[nodiscard]] bool serve();
  void prepare_flush();
  void keep_awake(turn_policy::time_point now);

  socket_core& core_;
  pending_operations& waiting_;
  turn_policy policy_;
  serial_check serial_;
};

}  // namespace zmtp
