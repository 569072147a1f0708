#pragma once
// Round trips of one message between a REQ and a REP of ours.

#include "zmtp/socket/request_sockets.h"

#include <boost/asio/awaitable.hpp>

#include <cstdint>

namespace bench {

struct round_trips {
  std::uint64_t size{};  // bytes of the message
  std::uint64_t count{};
};

// Prints how long they take, one way.
boost::asio::awaitable<void> ask(zmtp::req_socket req, round_trips work);
boost::asio::awaitable<void> answer(zmtp::rep_socket rep, round_trips work);

}  // namespace bench
