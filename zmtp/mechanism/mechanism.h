#pragma once
// A security mechanism: the handshake between greeting and traffic, as commands in and out. Pure.

#include "zmtp/error.h"
#include "zmtp/metadata.h"

#include <string>
#include <string_view>

namespace zmtp {

// One side of one handshake. The conversation passes commands to it until the handshake is done.
// After `admission`, the conversation decides whether to admit the peer.
class mechanism {
public:
  enum class progress {
    more,       // needs the next command of the peer
    admission,  // the peer has identified itself; call admit() or refuse()
    done,       // the handshake is complete; traffic may start
  };

  virtual ~mechanism() = default;

  // Appends the commands to send before the first command of the peer, as whole frames.
  virtual void start(std::string& output) = 0;
  // Processes the body of a handshake command. Appends the answer to `output`.
  // Errors: errc::bad_command, bad_metadata …, unexpected_command, refused_by_peer. After
  // refused_by_peer, error_reason() has the reason of the peer's ERROR.
  [[nodiscard]] virtual result<progress> on_command(std::string_view body, std::string& output) = 0;
  // Admits the peer. Appends the commands that waited for this decision.
  [[nodiscard]] virtual progress admit(std::string& output) = 0;
  // Rejects the peer's credentials. Appends ERROR with `reason` (three digits). The connection must
  // close after it.
  virtual void refuse(std::string_view reason, std::string& output) = 0;

  // Valid from `admission` on.
  [[nodiscard]] virtual const metadata& peer_metadata() const noexcept = 0;
  // Returns the reason in the peer's ERROR.
  [[nodiscard]] virtual std::string_view error_reason() const noexcept = 0;
};

}  // namespace zmtp
