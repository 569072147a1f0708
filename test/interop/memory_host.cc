// A ROUTER and an XPUB of Zinc that receive everything, in a process of its own, for peers that try to use up
// its memory:
//
//     memory_host null|plain|curve [OCTETS]
//
// prints the endpoints of the ROUTER and of the XPUB, the budget of incomplete messages (OCTETS, or the default of the
// process), and the public key of CURVE. The sockets admit every peer. The ROUTER answers messages that begin with
// "good". Each line of input is answered by the counters of the two sockets: `key=number key=number …`. Ends with its
// input.

#include "zmtp/authenticators/authenticator_function.h"
#include "zmtp/mechanism/curve.h"
#include "zmtp/runtime/runtime.h"
#include "zmtp/socket/memory_budget.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstddef>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace {

namespace asio = boost::asio;
using asio::use_awaitable;

asio::awaitable<void> answer(zmtp::router_socket& socket) {
  for (;;) {
    zmtp::routed_message received = co_await socket.async_receive(use_awaitable);
    if (received.content.front().starts_with("good")) {
      (void)socket.try_send(received.peer, std::move(received.content));
    }
  }
}

// Counts the topics with at least one subscriber.
asio::awaitable<void> listen(zmtp::xpub_socket& socket, std::size_t& topics) {
  for (;;) {
    const zmtp::routed_message change = co_await socket.async_receive(use_awaitable);
    change.content.front().starts_with('\1') ? ++topics : --topics;
  }
}

asio::awaitable<void> report(asio::io_context& context, zmtp::router_socket& router,
                             zmtp::xpub_socket& xpub, const std::size_t& topics) {
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
    read.erase(0, line);
    constexpr auto reason = static_cast<std::size_t>(zmtp::errc::partial_message_evicted);
    std::cout << "evicted=" << router.counters().ended[reason]
              << " bytes=" << router.counters().bytes_received
              << " messages=" << router.counters().messages_received << " topics=" << topics
              << " refused=" << xpub.counters().refused_subscriptions << std::endl;
  }
}

zmtp::socket_options secured(std::string_view mechanism, const zmtp::curve_key_pair& keys) {
  zmtp::socket_options options;
  if (mechanism == "curve") {
    options.security = zmtp::curve_server({.keys = keys, .allow_any_client = true});
  } else if (mechanism == "plain") {
    options.security = zmtp::plain_server_security{};
    options.authenticator =
        zmtp::make_authenticator([](const zmtp::peer_info&, const zmtp::credentials&) {
          return zmtp::authenticator::principal{};
        });
  }
  return options;
}

void on_end(std::exception_ptr failure) {
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2 || count > 3) {
    std::cerr << "usage: memory_host null|plain|curve [OCTETS]\n";
    return 2;
  }
  if (count == 3) {
    auto budget = zmtp::process_memory_budget();
    budget.partial_messages = std::stoul(arguments[2]);
    zmtp::set_process_memory_budget(budget);
  }
  asio::io_context context{1};
  const auto keys =
      zmtp::make_key_pair([](std::span<std::byte> to) { zmtp::runtime::system().random(to); });
  const auto options = secured(arguments[1], keys);
  zmtp::router_socket router{context.get_executor(), options};
  zmtp::xpub_socket xpub{context.get_executor(), options};
  std::cout << "bound " << router.bind("tcp://127.0.0.1:*").to_string() << '\n'
            << xpub.bind("tcp://127.0.0.1:*").to_string() << '\n'
            << zmtp::process_memory_budget().partial_messages << '\n'
            << zmtp::to_z85(keys.public_key) << std::endl;
  asio::co_spawn(context, answer(router), on_end);
  std::size_t topics = 0;
  asio::co_spawn(context, listen(xpub, topics), on_end);
  asio::co_spawn(context, report(context, router, xpub, topics), on_end);
  context.run();
}
