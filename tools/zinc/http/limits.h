#pragma once
// The limits of an HTTP server. Plain data.

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace zinc::http {

struct limits {
  std::size_t connections = 64;
  std::size_t pages = 16;                              // open WebSockets; they are connections too
  std::uint32_t header_size = 8 * 1024;                // bytes
  std::uint32_t body_size = 1024;                      // bytes; the id of a thing
  std::chrono::milliseconds idle_timeout{60'000};      // between requests, and for a WebSocket
  std::chrono::milliseconds request_timeout{10'000};   // to receive the rest of a request
  std::chrono::milliseconds response_timeout{10'000};  // to send a response, or a message
  std::chrono::milliseconds page_interval{1'000};      // between the messages of a WebSocket, and
                                                       // between samples of the history
};

}  // namespace zinc::http
