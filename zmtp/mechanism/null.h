#pragma once
// NULL: each side sends READY with its metadata (RFC 37 "NULL").

#include "zmtp/mechanism/mechanism.h"

#include <string>

namespace zmtp {

class null_mechanism : public mechanism {
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
  [[nodiscard]] result<progress> on_command(std::string_view body, std::string& output) override;
  [[nodiscard]] progress authenticated(std::string& output) override;
  [[nodiscard]] progress admit(std::string& output) override;
  void refuse(std::string_view reason, std::string& output) override;
  [[nodiscard]] const metadata& peer_metadata() const noexcept override { return peer_; }
  [[nodiscard]] std::string_view error_reason() const noexcept override { return error_reason_; }

private:
  void put_ready(std::string& output) const;

  enum class state { waiting, authentication, admission, done, failed };

  state state_ = state::waiting;
  ready when_;
  limits limit_;
  metadata own_;
  metadata peer_;
  std::string error_reason_;
};

}  // namespace zmtp
