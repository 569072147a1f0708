#pragma once
// The client's side of a CURVE handshake (RFC 26).
//
//   client  HELLO               INITIATE
//   server         WELCOME                READY

#include "zmtp/curve/box.h"
#include "zmtp/mechanism/curve.h"
#include "zmtp/mechanism/decided_mechanism.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace zmtp {

// Keys of one connection. They exist until the handshake is done.
struct curve_client_secrets {
  curve_key_pair own{};
  std::optional<curve::box_key> with_server_key{};  // the transient key with the server's key
  std::optional<curve::box_key> traffic{};          // … with the server's transient key
};

// WELCOME proves that the server has the secret key of `server_key`.
class curve_client_mechanism final : public decided_mechanism {
public:
  // `own` is the metadata for the server.
  curve_client_mechanism(std::shared_ptr<const curve_client_options> keys, metadata own,
                         const limits& limit, random_bytes random);

  [[nodiscard]] std::string_view name() const noexcept override { return "CURVE"; }
  void start(std::string& output) override;
  // Nothing before the server has proved its key.
  [[nodiscard]] credentials shown() const override {
    return proved_ ? credentials{curve_credentials{keys_->server_key}} : credentials{};
  }
  [[nodiscard]] std::unique_ptr<framing> take_framing() override;

private:
  [[nodiscard]] result<progress> on_named(state at, const command::named& received,
                                          std::string& output) override;
  [[nodiscard]] result<progress> on_welcome(std::string_view data, std::string& output);
  [[nodiscard]] result<progress> on_ready(std::string_view data);
  void put_initiate(const curve_public_key& server, std::string_view cookie, std::string& output);

  std::shared_ptr<const curve_client_options> keys_;
  random_bytes random_;
  std::optional<curve_client_secrets> secrets_;
  std::uint64_t received_ = 0;  // the nonce of READY
  bool proved_ = false;         // WELCOME has opened
};

}  // namespace zmtp
