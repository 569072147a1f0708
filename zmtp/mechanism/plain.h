#pragma once
// PLAIN (RFC 24): the client sends a name and a password, in clear text.
//
//   client  HELLO               INITIATE
//   server         WELCOME                READY

#include "zmtp/mechanism/decided_mechanism.h"
#include "zmtp/options.h"

#include <string>
#include <string_view>

namespace zmtp {

class plain_client_mechanism final : public decided_mechanism {
public:
  // `own` is the metadata for the server.
  plain_client_mechanism(const plain_client_security& security, metadata own, const limits& limit);

  [[nodiscard]] std::string_view name() const noexcept override { return "PLAIN"; }
  void start(std::string& output) override;

private:
  [[nodiscard]] result<progress> on_named(state at, const command::named& received,
                                          std::string& output) override;

  plain_client_security security_;  // empty after HELLO
};

// Asks for authentication after HELLO, so that a refused client does not send its metadata, and for
// admission after INITIATE.
class plain_server_mechanism final : public decided_mechanism {
public:
  // `own` is the metadata for the client.
  plain_server_mechanism(metadata own, const limits& limit);

  [[nodiscard]] std::string_view name() const noexcept override { return "PLAIN"; }
  [[nodiscard]] bool as_server() const noexcept override { return true; }
  [[nodiscard]] progress authenticated(std::string& output) override;
  [[nodiscard]] credentials shown() const override { return shown_; }

private:
  [[nodiscard]] result<progress> on_named(state at, const command::named& received,
                                          std::string& output) override;
  void put_admitted(std::string& output) override;
  [[nodiscard]] result<progress> on_hello(std::string_view data);

  plain_credentials shown_;
};

}  // namespace zmtp
