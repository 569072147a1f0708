// A socket of Zinc in a process of its own, for malformed peers:
//
//     socket_host TYPE [ENDPOINT]
//
// The program binds, connects to ENDPOINT too, and prints the endpoint of its bind. It sends each line that it
// reads, if the type has no receiver to name. A REP and a ROUTER return the messages that they receive. The
// program prints each message of one part that begins with "good " when it arrives. For all other messages, it
// prints the number of parts and the CRC at the line "mark", when at most one peer is left (none for a PAIR).
// It then prints "marked". The program ends with its input.

#include "zmtp/message.h"
#include "zmtp/options.h"
#include "zmtp/peer.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/crc.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

namespace asio = boost::asio;
using asio::use_awaitable;

template <class Socket>
constexpr bool names_receivers = std::is_same_v<Socket, zmtp::router_socket>;
template <class Socket>
constexpr bool tells_peers_apart =
    names_receivers<Socket> || std::is_same_v<Socket, zmtp::xpub_socket>;
template <class Socket>
constexpr bool replies = std::is_same_v<Socket, zmtp::rep_socket>;

struct summary {
  std::size_t parts;
  std::uint32_t sum;
};

// Each part behind its size and a colon, so that no two messages look alike.
summary summarize(const zmtp::message& m) {
  boost::crc_32_type sum;
  for (const auto part : m) {
    const auto size = std::to_string(part.size()) + ':';
    sum.process_bytes(size.data(), size.size());
    sum.process_bytes(part.data(), part.size());
  }
  return {m.size(), sum.checksum()};
}

void on_end(std::exception_ptr failure) {
  if (failure) {
    std::rethrow_exception(failure);
  }
}

template <class Socket>
class host {
public:
  host(asio::io_context& context, const zmtp::socket_options& options)
      : context_{context}, socket_{context.get_executor(), options} {
    if constexpr (requires { socket_.subscribe(std::string_view{}); }) {
      socket_.subscribe("good");
    }
  }

  void run(const char* peer) {
    const auto at = socket_.bind("tcp://127.0.0.1:*");
    if (peer != nullptr) {
      socket_.connect(peer);
    }
    std::cout << "bound " << at.to_string() << std::endl;
    if constexpr (requires { socket_.readable(); }) {
      asio::co_spawn(context_, hear(), on_end);
    }
    asio::co_spawn(context_, read_lines(), on_end);
    asio::co_spawn(context_, watch(), on_end);
    context_.run();
  }

private:
  asio::awaitable<void> hear() {
    std::conditional_t<tells_peers_apart<Socket>, zmtp::routed_message, zmtp::message> item;
    for (;;) {
      co_await socket_.async_wait_readable(use_awaitable);
      hearing_ = true;
      while (socket_.try_receive(item)) {
        if constexpr (tells_peers_apart<Socket>) {
          note(item.content);
        } else {
          note(item);
        }
        if constexpr (names_receivers<Socket>) {
          (void)socket_.try_send(item.peer, std::move(item.content));
        } else if constexpr (replies<Socket>) {
          co_await socket_.async_send(std::move(item), use_awaitable);
        }
      }
      hearing_ = false;
      answer_mark();
    }
  }

  void note(const zmtp::message& m) {
    const std::string_view text = m.front();
    if (m.size() == 1 && text.starts_with("good ")) {
      std::cout << text << std::endl;
    } else {
      received_.push_back(summarize(m));
    }
  }

  asio::awaitable<void> read_lines() {
    asio::posix::stream_descriptor input{context_, ::dup(STDIN_FILENO)};
    std::string read;
    for (;;) {
      boost::system::error_code ec;
      const auto line = co_await asio::async_read_until(input, asio::dynamic_buffer(read), '\n',
                                                        asio::redirect_error(use_awaitable, ec));
      if (ec) {
        context_.stop();
        co_return;
      }
      on_line(read.substr(0, line - 1));
      read.erase(0, line);
    }
  }

  void on_line(const std::string& line) {
    if (line == "mark") {
      marked_ = true;
      answer_mark();
    } else {
      say(line);
    }
  }

  void say(const std::string& line) {
    if constexpr (!names_receivers<Socket> && requires { socket_.try_send(zmtp::message{}); }) {
      (void)socket_.try_send(zmtp::message{line});
    }
  }

  // Peers that go.
  asio::awaitable<void> watch() {
    auto monitor = socket_.monitor();
    for (;;) {
      co_await monitor.async_receive(use_awaitable);
      answer_mark();
    }
  }

  // Once all that has come is noted, from all but the one peer that stays.
  void answer_mark() {
    if (hearing_ || socket_.peers().size() > (std::is_same_v<Socket, zmtp::pair_socket> ? 0 : 1)) {
      return;
    }
    if constexpr (requires { socket_.readable(); }) {
      if (socket_.readable()) {
        return;
      }
    }
    if (std::exchange(marked_, false)) {
      for (const auto& each : received_) {
        std::cout << "heard " << each.parts << ' ' << each.sum << '\n';
      }
      std::cout << "marked" << std::endl;
      received_.clear();
    }
  }

  asio::io_context& context_;
  Socket socket_;
  std::vector<summary> received_;
  bool hearing_ = false;
  bool marked_ = false;
};

// The socket reconnects at once after every fault. A REQ may send again without a reply.
zmtp::socket_options options_of(std::string_view type) {
  using namespace std::chrono_literals;
  zmtp::socket_options options;
  options.reconnect = {.initial = 1ms, .maximum = 5ms, .refused_maximum = 5ms, .stable = 1ms};
  options.relaxed = type == "req";
  return options;
}

template <class... Sockets>
struct hosts {
  // False if there is no such type.
  static bool run(std::string_view type, const char* peer) {
    static constexpr std::string_view names[]{"dealer", "pair",   "pub", "pull", "push", "rep",
                                              "req",    "router", "sub", "xpub", "xsub"};
    static_assert(std::size(names) == sizeof...(Sockets));
    asio::io_context context{1};
    std::size_t next = 0;
    return ((type == names[next++] && (host<Sockets>{context, options_of(type)}.run(peer), true)) ||
            ...);
  }
};

}  // namespace

int main(int count, char** arguments) {
  using every_host =
      hosts<zmtp::dealer_socket, zmtp::pair_socket, zmtp::pub_socket, zmtp::pull_socket,
            zmtp::push_socket, zmtp::rep_socket, zmtp::req_socket, zmtp::router_socket,
            zmtp::sub_socket, zmtp::xpub_socket, zmtp::xsub_socket>;
  if (count < 2 || count > 3 ||
      !every_host::run(arguments[1], count == 3 ? arguments[2] : nullptr)) {
    std::cerr << "usage: socket_host TYPE [ENDPOINT]\n";
    return 2;
  }
}
