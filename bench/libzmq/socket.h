#pragma once
// libzmq's context, socket and message with their lifetimes, for the programs of bench/libzmq. A
// call that fails ends the program, for there is nothing to measure then.

#include "bench/support/arguments.h"

#include <zmq.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace bench::libzmq {

// Ends the program with libzmq's words for the error.
[[noreturn]] void fail_zmq(std::string_view what);

class context {
public:
  context();
  ~context();
  context(const context&) = delete;
  context& operator=(const context&) = delete;

  void* handle() const { return handle_; }

private:
  void* handle_;
};

class message {
public:
  message() { zmq_msg_init(&message_); }
  // The bytes are whatever the memory holds, as in libzmq's own perf programs.
  explicit message(std::size_t size);
  explicit message(std::string_view content);
  ~message() { zmq_msg_close(&message_); }
  message(const message&) = delete;
  message& operator=(const message&) = delete;
  message(message&& other) noexcept : message{} { zmq_msg_move(&message_, &other.message_); }
  message& operator=(message&& other) noexcept {
    zmq_msg_move(&message_, &other.message_);
    return *this;
  }

  std::span<std::byte> bytes() {
    return {static_cast<std::byte*>(zmq_msg_data(&message_)), zmq_msg_size(&message_)};
  }
  std::string_view text() {
    return {static_cast<const char*>(zmq_msg_data(&message_)), zmq_msg_size(&message_)};
  }
  // Whether more parts of the received message follow.
  bool more() { return zmq_msg_more(&message_) != 0; }
  zmq_msg_t* handle() { return &message_; }

private:
  zmq_msg_t message_;
};

enum class more_parts { no, yes };

class socket {
public:
  socket(context& owner, int type);
  ~socket();
  socket(const socket&) = delete;
  socket& operator=(const socket&) = delete;

  void set(int option, int value);
  // Removes the limits for sent and received messages, so that the socket neither drops messages nor waits.
  void set_unlimited();
  // With the keys of bench/support/curve_keys.h. The server lets in every client that knows its key.
  void set_curve_server();
  void set_curve_client();
  void subscribe(std::string_view topic);
  void bind(const std::string& endpoint);
  void connect(const std::string& endpoint);

  // Moves the content out of the message.
  void send(message& part, more_parts more = more_parts::no) {
    if (zmq_msg_send(part.handle(), handle_, more == more_parts::yes ? ZMQ_SNDMORE : 0) < 0)
        [[unlikely]] {
      fail_zmq("cannot send");
    }
  }
  void send_copy(std::string_view part, more_parts more = more_parts::no);
  // One part, in the place of the message's content.
  void receive(message& part) {
    if (zmq_msg_recv(part.handle(), handle_, 0) < 0) [[unlikely]] {
      fail_receive();
    }
  }
  // False when there is none yet, or when ZMQ_RCVTIMEO or a signal ended the wait.
  bool try_receive(message& part, int flags = ZMQ_DONTWAIT);
  // Whether something may be received before the time is over or a signal comes.
  bool wait_readable(long milliseconds);

  void* handle() const { return handle_; }

private:
  void set_key(int option, std::string_view key);
  [[noreturn]] static void fail_receive();

  void* handle_;
};

}  // namespace bench::libzmq
