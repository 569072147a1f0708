// A PUB of Zinc that publishes much, a PULL whose user does not receive, and a ROUTER, in a process of its own,
// for peers that do not read or are not read:
//
//     slow_reader_host [OCTETS]
//
// The program prints the endpoints of the ROUTER, the PUB and the PULL, and the memory budget of the queues:
// OCTETS, or the default of the process. The ROUTER answers each message. The PUB sends 16 KiB to each of its
// topics, "1000" and up, again and again. For the input line "state", the program prints the queued bytes, the
// number of times that memory was scarce, and the drops for that reason. From the line "receive" on, it
// receives from the PULL and publishes nothing more. The program ends with its input.

#include "zmtp/socket/memory_budget.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <iostream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

namespace asio = boost::asio;
using asio::use_awaitable;

constexpr int topics = 200;
constexpr std::size_t size = 16 * 1024;

void on_end(std::exception_ptr failure) {
  if (failure) {
    std::rethrow_exception(failure);
  }
}

asio::awaitable<void> answer(zmtp::router_socket& socket) {
  for (;;) {
    zmtp::routed_message received = co_await socket.async_receive(use_awaitable);
    (void)socket.try_send(received.peer, std::move(received.content));
  }
}

asio::awaitable<void> publish(zmtp::pub_socket& socket, const bool& over) {
  asio::steady_timer pause{socket.get_executor()};
  const std::string body(size, 'x');
  for (int next = 0; !over; next = (next + 1) % topics) {
    // Behind a one, so that each has as many digits.
    zmtp::message m{std::to_string(1'000 + next), body};
    co_await socket.async_send(std::move(m), use_awaitable);
    if (next % 20 == 0) {
      pause.expires_after(std::chrono::milliseconds{1});
      co_await pause.async_wait(use_awaitable);
    }
  }
}

asio::awaitable<void> receive(zmtp::pull_socket& socket) {
  zmtp::message_batch batch;
  for (;;) {
    co_await socket.async_receive(batch, use_awaitable);
  }
}

asio::awaitable<void> obey(asio::io_context& context, const zmtp::pub_socket& pub,
                           zmtp::pull_socket& pull, bool& over) {
  asio::posix::stream_descriptor input{context, ::dup(STDIN_FILENO)};
  std::string read;
  for (;;) {
    boost::system::error_code ec;
    const auto line = co_await asio::async_read_until(input, asio::dynamic_buffer(read), '\n',
                                                      asio::redirect_error(use_awaitable, ec));
    if (ec) {
      context.stop();
      co_return;
    }
    if (read.starts_with("state")) {
      const auto use = zmtp::process_memory_use();
      std::cout << use.queued << ' ' << use.times_scarce << ' '
                << pub.counters().dropped_over_budget << std::endl;
    } else if (!std::exchange(over, true)) {
      asio::co_spawn(context, receive(pull), on_end);
    }
    read.erase(0, line);
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 2) {
    std::cerr << "usage: slow_reader_host [OCTETS]\n";
    return 2;
  }
  auto budget = zmtp::process_memory_budget();
  if (count == 2) {
    budget.queued = std::stoul(arguments[1]);
    zmtp::set_process_memory_budget(budget);
  }
  asio::io_context context{1};
  zmtp::router_socket router{context.get_executor()};
  // The test is not about buffers of the kernel.
  zmtp::socket_options options;
  options.transport.send_buffer = 32 * 1024;
  options.transport.receive_buffer = 32 * 1024;
  zmtp::pub_socket pub{context.get_executor(), options};
  zmtp::pull_socket pull{context.get_executor(), options};
  bool over = false;
  std::cout << "bound " << router.bind("tcp://127.0.0.1:*").to_string() << '\n'
            << pub.bind("tcp://127.0.0.1:*").to_string() << '\n'
            << pull.bind("tcp://127.0.0.1:*").to_string() << '\n'
            << budget.queued << std::endl;
  asio::co_spawn(context, answer(router), on_end);
  asio::co_spawn(context, publish(pub, over), on_end);
  asio::co_spawn(context, obey(context, pub, pull, over), on_end);
  context.run();
}
