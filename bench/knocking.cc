// The cost of connections that never authenticate for a server with CURVE: the memory of each, and the round trips of
// an authenticated peer. The connections have the lowest priority, so that the server is measured and not other load
// on its processor.
//
// bazel run -c opt //bench:knocking -- --help

#include "bench/curve.h"
#include "bench/neighbourhood.h"
#include "bench/support/endpoint.h"
#include "zmtp/greeting.h"
#include "zmtp/message_batch.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/socket/request_sockets.h"

#include <CLI/CLI.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace bench {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using clock_type = std::chrono::steady_clock;

constexpr std::size_t hello_size = 202;    // with the frame's header
constexpr std::size_t welcome_size = 170;  // with the frame's header

struct arguments {
  std::size_t connections = 10'000;
  double seconds = 3;
};

asio::awaitable<void> echo(zmtp::router_socket router) {
  zmtp::message_batch batch;
  for (;;) {
    co_await router.async_receive(batch, asio::use_awaitable);
    co_await router.async_send_to(batch, asio::use_awaitable);
  }
}

// An echoing ROUTER with CURVE, in a process of its own.
class curve_server_process {
public:
  // `places`: the pending handshakes that the server accepts; absent: socket_options has the number.
  explicit curve_server_process(std::optional<std::size_t> places = {})
      : pipe_{make_pipe()}, child_{[&] { serve(pipe_[1], places); }} {
    require(::read(pipe_[0], &port_, sizeof port_) == sizeof port_, "starting the server");
  }
  curve_server_process(const curve_server_process&) = delete;
  curve_server_process& operator=(const curve_server_process&) = delete;
  ~curve_server_process() {
    ::close(pipe_[0]);
    ::close(pipe_[1]);
  }

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  [[nodiscard]] std::uint64_t resident_bytes() const { return child_.resident_bytes(); }

private:
  static void serve(int report, std::optional<std::size_t> places) {
    asio::io_context context{1};
    auto options = curve_server();
    if (places) {
      options.pending_handshakes = *places;
    }
    zmtp::router_socket router{context.get_executor(), options};
    const auto port = router.bind("tcp://127.0.0.1:*").tcp()->port;
    require(::write(report, &port, sizeof port) == sizeof port, "reporting the port");
    co_spawn(context, echo(std::move(router)), zmtp::rethrow);
    context.run();
  }

  std::array<int, 2> pipe_;
  child child_;
  std::uint16_t port_ = 0;
};

tcp::socket connected(asio::io_context& context, std::uint16_t port) {
  tcp::socket one{context};
  one.connect({asio::ip::address_v4::loopback(), port});
  return one;
}

// Returns what a client sends first: its greeting and HELLO. A server has no state yet, so it answers the same HELLO
// on each connection.
std::string first_words() {
  asio::io_context context{1};
  tcp::acceptor acceptor{context, {asio::ip::address_v4::loopback(), 0}};
  zmtp::dealer_socket dealer{context.get_executor(), curve_client()};
  dealer.connect("tcp://127.0.0.1:" + std::to_string(acceptor.local_endpoint().port()));
  std::string words(zmtp::greeting::size + hello_size, '\0');
  tcp::socket accepted{context};
  const auto greeting = zmtp::greeting::encode("CURVE", true);
  bool read = false;
  acceptor.async_accept(accepted, [&](boost::system::error_code) {
    asio::write(accepted, asio::buffer(greeting));
    asio::async_read(accepted, asio::buffer(words), [&](boost::system::error_code ec, std::size_t) {
      read = !ec;
      context.stop();
    });
  });
  context.run();
  require(read, "recording a HELLO");
  return words;
}

// Connections that say `words` and get `answer` bytes, each before the next one is made.
void measure_memory(const char* name, const arguments& how, std::string_view words,
                    std::size_t answer) {
  const curve_server_process server{how.connections + 1};
  asio::io_context context;
  std::vector<tcp::socket> all;
  std::string heard(answer, '\0');
  const auto knock = [&] {
    all.push_back(connected(context, server.port()));
    asio::write(all.back(), asio::buffer(words));
    asio::read(all.back(), asio::buffer(heard));
  };
  knock();
  const auto before = server.resident_bytes();
  for (std::size_t i = 0; i < how.connections; ++i) {
    knock();
  }
  std::printf(
      "memory of a handshake, %s: %.0f [B]\n", name,
      static_cast<double>(server.resident_bytes() - before) / static_cast<double>(how.connections));
}

