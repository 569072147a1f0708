#pragma once
// NULL: both sides send READY with their metadata, and that is all (RFC 37 "NULL").

#include "zmtp/mechanism/mechanism.h"

#include <string>

namespace zmtp {

class null_mechanism final : public mechanism {
public:
  static constexpr std::string_view name = "NULL";

  // When READY is sent. Whoever connects goes first (RFC 37), and may be waited for.
  enum class ready {
    at_once,        // as soon as the peer has greeted: it may wait for ours
    once_admitted,  // a peer that is refused has not been told to send, and keeps what it has
  };

  // `own` is announced to the peer.
  null_mechanism(metadata own, const limits& limit, ready when = ready::at_once);

  void start(std::string& output) override;
  [[nodiscard]] result<progress> on_command(std::string_view body, std::string& output) override;
  [[nodiscard]] progress admit(std::string& output) override;
  void refuse(std::string_view reason, std::string& output) override;
  [[nodiscard]] const metadata& peer_metadata() const noexcept override { return peer_; }
  [[nodiscard]] std::string_view error_reason() const noexcept override { return error_reason_; }

private:
  void put_ready(std::string& output) const;

  enum class state { waiting, judging, done, failed };

  state state_ = state::waiting;
  ready when_;
  limits limit_;
  metadata own_;
  metadata peer_;
  std::string error_reason_;
};

}  // namespace zmtp
