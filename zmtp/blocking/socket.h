#pragma once
// The blocking sockets, for code without an event loop: each call returns when it is done.

#include "zmtp/blocking/context.h"
#include "zmtp/blocking/operations.h"
#include "zmtp/counters.h"
#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/message.h"
#include "zmtp/message_batch.h"
#include "zmtp/options.h"
#include "zmtp/peer.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/runtime/timer.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/system/system_error.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace zmtp::blocking {

template <class Async>
concept sends_batches = requires(Async& s, message_batch& batch) {
  s.try_send(batch);
};
// A socket that names a peer per message: ROUTER, XPUB.
template <class Async>
concept names_peers = requires(Async& s, peer_id to, message m) {
  s.try_send(to, std::move(m));
};

// The interface of a blocking socket for poll(). All members require the lock of the engine.
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

// The asynchronous socket inside a blocking one. Its address stays the same when the object that
// owns it moves.
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

struct poll_item;

// The blocking form of `Async`, a socket class such as zmtp::push_socket. It has the members that
// `Async` supports. Below are short names, such as blocking::push_socket.
//
// A call takes the lock of the context and works on the socket in the caller's thread. If the
// operation must wait, the context's thread completes it and the caller sleeps.
//
// Errors: as for `Async`. Each call that can fail has two forms: one sets an error_code as its last
// argument, the other throws boost::system::system_error. After the deadline, a call fails with
// errc::timed_out. Without a deadline, a call waits while the socket is open. A message is sent or
// received whole or not at all. After an error, unsent messages still belong to the caller.
//
// Lifetime: after the context is destroyed, calls fail with errc::socket_closed. The destructor
// does not wait. The context's thread writes queued messages for the linger time.
//
// Thread safety: several threads may call one socket at the same time, and each message goes to one
// of the receiving threads. While a thread moves or destroys the socket, no other thread may use
// it. close() ends the calls of other threads.
template <class Async>
class socket {
public:
  // The received type: message, or routed_message on sockets with addressable peers (ROUTER, XPUB).
  using received = std::conditional_t<receives<Async, routed_message>, routed_message, message>;

  // Throws boost::system::system_error: errc::bad_option, or errc::socket_closed in the child of a
  // fork.
  explicit socket(context& in) : socket{in, socket_options{}} {}
  socket(context& in, const socket_options& options) : engine_{in.engine_} {
    const auto ec = locked([&]() -> error_code {
      held_ = std::make_unique<held_socket<Async>>(engine_->executor(), options);
      engine_->enter(*held_);
      return {};
    });
    require(ec, "socket");
  }
  socket(socket&&) noexcept = default;
  socket& operator=(socket&& other) noexcept {
    if (this != &other) {
      drop();
      engine_ = std::move(other.engine_);
      held_ = std::move(other.held_);
    }
    return *this;
  }
  ~socket() { drop(); }

  // See zmtp::socket for these operations.
  endpoint bind(std::string_view at) {
    error_code ec;
    auto bound = bind(at, ec);
    require(ec, "cannot bind " + std::string{at});
    return bound;
  }
  endpoint bind(std::string_view at, error_code& ec) {
    endpoint bound;
    ec = use([&](Async& s, error_code& why) { bound = s.bind(at, why); });
    return bound;
  }
  void connect(std::string_view to) {
    error_code ec;
    connect(to, ec);
    require(ec, "cannot connect to " + std::string{to});
  }
  void connect(std::string_view to, error_code& ec) {
    ec = use([&](Async& s, error_code& why) { s.connect(to, why); });
  }
  void unbind(std::string_view at, error_code& ec) {
    ec = use([&](Async& s, error_code& why) { s.unbind(at, why); });
  }
  void disconnect(std::string_view from, error_code& ec) {
    ec = use([&](Async& s, error_code& why) { s.disconnect(from, why); });
  }
  // Closes the socket. Waiting calls fail with errc::socket_closed. Does not wait.
  void close() {
    (void)use([](Async& s, error_code&) { s.close(); });
  }
  void close(std::chrono::milliseconds linger) {
    (void)use([&](Async& s, error_code&) { s.close(linger); });
  }
  [[nodiscard]] bool is_open() const {
    bool open = false;
    (void)use([&](Async& s, error_code&) { open = s.is_open(); });
    return open;
  }
  [[nodiscard]] socket_counters counters() const {
    socket_counters now;
    (void)use([&](Async& s, error_code&) { now = s.counters(); });
    return now;
  }

