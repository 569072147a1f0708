#pragma once
// A one-way stream of equal messages through a PUSH and a PULL of ours.

#include "zmtp/socket/pipeline_sockets.h"

#include <boost/asio/awaitable.hpp>

#include <cstdint>

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
// The same with one message for each co_await.
boost::asio::awaitable<void> receive_stream_singly(zmtp::pull_socket pull, stream work);

}  // namespace bench
