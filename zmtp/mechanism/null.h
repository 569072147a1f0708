#pragma once
// NULL: each side sends READY with its metadata (RFC 37 "NULL").

#include "zmtp/mechanism/decided_mechanism.h"

#include <string>

namespace zmtp {

class null_mechanism : public decided_mechanism {
public:
  // When to send READY. The connecting side sends first (RFC 37), so the other side may wait for
  // it.
  enum class ready {
    at_once,  // after the greeting, because the peer may wait for READY
    // after admission, so that a rejected peer does not start to send and loses no messages
    once_admitted,
  };

  // `own` is the metadata for the peer.
  null_mechanism(metadata own, const limits& limit, ready when = ready::at_once);

  [[nodiscard]] std::string_view name() const noexcept override { return "NULL"; }
  void start(std::string& output) override;

private:
  [[nodiscard]] result<progress> on_named(state at, const command::named& received,
                                          std::string& output) override;
  void put_admitted(std::string& output) override;

  ready when_;
};

}  // namespace zmtp