  void subscribe(std::string_view topic) requires subscribes<Async> {
    error_code ec;
    subscribe(topic, ec);
    require(ec, "subscribe");
  }
  void subscribe(std::string_view topic, error_code& ec) requires subscribes<Async> {
    ec = use([&](Async& s, error_code& why) { s.subscribe(topic, why); });
  }
  void unsubscribe(std::string_view topic) requires subscribes<Async> {
    (void)use([&](Async& s, error_code&) { s.unsubscribe(topic); });
  }

  // Takes the next message without waiting. Returns false if there is none.
  [[nodiscard]] bool try_receive(received& to) requires receives<Async, received> {
    bool any = false;
    (void)use([&](Async& s, error_code&) { any = s.try_receive(to); });
    return any;
  }
  // Waits for one message and returns it.
  [[nodiscard]] received receive(deadline until = {}) requires receives<Async, received> {
    error_code ec;
    auto m = receive(until, ec);
    require(ec, "receive");
    return m;
  }
  [[nodiscard]] received receive(error_code& ec) requires receives<Async, received> {
    return receive(deadline{}, ec);
  }
  [[nodiscard]] received receive(deadline until,
                                 error_code& ec) requires receives<Async, received> {
    received m;
    ec = use([&](Async& s, error_code& why) { why = blocking::receive(s, lock(), until, m); });
    return m;
  }
  // Takes all queued messages without waiting, up to 1024 or 256 KiB. Returns false if there are
  // none.
  [[nodiscard]] bool try_receive(message_batch& batch) requires receives<Async, message_batch> {
    bool any = false;
    (void)use([&](Async& s, error_code&) { any = s.try_receive(batch); });
    return any;
  }
  // Waits for a message and takes all queued ones, up to 1024 or 256 KiB. Overwrites the batch.
  // Returns the number of messages.
  std::size_t receive(message_batch& batch,
                      deadline until = {}) requires receives<Async, message_batch> {
    error_code ec;
    const auto count = receive(batch, until, ec);
    require(ec, "receive");
    return count;
  }
  std::size_t receive(message_batch& batch, deadline until,
                      error_code& ec) requires receives<Async, message_batch> {
    batch.clear();
    ec = use([&](Async& s, error_code& why) { why = blocking::receive(s, lock(), until, batch); });
    return ec ? 0 : batch.size();
  }

  // Queues `m` without waiting. Moves from `m` only if the result is `queued`. Returns `closed`
  // also after the context is closed, and in the child of a fork.
  [[nodiscard]] send_status try_send(message&& m) requires sends<Async> {
    auto status = send_status::closed;
    (void)use([&](Async& s, error_code&) { status = s.try_send(std::move(m)); });
    return status;
  }
  // Queues one message. Waits while it cannot be queued.
  void send(message m, deadline until = {}) requires sends<Async> {
    error_code ec;
    send(std::move(m), until, ec);
    require(ec);
  }
  // Moves from `m` only if it was queued.
  void send(message&& m, error_code& ec) requires sends<Async> {
    send(std::move(m), deadline{}, ec);
  }
  void send(message&& m, deadline until, error_code& ec) requires sends<Async> {
    ec = use([&](Async& s, error_code& why) { why = blocking::send(s, lock(), until, m); });
  }
  // Queues all messages in order. Removes queued messages from the front of the batch. try_send()
  // returns the status of the first message that is left.
  [[nodiscard]] send_status try_send(message_batch& batch) requires sends_batches<Async> {
    auto status = send_status::closed;
    (void)use([&](Async& s, error_code&) { status = s.try_send(batch); });
    return status;
  }
  // Queues all messages in order. Waits while the next one cannot be queued. Removes queued
  // messages from the front of the batch, so after an error the rest remains. Returns the number of
  // queued messages.
  std::size_t send(message_batch& batch, deadline until = {}) requires sends_batches<Async> {
    error_code ec;
    const auto count = send(batch, until, ec);
    require(ec);
    return count;
  }
  std::size_t send(message_batch& batch, deadline until,
                   error_code& ec) requires sends_batches<Async> {
    std::size_t count = 0;
    ec = use(
        [&](Async& s, error_code& why) { why = blocking::send(s, lock(), until, batch, count); });
    return count;
  }

