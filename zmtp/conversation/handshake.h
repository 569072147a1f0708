#pragma once
// From the first byte of a connection to its traffic: the greeting, the commands of the security
// mechanism, and the decisions about the peer. Pure.

#include "zmtp/error.h"
#include "zmtp/mechanism/mechanism.h"
#include "zmtp/metadata.h"
#include "zmtp/peer.h"
#include "zmtp/socket_type.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace zmtp {

// Appends all output to the string of each call. After a fault the connection must end.
class handshake {
public:
  using time_point = std::chrono::steady_clock::time_point;
  enum class stage : std::uint8_t {
    greeting,        // on_greeting() is next
    commands,        // on_command() is next
    authentication,  // the peer has shown its credentials; authenticated() or refuse() is next
    admission,       // the peer has sent its metadata; admit() or refuse() is next
    done,            // traffic may flow
  };

  // Must be done at `deadline`. Appends the greeting.
  handshake(socket_type own_type, std::unique_ptr<mechanism> security, time_point deadline,
            std::string& output);

  // Checks the bytes from the start of the connection, as far as they have arrived. Returns the
  // size of the greeting when it is complete, and 0 before.
  // Errors: those of greeting::check().
  [[nodiscard]] result<std::size_t> on_greeting(std::span<const std::byte> received,
                                                std::string& output);
  // Each returns the new stage.
  // Errors: those of mechanism::on_command(), and bad_socket_type, routing_id_too_long.
  [[nodiscard]] result<stage> on_command(std::string_view body, std::string& output);
  [[nodiscard]] result<stage> authenticated(std::string& output);
  [[nodiscard]] result<stage> admit(std::string& output);
  // Appends ERROR with a status of three digits.
  void refuse(std::string_view status, std::string& output) { mechanism_->refuse(status, output); }

  [[nodiscard]] stage at() const noexcept { return stage_; }
  // Returns whether the local side decides about the peer. No command is decoded meanwhile.
  [[nodiscard]] bool deciding() const noexcept {
    return stage_ == stage::authentication || stage_ == stage::admission;
  }
  [[nodiscard]] time_point deadline() const noexcept { return deadline_; }

  // Empty if the peer has not sent a Socket-Type.
  [[nodiscard]] std::optional<socket_type> peer_type() const noexcept { return peer_type_; }
  [[nodiscard]] std::string_view peer_routing_id() const noexcept;
  [[nodiscard]] const metadata& peer_metadata() const noexcept;
  [[nodiscard]] std::uint8_t peer_minor() const noexcept { return peer_minor_; }
  [[nodiscard]] std::string_view mechanism_name() const noexcept {
    return mechanism_ ? mechanism_->name() : std::string_view{};
  }
  [[nodiscard]] credentials shown() const {
    return mechanism_ ? mechanism_->shown() : credentials{};
  }
  // See mechanism::take_framing(). Call once, when done.
  [[nodiscard]] std::unique_ptr<framing> take_framing() { return mechanism_->take_framing(); }
  // Returns the reason in the peer's ERROR.
  [[nodiscard]] std::string_view peer_error() const noexcept {
    return mechanism_ ? mechanism_->error_reason() : std::string_view{};
  }
  // Releases the mechanism and what it knows about the peer. Call it when done, after the others.
  void forget() noexcept { mechanism_.reset(); }

private:
  [[nodiscard]] result<stage> on_progress(mechanism::progress progress);
  [[nodiscard]] error_code check_metadata();

  socket_type own_type_;
  stage stage_ = stage::greeting;
  std::uint8_t peer_minor_ = 0;
  std::optional<socket_type> peer_type_;
  std::unique_ptr<mechanism> mechanism_;  // until forget()
  time_point deadline_;
};

}  // namespace zmtp
