#pragma once
// Concepts and interfaces for sockets of any type that receive or send batches of messages.

#include "zmtp/counters.h"
#include "zmtp/error.h"
#include "zmtp/message_batch.h"
#include "zmtp/runtime/completion.h"

#include <boost/asio/any_io_executor.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <utility>

namespace zmtp {

using done_handler = completion_handler<void(error_code)>;
using count_done_handler = completion_handler<void(error_code, std::size_t)>;

// A type that receives batches of messages, with or without an envelope.
template <class Socket>
concept receives_messages = requires(Socket& s, message_batch& b) {
  { s.try_receive_enveloped(b) } -> std::same_as<bool>;
}
|| requires(Socket& s, message_batch& b) {
  { s.try_receive(b) } -> std::same_as<bool>;
};

// A type that sends batches of messages, with or without an envelope.
template <class Socket>
concept sends_messages = requires(Socket& s, message_batch& b, count_done_handler h) {
  { s.try_send_enveloped(b) } -> std::same_as<send_status>;
  s.async_send_enveloped(b, std::move(h));
}
|| requires(Socket& s, message_batch& b, count_done_handler h) {
  { s.try_send(b) } -> std::same_as<send_status>;
  s.async_send(b, std::move(h));
};

// A socket that receives.
template <class Socket>
concept message_source = receives_messages<Socket> && requires(Socket& s, done_handler h) {
  { s.readable() } -> std::convertible_to<bool>;
  s.async_wait_readable(std::move(h));
};

// A socket that sends messages. A socket that names a peer per message has no general wait for
// writability.
template <class Socket>
concept message_sink = sends_messages<Socket>;

// A message_source of any type. A batch may contain notices of attach and detach.
class any_source {
public:
  virtual ~any_source() = default;
  [[nodiscard]] virtual boost::asio::any_io_executor executor() const = 0;
  [[nodiscard]] virtual bool readable() const = 0;
  [[nodiscard]] virtual bool try_receive(message_batch& to) = 0;
  virtual void wait_readable(done_handler h) = 0;
};

// A message_sink of any type.
class any_sink {
public:
  virtual ~any_sink() = default;
  [[nodiscard]] virtual bool writable() const = 0;
  [[nodiscard]] virtual send_status try_send(message_batch& batch) = 0;
  virtual void wait_writable(done_handler h) = 0;
  virtual void send(message_batch& batch, count_done_handler h) = 0;
};

// The result refers to the socket, which must outlive it.
template <message_source Socket>
[[nodiscard]] std::unique_ptr<any_source> source_of(Socket& socket) {
  class source final : public any_source {
  public:
    explicit source(Socket& from) noexcept : from_{from} {}
    boost::asio::any_io_executor executor() const override { return from_.get_executor(); }
    bool readable() const override { return from_.readable(); }
    bool try_receive(message_batch& to) override {
      if constexpr (requires { from_.try_receive_enveloped(to); }) {
        return from_.try_receive_enveloped(to);
      } else {
        return from_.try_receive(to);
      }
    }
    void wait_readable(done_handler h) override { from_.async_wait_readable(std::move(h)); }

  private:
    Socket& from_;
  };
  return std::make_unique<source>(socket);
}

template <message_sink Socket>
[[nodiscard]] std::unique_ptr<any_sink> sink_of(Socket& socket) {
  class sink final : public any_sink {
  public:
    explicit sink(Socket& to) noexcept : to_{to} {}
    bool writable() const override {
      if constexpr (requires { to_.writable(); }) {
        return to_.writable();
      } else {
        return true;
      }
    }
    send_status try_send(message_batch& batch) override {
      if constexpr (requires { to_.try_send_enveloped(batch); }) {
        return to_.try_send_enveloped(batch);
      } else {
        return to_.try_send(batch);
      }
    }
    void wait_writable([[maybe_unused]] done_handler h) override {
      // A socket without this wait is always writable.
      if constexpr (requires { to_.async_wait_writable(std::move(h)); }) {
        to_.async_wait_writable(std::move(h));
      }
    }
    void send(message_batch& batch, count_done_handler h) override {
      if constexpr (requires { to_.async_send_enveloped(batch, std::move(h)); }) {
        to_.async_send_enveloped(batch, std::move(h));
      } else {
        to_.async_send(batch, std::move(h));
      }
    }

  private:
    Socket& to_;
  };
  return std::make_unique<sink>(socket);
}

}  // namespace zmtp