  // ROUTER, XPUB: send to this peer. Drop and count a message that cannot be queued. With
  // socket_options::mandatory, send() waits instead. The forms without a peer use an envelope, as
  // in router_socket.
  [[nodiscard]] send_status try_send(peer_id to, message&& m) requires names_peers<Async> {
    auto status = send_status::closed;
    (void)use([&](Async& s, error_code&) { status = s.try_send(to, std::move(m)); });
    return status;
  }
  void send(peer_id to, message m, deadline until = {}) requires names_peers<Async> {
    error_code ec;
    send(to, std::move(m), until, ec);
    require(ec);
  }
  void send(peer_id to, message&& m, deadline until, error_code& ec) requires names_peers<Async> {
    ec = use([&](Async& s, error_code& why) { why = blocking::send(s, lock(), until, to, m); });
  }
  // ROUTER, XPUB: send each message of the batch to its peer. Drop and count, or wait, as for one
  // message. Otherwise like send() of a batch.
  std::size_t send_to(message_batch& batch, deadline until = {}) requires names_peers<Async> {
    error_code ec;
    const auto count = send_to(batch, until, ec);
    require(ec);
    return count;
  }
  std::size_t send_to(message_batch& batch, deadline until,
                      error_code& ec) requires names_peers<Async> {
    std::size_t count = 0;
    ec = use([&](Async& s, error_code& why) {
      why = blocking::send_to(s, lock(), until, batch, count);
    });
    return count;
  }

  // Calls f(Async&) under the lock, for operations without a blocking form. Returns its result. `f`
  // must not block. Must not be called on a moved-from socket, or in the child of a fork.
  template <class Function>
  decltype(auto) with(Function&& f) {
    const monitor::scope alone{lock()};
    return std::invoke(std::forward<Function>(f), held_->socket);
  }

private:
  friend poll_item;

  static void require(const error_code& ec) {
    if (ec) {
      throw boost::system::system_error{ec};
    }
  }
  static void require(const error_code& ec, const std::string& what) {
    if (ec) {
      throw boost::system::system_error{ec, what};
    }
  }
  [[nodiscard]] monitor& lock() const noexcept { return engine_->lock(); }

  template <class Body>
  error_code locked(Body&& body) const {
    if (!engine_ || engine_->forked()) {
      return errc::socket_closed;
    }
    const monitor::scope alone{lock()};
    return engine_->open() ? body() : make_error_code(errc::socket_closed);
  }
  template <class Body>
  error_code use(Body&& body) const {
    return locked([&] {
      error_code ec;
      body(held_->socket, ec);
      return ec;
    });
  }
  void drop() noexcept {
    if (!held_) {
      return;
    }
    if (engine_->forked()) {
      (void)held_.release();
      return;
    }
    const monitor::scope alone{lock()};
    held_.reset();
  }

  std::shared_ptr<engine> engine_;
  std::unique_ptr<held_socket<Async>> held_;
};

// Short names for the blocking form of each socket.
using dealer_socket = socket<zmtp::dealer_socket>;
using pair_socket = socket<zmtp::pair_socket>;
using pub_socket = socket<zmtp::pub_socket>;
using pull_socket = socket<zmtp::pull_socket>;
using push_socket = socket<zmtp::push_socket>;
using rep_socket = socket<zmtp::rep_socket>;
using req_socket = socket<zmtp::req_socket>;
using router_socket = socket<zmtp::router_socket>;
using sub_socket = socket<zmtp::sub_socket>;
using xpub_socket = socket<zmtp::xpub_socket>;
using xsub_socket = socket<zmtp::xsub_socket>;

}  // namespace zmtp::blocking
