#pragma once
// A security mechanism: the handshake between greeting and traffic, as commands in and out. Pure.

#include "zmtp/error.h"
#include "zmtp/metadata.h"

#include <string>
#include <string_view>

namespace zmtp {

// One side of one handshake. The conversation feeds it commands until it is done; whether the peer
// is let in is asked between `admission` and the answer.
class mechanism {
public:
  enum class progress {
    more,       // waits for the peer's next command
    admission,  // the peer has said who it is: admit() or refuse() is to be called
    done,       // the handshake is over, traffic may flow
  };

  virtual ~mechanism() = default;

  // Appends what may be sent before the peer has said anything, as whole command frames.
  virtual void start(std::string& output) = 0;
  // A handshake command's body. Appends the answer to `output`.
  // Errors: errc::bad_command, bad_metadata …, unexpected_command, refused_by_peer (which ERROR said
  // so is in error_reason()).
  [[nodiscard]] virtual result<progress> on_command(std::string_view body, std::string& output) = 0;
  // The peer is welcome. Appends what was held back until then.
  [[nodiscard]] virtual progress admit(std::string& output) = 0;
  // Credentials are refused: appends ERROR with the reason (three digits), after which the connection
  // closes.
  virtual void refuse(std::string_view reason, std::string& output) = 0;

  // Valid from `admission` on.
  [[nodiscard]] virtual const metadata& peer_metadata() const noexcept = 0;
  // What the peer's ERROR said.
  [[nodiscard]] virtual std::string_view error_reason() const noexcept = 0;
};

}  // namespace zmtp
