#pragma once
// A one-way stream of equal messages through a PUSH and a PULL of ours.

#include "zmtp/blocking/socket.h"
#include "zmtp/socket/pipeline_sockets.h"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <string_view>

namespace bench {

struct stream {
  std::uint64_t size{};   // bytes of a part
  std::uint64_t count{};  // messages
  std::uint64_t parts{1};
};

// Sends in batches of up to 1024 messages or 64 KiB.
boost::asio::awaitable<void> send_stream(zmtp::push_socket push, stream work);
// The first message starts the clock. Prints the figures.
boost::asio::awaitable<void> receive_stream(zmtp::pull_socket pull, stream work);

// How a program sends and receives one message for each call.
enum class call {
  await,      // co_await async_send(), async_receive()
  if_needed,  // a coroutine that awaits only when nothing is ready
  attempt,    // try_send(), try_receive() in a loop
  block,      // zmtp::blocking
};
// Ends the program if the word names no form.
call parse_call(std::string_view word);

// The forms for a coroutine.
boost::asio::awaitable<void> send_singly(zmtp::push_socket push, stream work, call form);
boost::asio::awaitable<void> receive_singly(zmtp::pull_socket pull, stream work, call form);
// The blocking form.
void send_singly(zmtp::blocking::push_socket& push, const stream& work);
void receive_singly(zmtp::blocking::pull_socket& pull, const stream& work);

}  // namespace bench
