#pragma once
// The base of NULL, PLAIN and CURVE: the peer sends at most two commands, and two decisions follow.

#include "zmtp/command.h"
#include "zmtp/mechanism/mechanism.h"
#include "zmtp/options.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace zmtp {

class decided_mechanism : public mechanism {
public:
  void start(std::string& /*output*/) override {}
  [[nodiscard]] result<progress> on_command(std::string_view body, std::string& output) final;
  [[nodiscard]] progress authenticated(std::string& output) override;
  [[nodiscard]] progress admit(std::string& output) final;
  void refuse(std::string_view reason, std::string& output) final;
  [[nodiscard]] const metadata& peer_metadata() const noexcept final { return peer_; }
  [[nodiscard]] std::string_view error_reason() const noexcept final { return error_reason_; }

protected:
  // The command or decision that is next.
  enum class state : std::uint8_t { first, second, authentication, admission, done, failed };

  // `own` is the metadata for the peer.
  decided_mechanism(metadata own, const limits& limit);

  // Processes a command of the peer. The handshake has failed unless this calls expect().
  [[nodiscard]] virtual result<progress> on_named(state at, const command::named& received,
                                                  std::string& output) = 0;
  // Appends the command that tells the peer of its admission.
  virtual void put_admitted(std::string& /*output*/) {}

  // Sets what is next, and returns how to say so.
  progress expect(state next);
  // Reads the metadata of the peer, and expects a decision.
  [[nodiscard]] result<progress> take_metadata(std::string_view bytes,
                                               state next = state::authentication);
  // Returns the wire form of the metadata for the peer.
  [[nodiscard]] std::string own_metadata() const;
  [[nodiscard]] const limits& limit() const noexcept { return limit_; }
  [[nodiscard]] bool is_next(state what) const noexcept { return state_ == what; }

private:
  state state_ = state::first;
  limits limit_;
  metadata own_;
  metadata peer_;
  std::string error_reason_;
};

}  // namespace zmtp
