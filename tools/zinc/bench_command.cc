// zinc bench

#include "tools/zinc/bench_command.h"

#include "tools/zinc/bench/report.h"
#include "tools/zinc/bench_end.h"
#include "tools/zinc/commands.h"
#include "tools/zinc/output.h"
#include "tools/zinc/stop_signals.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <thread>

namespace zinc {

namespace {

namespace asio = boost::asio;
using zmtp::socket_type;

// Runs in a thread of its own, so that both ends do not share a core.
class other_end {
public:
  explicit other_end(const bench_arguments& arguments)
      : arguments_{arguments}, end_{context_, arguments_, [] {}} {
    thread_ = std::thread{[this] { context_.run(); }};
  }
  ~other_end() {
    asio::post(context_, [this] { end_.stop(); });
    thread_.join();
  }
  other_end(const other_end&) = delete;
  other_end& operator=(const other_end&) = delete;

  [[nodiscard]] const std::string& bound() const noexcept { return end_.bound(); }

private:
  bench_arguments arguments_;
  asio::io_context context_{1};
  bench_end end_;
  std::thread thread_;
};

// The type that measures, and the type at the other end.
struct type_pair {
  socket_type measures;
  socket_type other;
};
type_pair pair_of(socket_type type) {
  switch (type) {
    case socket_type::push:
    case socket_type::pull: return {socket_type::pull, socket_type::push};
    case socket_type::pub:
    case socket_type::sub: return {socket_type::sub, socket_type::pub};
    case socket_type::req:
    case socket_type::rep: return {socket_type::req, socket_type::rep};
    default: return {socket_type::dealer, socket_type::router};
  }
}

int run_end(const bench_arguments& arguments) {
  asio::io_context context{1};
  std::optional<stop_signals> signals;
  bench_end end{context, arguments, [&signals] { signals->cancel(); }};
  signals.emplace(context.get_executor(), [&end] { end.stop(); });
  if (!end.bound().empty() && !arguments.bind.empty()) {
    fmt::print(stderr, "bound {}\n", end.bound());
  }
  context.run();
  if (!end.fault().empty()) {
    fmt::print(stderr, "zinc bench: {}\n", end.fault());
  }
  if (end.result().messages != 0) {
    write_output(arguments.json ? json_line_of(end.result()) : text_of(end.result()));
  }
  return end.code();
}

int run_both_ends(const bench_arguments& arguments) {
  const auto types = pair_of(arguments.type);
  auto there = arguments;
  there.type = types.other;
  there.bind = {"tcp://127.0.0.1:*"};
  const other_end other{there};
  auto here = arguments;
  here.type = types.measures;
  here.connect = {other.bound()};
  return run_end(here);
}

}  // namespace

int run_bench(const bench_arguments& arguments) {
  try {
    return arguments.bind.empty() && arguments.connect.empty() ? run_both_ends(arguments)
                                                               : run_end(arguments);
  } catch (const std::exception& e) {
    fmt::print(stderr, "zinc bench: {}\n", e.what());
    return exit_code::failed;
  }
}

}  // namespace zinc