// Opens connections that say nothing, and closes the oldest beyond `most`.
void knock_for_ever(std::uint16_t port, std::size_t most) {
  ::setpriority(PRIO_PROCESS, 0, 19);
  asio::io_context context;
  for (std::deque<tcp::socket> all;;) {
    tcp::socket one{context};
    boost::system::error_code refused;
    one.connect({asio::ip::address_v4::loopback(), port}, refused);
    if (!refused) {
      all.push_back(std::move(one));
    }
    if (all.size() > most) {
      all.pop_front();
    }
  }
}

// Makes round trips for the time `lasting`, and appends the latency of each to `all`.
asio::awaitable<void> ask_for(zmtp::dealer_socket& dealer, seconds lasting,
                              std::vector<double>& all) {
  const auto end = clock_type::now() + lasting;
  for (auto now = clock_type::now(); now < end;) {
    co_await dealer.async_send(zmtp::message{"hello"}, asio::use_awaitable);
    (void)co_await dealer.async_receive(asio::use_awaitable);
    const auto later = clock_type::now();
    all.push_back(seconds{later - now}.count() * 1e6);
    now = later;
  }
}

void measure_round_trips(const arguments& how) {
  const seconds lasting{how.seconds};
  const curve_server_process server;
  asio::io_context context{1};
  zmtp::dealer_socket dealer{context.get_executor(), curve_client()};
  dealer.connect("tcp://127.0.0.1:" + std::to_string(server.port()));
  const auto ask = [&](seconds time, std::vector<double>& all) {
    context.restart();
    co_spawn(context, ask_for(dealer, time, all), [&](std::exception_ptr failed) {
      context.stop();
      zmtp::rethrow(failed);
    });
    context.run();
  };
  std::vector<double> ignored;
  ask(lasting / 10, ignored);
  const child knocking{[&] { knock_for_ever(server.port(), how.connections); }};
  // In turns: a machine is seldom as fast now as it was a second ago.
  constexpr int turns = 10;
  std::vector<double> without;
  std::vector<double> with;
  for (int i = 0; i < turns; ++i) {
    knocking.pause();
    ask(lasting / 50, ignored);
    ask(lasting / turns, without);
    knocking.resume();
    ask(lasting / 50, ignored);
    ask(lasting / turns, with);
  }
  const auto quiet = latencies_of(std::move(without));
  const auto busy = latencies_of(std::move(with));
  for (const auto& [name, l] : {std::pair{"quiet", quiet}, std::pair{"while others knock", busy}}) {
    std::printf("round trip, %s: p50 %.1f, p99 %.1f, longest %.0f [us]\n", name, l.p50, l.p99,
                l.longest);
  }
  std::printf("p99 ratio %.2f\n", busy.p99 / quiet.p99);
}

}  // namespace
}  // namespace bench

int main(int count, char** values) {
  CLI::App app{"Measures what connections without authentication cost a server with CURVE."};
  bench::arguments how;
  app.add_option("--connections", how.connections, "At once, 10,000")
      ->check(CLI::Range(10, 20'000));
  app.add_option("--seconds", how.seconds, "Of each measurement, 3")->check(CLI::Range(0.05, 60.));
  CLI11_PARSE(app, count, values);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    bench::allow_descriptors(how.connections + 100);
    const auto words = bench::first_words();
    const auto greeting = std::string_view{words}.substr(0, zmtp::greeting::size);
    bench::measure_memory("nothing said", how, "", zmtp::greeting::size);
    bench::measure_memory("greeting", how, greeting, zmtp::greeting::size);
    bench::measure_memory("HELLO", how, words, zmtp::greeting::size + bench::welcome_size);
    bench::measure_round_trips(how);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
