#pragma once
// The interface of a blocking socket for poll().

#include "zmtp/blocking/engine.h"
#include "zmtp/error.h"
#include "zmtp/message.h"
#include "zmtp/routing/peer_id.h"
#include "zmtp/socket/completion_handler.h"

#include <utility>

namespace zmtp::blocking {

// A socket that names a peer per message: ROUTER, XPUB.
template <class Async>
concept names_peers = requires(Async& s, peer_id to, message m) {
  s.try_send(to, std::move(m));
};

// All members require the lock of the engine.
class pollable : public engine::member {
public:
  using done_handler = completion_handler<void(error_code)>;

  [[nodiscard]] virtual bool is_open() const noexcept = 0;
  [[nodiscard]] virtual bool readable() const noexcept = 0;
  [[nodiscard]] virtual bool writable() const noexcept = 0;
  // A socket that is never readable, or always writable, drops the handler without waiting.
  virtual void wait_readable(done_handler h) = 0;
  virtual void wait_writable(done_handler h) = 0;
};

// The socket itself. Its address stays the same when the object that owns it moves.
template <class Async>
class held_socket final : public pollable {
public:
  template <class... Args>
  explicit held_socket(Args&&... args) : socket{std::forward<Args>(args)...} {}

  void close() override { socket.close(); }
  bool is_open() const noexcept override { return socket.is_open(); }
  bool readable() const noexcept override {
    if constexpr (requires { socket.readable(); }) {
      return socket.readable();
    } else {
      return false;
    }
  }
  bool writable() const noexcept override {
    if constexpr (requires { socket.writable(); }) {
      return socket.writable();
    } else {
      // A ROUTER has no general wait for writability. It sends what it can, and drops or rejects
      // the rest.
      return names_peers<Async>;
    }
  }
  void wait_readable([[maybe_unused]] done_handler h) override {
    if constexpr (requires { socket.readable(); }) {
      socket.async_wait_readable(std::move(h));
    }
  }
  void wait_writable([[maybe_unused]] done_handler h) override {
    if constexpr (requires { socket.writable(); }) {
      socket.async_wait_writable(std::move(h));
    }
  }

  Async socket;
};

}  // namespace zmtp::blocking
