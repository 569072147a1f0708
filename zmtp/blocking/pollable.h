#pragma once
// A socket of a blocking context as poll() sees it.

#include "zmtp/blocking/engine.h"
#include "zmtp/error.h"
#include "zmtp/message.h"
#include "zmtp/routing/peer_id.h"
#include "zmtp/socket/completion_handler.h"

#include <utility>

namespace zmtp::blocking {

// Can be told for each message whom it is for: ROUTER, XPUB.
template <class Async>
concept names_peers = requires(Async& s, peer_id to, message m) {
  s.try_send(to, std::move(m));
};

// All of it under the lock of its engine.
class pollable : public engine::member {
public:
  using done_handler = completion_handler<void(error_code)>;

  [[nodiscard]] virtual bool is_open() const noexcept = 0;
  [[nodiscard]] virtual bool readable() const noexcept = 0;
  [[nodiscard]] virtual bool writable() const noexcept = 0;
  // One that is never readable, or always writable, has nothing to wait for, and drops the handler.
  virtual void wait_readable(done_handler h) = 0;
  virtual void wait_writable(done_handler h) = 0;
};

// The socket itself, where it stays while the object that refers to it is moved.
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
      // It does not wait for room in general: it sends what it can and drops the rest, or says so.
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
