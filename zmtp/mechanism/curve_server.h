#pragma once
// The server's side of a CURVE handshake (RFC 26).
//
//   client  HELLO               INITIATE
//   server         WELCOME                READY

#include "zmtp/curve/box.h"
#include "zmtp/curve/key.h"
#include "zmtp/mechanism/decided_mechanism.h"
#include "zmtp/options.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace zmtp {

// Draws no key before the box of HELLO opens, which only a peer with the server's key can seal.
// Between WELCOME and INITIATE the keys of the connection are in the cookie, at the client. The
// server has only the key of the cookie, which is used once. So an INITIATE cannot be replayed, on
// this connection or on another.
class curve_server_mechanism final : public decided_mechanism {
public:
  // `own` is the metadata for the client.
  curve_server_mechanism(std::shared_ptr<const curve_key_pair> keys, metadata own,
                         const limits& limit, random_bytes random);

  [[nodiscard]] std::string_view name() const noexcept override { return "CURVE"; }
  [[nodiscard]] bool as_server() const noexcept override { return true; }
  // Nothing before the client has proved its key.
  [[nodiscard]] credentials shown() const override {
    return client_ ? credentials{curve_credentials{*client_}} : credentials{};
  }
  [[nodiscard]] std::unique_ptr<framing> take_framing() override;

private:
  [[nodiscard]] result<progress> on_named(state at, const command::named& received,
                                          std::string& output) override;
  void put_admitted(std::string& output) override;
  [[nodiscard]] result<progress> on_hello(std::string_view data, std::string& output);
  [[nodiscard]] result<progress> on_initiate(std::string_view data);
  void put_welcome(const curve_public_key& client, const curve::box_key& with_client,
                   std::string& output);

  std::shared_ptr<const curve_key_pair> keys_;
  random_bytes random_;
  std::optional<curve::box_key> cookie_key_;  // from WELCOME to INITIATE
  std::optional<curve::box_key> traffic_;     // from INITIATE to the end of the handshake
  std::uint64_t received_ = 0;                // the last nonce of the client
  std::optional<curve_public_key> client_;    // the client's permanent key, when it is proved
};

}  // namespace zmtp
