#pragma once
// Zinc's sockets and libzmq's in one process: Zinc's in an io_context in the thread of the test, libzmq's,
// whose calls block, in a thread of their own.

#include "test/interop/libzmq_peer.h"
#include "test/support/meeting.h"
#include "zmtp/message.h"
#include "zmtp/options.h"
#include "zmtp/socket/socket.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp::test {

using libzmq::parts;

// To be declared before the sockets of both sides.
class two_sides {
public:
  static constexpr std::chrono::seconds timeout{20};

  two_sides() = default;
  two_sides(const two_sides&) = delete;
  two_sides& operator=(const two_sides&) = delete;

  // Runs both parts until both are over. The test fails if one throws, which ends the other, and if
  // time runs out. May be called again.
  void run(const std::function<asio::awaitable<void>()>& our_part,
           const std::function<void()>& their_part, std::chrono::seconds limit = timeout);
  // One part alone; during theirs, our sockets live too.
  void run_ours(const std::function<asio::awaitable<void>()>& our_part);
  void run_theirs(const std::function<void()>& their_part);
  // Runs our side to its end: its sockets are closed and everything is written.
  void run_to_the_end(std::chrono::seconds limit = timeout);

  [[nodiscard]] asio::io_context& ours() noexcept { return ours_; }
  [[nodiscard]] asio::any_io_executor executor() noexcept { return ours_.get_executor(); }
  [[nodiscard]] libzmq::context& theirs() noexcept { return theirs_; }

private:
  asio::io_context ours_{1};
  libzmq::context theirs_;
};

enum class binder { ours, theirs };

[[nodiscard]] std::string to_string(binder who);

// Connects the two sockets, at an endpoint that no other socket uses.
void join(binder who, socket& ours, libzmq::socket& theirs, medium over = medium::tcp);

// The side that binds, and the transport: the parameter of tests that are the same on each transport.
struct encounter {
  binder who = binder::ours;
  medium over = medium::tcp;
};

std::ostream& operator<<(std::ostream& to, const encounter& e);

// Each medium of this machine that reaches libzmq, with either side binding.
[[nodiscard]] std::vector<encounter> encounters();

void join(const encounter& how, socket& ours, libzmq::socket& theirs);

[[nodiscard]] message to_message(const parts& from);
[[nodiscard]] parts to_parts(const message& from);
[[nodiscard]] parts without_first(const parts& from);
[[nodiscard]] parts with_first(std::string_view first, const parts& from);

// `size` bytes, every value among them, different for each seed.
[[nodiscard]] std::string content(std::size_t size, std::size_t seed);
// The n-th of a sequence of messages that differ in content, size and number of parts.
[[nodiscard]] parts numbered(std::size_t n);
// The number of messages in tests of order.
inline constexpr std::size_t many = 10'000;
// Messages of every shape: empty parts in each place, sizes at which a frame changes its form, many
// parts, and large ones.
[[nodiscard]] const std::vector<parts>& shapes();
// The number and sizes of the parts, for a failure's text.
[[nodiscard]] std::string describe(const parts& what);
void expect_shape(const parts& got, const parts& shape);

// Returns options of a REQ socket that may resend a request, and reconnects within 20 ms.
[[nodiscard]] socket_options persistent();

}  // namespace zmtp::test
