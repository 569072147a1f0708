#pragma once
// One end of zinc bench: a socket that sends, receives, asks or replies.

#include "tools/zinc/any_socket.h"
#include "tools/zinc/bench/open_requests.h"
#include "tools/zinc/bench/report.h"
#include "tools/zinc/bench/schedule.h"
#include "tools/zinc/bench/stamped_message.h"
#include "tools/zinc/bench_command.h"
#include "tools/zinc/exit_code.h"
#include "tools/zinc/progress.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace zinc {

inline constexpr auto bench_token = boost::asio::as_tuple(boost::asio::use_awaitable);

class bench_end {
public:
  // Binds or connects. Throws boost::system::system_error, which names the endpoint.
  bench_end(boost::asio::io_context& context, const bench_arguments& arguments,
            std::function<void()> on_over);

  // The endpoint with the actual port, if it binds.
  [[nodiscard]] const std::string& bound() const noexcept { return bound_; }
  // Ends early, with a report of what was measured until then.
  void stop();
  // After the end: empty, or why nothing was measured.
  [[nodiscard]] const std::string& fault() const noexcept { return fault_; }
  [[nodiscard]] exit_code code() const noexcept { return code_; }
  [[nodiscard]] const bench::report& result() const noexcept { return report_; }

private:
  enum class role { sends, receives, asks, replies };

  [[nodiscard]] static role role_of(zmtp::socket_type type);
  void spawn(boost::asio::awaitable<void> task);
  boost::asio::awaitable<void> act(boost::asio::awaitable<void> task);

  boost::asio::awaitable<void> send_all();
  boost::asio::awaitable<void> send_scheduled();
  boost::asio::awaitable<void> send_end();
  boost::asio::awaitable<bool> meet();
  boost::asio::awaitable<void> watch_subscriptions();
  boost::asio::awaitable<void> receive_all();
  boost::asio::awaitable<void> take_replies();
  boost::asio::awaitable<void> reply_all();
  boost::asio::awaitable<bool> receive(zmtp::message& to);
  boost::asio::awaitable<bool> send(zmtp::message_batch& batch);
  boost::asio::awaitable<void> wait_until(bench::clock::time_point when);

  void add(zmtp::message_batch& to, const bench::stamp& one);
  void count(const bench::stamp& one);
  void fail(std::string_view what, exit_code code = exit_code::failed);
  [[nodiscard]] bool may_send() const;

  const bench_arguments& arguments_;
  role role_;
  std::function<void()> on_over_;
  any_socket socket_;
  boost::asio::steady_timer news_;  // until a message is due, a reply came or a peer is there
  std::string bound_;
  std::string body_;
  bench::report report_;
  bench::clock::time_point begin_{};
  std::uint64_t sent_ = 0;
  bench::open_requests open_;
  bool met_ = false;
  bool stopped_ = false;
  std::string fault_;
  exit_code code_ = exit_code::done;
  progress progress_;
};

}  // namespace zinc
