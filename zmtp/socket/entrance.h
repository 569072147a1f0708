#pragma once
// Where a socket is bound: lets peers in, whatever the transport.

#include "zmtp/endpoint.h"

namespace zmtp {

class entrance {
public:
  entrance(const entrance&) = delete;
  entrance& operator=(const entrance&) = delete;
  virtual ~entrance() = default;

  virtual void close() noexcept = 0;
  // One that can be connected to.
  [[nodiscard]] const endpoint& bound() const noexcept { return bound_; }
  // Whether this is the endpoint as bound or as it was asked for.
  [[nodiscard]] bool is_at(const endpoint& at) const noexcept {
    return at == bound_ || at == asked_for_;
  }

protected:
  entrance() = default;

  endpoint asked_for_;
  endpoint bound_;
};

}  // namespace zmtp
