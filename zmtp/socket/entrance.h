#pragma once
// A bound endpoint of a socket, for any transport.

#include "zmtp/endpoint.h"

namespace zmtp {

class entrance {
public:
  entrance(const entrance&) = delete;
  entrance& operator=(const entrance&) = delete;
  virtual ~entrance() = default;

  virtual void close() noexcept = 0;
  // The endpoint to which peers can connect.
  [[nodiscard]] const endpoint& bound() const noexcept { return bound_; }
  // Returns whether this is the bound endpoint, or the one that the user passed to bind().
  [[nodiscard]] bool is_at(const endpoint& at) const noexcept {
    return at == bound_ || at == asked_for_;
  }

protected:
  entrance() = default;

  endpoint asked_for_;
  endpoint bound_;
};

}  // namespace zmtp
