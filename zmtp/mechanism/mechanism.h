#pragma once
// A security mechanism: the handshake between greeting and traffic, as commands in and out. Pure.

#include "zmtp/error.h"
#include "zmtp/framing/framing.h"
#include "zmtp/metadata.h"
#include "zmtp/peer.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace zmtp {

enum class handshake_role : std::uint8_t {
  connecting,  // sends its first command without waiting
  accepting,   // tells the peer that it is admitted, so that a rejected peer loses no messages
};

// One side of one handshake. The conversation passes commands to it until the handshake is done.
// Two decisions are made outside: whether the peer is who it claims to be (authentication, which
// may take time), and later whether the socket has a place for it (admission). A mechanism whose
// peers prove their identity without a third party may leave out `authentication`.
class mechanism {
public:
  enum class progress {
    more,            // needs the next command of the peer
    authentication,  // the peer has shown its credentials; call authenticated() or refuse()
    admission,       // the peer has sent its metadata; call admit() or refuse()
    done,            // the handshake is complete; traffic may start
  };

  virtual ~mechanism() = default;

  // For the greeting: the name of the mechanism, and the as-server flag.
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  [[nodiscard]] virtual bool as_server() const noexcept { return false; }

  // Appends the commands to send before the first command of the peer, as whole frames.
  virtual void start(std::string& output) = 0;
  // Processes the body of a handshake command. Appends the answer to `output`.
  // Errors: errc::bad_command, bad_metadata …, unexpected_command, refused_by_peer. After
  // refused_by_peer, error_reason() has the reason of the peer's ERROR.
  [[nodiscard]] virtual result<progress> on_command(std::string_view body, std::string& output) = 0;
  // Accepts the credentials. Appends the commands that waited for this decision.
  [[nodiscard]] virtual progress authenticated(std::string& output) = 0;
  // Admits the peer. Appends the commands that waited for this decision.
  [[nodiscard]] virtual progress admit(std::string& output) = 0;
  // Rejects the peer instead. Appends ERROR with `reason` (three digits). The connection must close
  // after it.
  virtual void refuse(std::string_view reason, std::string& output) = 0;

  // Valid from `authentication` on. PLAIN drops the password after authenticated().
  [[nodiscard]] virtual credentials shown() const { return {}; }
  // Valid from `admission` on. All but the server of PLAIN have them already at `authentication`.
  [[nodiscard]] virtual const metadata& peer_metadata() const noexcept = 0;
  // Returns the reason in the peer's ERROR.
  [[nodiscard]] virtual std::string_view error_reason() const noexcept = 0;

  // Returns the form of frames on the wire from `done` on, or null if the mechanism does not change
  // it. Called once, after `done`. Every byte that the handshake has appended precedes it. The form
  // outlives this object.
  [[nodiscard]] virtual std::unique_ptr<framing> take_framing() { return nullptr; }
};

}  // namespace zmtp
