#pragma once
// PLAIN (RFC 24): the client sends a name and a password, in clear text.
//
//   client  HELLO               INITIATE
//   server         WELCOME                READY

#include "zmtp/mechanism/mechanism.h"
#include "zmtp/options.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace zmtp {

class plain_client_mechanism final : public mechanism {
public:
  // `own` is the metadata for the server.
  plain_client_mechanism(const plain_client_security& security, metadata own, const limits& limit);

  [[nodiscard]] std::string_view name() const noexcept override { return "PLAIN"; }
  void start(std::string& output) override;
  [[nodiscard]] result<progress> on_command(std::string_view body, std::string& output) override;
  [[nodiscard]] progress authenticated(std::string& output) override;
  [[nodiscard]] progress admit(std::string& output) override;
  void refuse(std::string_view reason, std::string& output) override;
  [[nodiscard]] const metadata& peer_metadata() const noexcept override { return peer_; }
  [[nodiscard]] std::string_view error_reason() const noexcept override { return error_reason_; }

private:
  enum class state : std::uint8_t { welcome, ready, authentication, admission, done, failed };

  state state_ = state::welcome;  // the command or decision that is next
  limits limit_;
  plain_client_security security_;  // empty after HELLO
  metadata own_;
  metadata peer_;
  std::string error_reason_;
};

// Asks for authentication after HELLO, so that a refused client does not send its metadata, and for
// admission after INITIATE.
class plain_server_mechanism final : public mechanism {
public:
  // `own` is the metadata for the client.
  plain_server_mechanism(metadata own, const limits& limit);

  [[nodiscard]] std::string_view name() const noexcept override { return "PLAIN"; }
  [[nodiscard]] bool as_server() const noexcept override { return true; }
  void start(std::string& output) override;
  [[nodiscard]] result<progress> on_command(std::string_view body, std::string& output) override;
  [[nodiscard]] progress authenticated(std::string& output) override;
  [[nodiscard]] progress admit(std::string& output) override;
  void refuse(std::string_view reason, std::string& output) override;
  [[nodiscard]] credentials shown() const override { return shown_; }
  [[nodiscard]] const metadata& peer_metadata() const noexcept override { return peer_; }
  [[nodiscard]] std::string_view error_reason() const noexcept override { return error_reason_; }

private:
  [[nodiscard]] result<progress> on_hello(std::string_view data);
  [[nodiscard]] result<progress> on_initiate(std::string_view data);

  enum class state : std::uint8_t { hello, authentication, initiate, admission, done, failed };

  state state_ = state::hello;  // the command or decision that is next
  limits limit_;
  plain_credentials shown_;
  metadata own_;
  metadata peer_;
  std::string error_reason_;
};

}  // namespace zmtp
