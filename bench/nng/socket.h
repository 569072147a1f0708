#pragma once
// nng's socket and message with their lifetimes, for the programs of bench/nng. A call that fails ends the program, for
// there is nothing to measure then.

#include <nng/nng.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace bench::nng {

// As many messages as the high-water marks of Zinc and libzmq.
inline constexpr int stream_buffer = 1000;
// The most messages that nng lets a socket buffer. If its buffer is full, PUB and SUB drop the next message.
inline constexpr int largest_buffer = 8192;
// The rest of the buffer is for the last probes.
inline constexpr std::uint64_t deliveries_on_their_way = largest_buffer / 2;

class message {
public:
  message() = default;
  explicit message(std::size_t size);
  ~message() { clear(); }
  message(const message&) = delete;
  message& operator=(const message&) = delete;

  std::span<std::byte> bytes() {
    return {static_cast<std::byte*>(nng_msg_body(handle_)), nng_msg_len(handle_)};
  }

private:
  friend class socket;

  void clear();

  nng_msg* handle_ = nullptr;
};

// Waits until the other program has closed a connection. A program that ends earlier discards what it has not written.
void await_disconnect();

// The end of the process closes it: with many connections, nng_close of nng 1.5 sometimes never returns.
class socket {
public:
  // `open` is the function of a protocol, as nng_push0_open.
  explicit socket(int (*open)(nng_socket*));
  socket(const socket&) = delete;
  socket& operator=(const socket&) = delete;

  void set_send_buffer(int messages);
  void set_receive_buffer(int messages);
  // A receive that takes longer returns false.
  void set_receive_deadline(int milliseconds);
  void subscribe(std::string_view topic);
  void bind(const std::string& endpoint);
  void connect(const std::string& endpoint);

  // Moves the content out of the message.
  void send(message& whole);
  void send_copy(std::span<const std::byte> content);
  void send_copy(std::string_view content) { send_copy(std::as_bytes(std::span{content})); }
  // In the place of the message's content.
  bool try_receive(message& whole);
  void receive(message& whole);
  void receive(message& whole, std::uint64_t size);

private:
  nng_socket handle_{};
};

}  // namespace bench::nng
