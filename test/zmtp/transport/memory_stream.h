#pragma once
// A stream in memory, which takes and gives few bytes at a time, for tests of what lies over a stream.

#include "zmtp/transport/network.h"

#include <boost/asio/error.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace zmtp::test {

using transport::stream_side;

inline constexpr std::size_t unlimited = 1'000'000;

// One direction of a connection.
struct direction {
  std::string bytes{};
  std::size_t space = unlimited;  // bytes that it takes before a read
  bool ended = false;
};

struct memory_stream final : transport::stream {
  memory_stream(direction& from, direction& to, std::size_t most)
      : in{from}, out{to}, at_once{most} {}

  std::size_t read_some(std::span<std::byte> to, error_code& ec) noexcept override {
    const auto count = std::min({to.size(), at_once, in.bytes.size()});
    ec = boost::asio::error::would_block;
    if (count != 0 || in.ended) {
      ec = count != 0 ? error_code{} : boost::asio::error::eof;
    }
    std::memcpy(to.data(), in.bytes.data(), count);
    in.bytes.erase(0, count);
    return count;
  }
  std::size_t write_some(std::span<const std::span<const std::byte>> pieces,
                         error_code& ec) noexcept override {
    EXPECT_EQ(pieces.size(), 1U);
    const auto count =
        std::min({pieces[0].size(), at_once, out.space - std::min(out.space, out.bytes.size())});
    ec = count != 0 ? error_code{} : boost::asio::error::would_block;
    out.bytes.append(reinterpret_cast<const char*>(pieces[0].data()), count);
    return count;
  }
  void wait(stream_side side, std::shared_ptr<transport::stream_user> user) override {
    auto& waiting = users[static_cast<std::size_t>(side)];
    EXPECT_EQ(waiting, nullptr) << "one wait at a time";
    waiting = std::move(user);
  }
  void shutdown_send() noexcept override { out.ended = true; }
  void shutdown() noexcept override { out.ended = true; }
  void close() noexcept override {
    for (const auto side : {stream_side::read, stream_side::write}) {
      call(side, boost::asio::error::operation_aborted);
    }
  }
  transport::acknowledgement acknowledged() const noexcept override { return {}; }
  std::size_t unacknowledged() const noexcept override { return out.bytes.size(); }
  bool reset() noexcept override { return false; }
  transport::remote_end remote() const override { return {}; }

  void call(stream_side side, error_code ec = {}) {
    if (const auto user = std::exchange(users[static_cast<std::size_t>(side)], nullptr)) {
      user->on_ready(side, ec);
    }
  }

  direction& in;
  direction& out;
  std::size_t at_once;
  std::array<std::shared_ptr<transport::stream_user>, 2> users;
};

struct counting_user final : transport::stream_user {
  void on_ready(stream_side, error_code ec) override {
    ++calls;
    last = ec;
  }

  int calls = 0;
  error_code last;
};

}  // namespace zmtp::test
