// An operation ends with its deadline, with what else comes first, or when it is cancelled; none of these
// loses a message.

#include "zmtp/socket/request_sockets.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <variant>

namespace asio = boost::asio;
using namespace std::chrono_literals;
using namespace asio::experimental::awaitable_operators;
using asio::use_awaitable;

asio::awaitable<void> run(zmtp::router_socket& router, zmtp::dealer_socket& a,
                          zmtp::dealer_socket& b) {
  const auto as_result = asio::as_tuple(use_awaitable);

  // A deadline is an argument: a time from now, or a point in time.
  const auto [ec, nothing] = co_await a.async_receive(10ms, as_result);
  std::cout << ec.message() << '\n';

  // Receives the first of two messages. The message for the other receive waits for the next one.
  for (auto* const dealer : {&a, &b}) {
    zmtp::message hello{"hello"};
    co_await dealer->async_send(std::move(hello), use_awaitable);
    const auto from = co_await router.async_receive(use_awaitable);
    zmtp::message answer{"answer"};
    co_await router.async_send(from.peer, std::move(answer), use_awaitable);
    const auto first = co_await (a.async_receive(use_awaitable) || b.async_receive(use_awaitable));
    std::cout << (first.index() == 0 ? "a" : "b") << " has an answer\n";
  }

  // Any code that has the signal can cancel.
  asio::cancellation_signal stop;
  asio::post(a.get_executor(), [&] { stop.emit(asio::cancellation_type::total); });
  const auto [cancelled, none] =
      co_await a.async_receive(asio::bind_cancellation_slot(stop.slot(), as_result));
  std::cout << (cancelled == asio::error::operation_aborted ? "cancelled\n" : "received?\n");
}

int main() {
  asio::io_context context{1};
  zmtp::router_socket router{context.get_executor()};
  zmtp::dealer_socket a{context.get_executor()};
  zmtp::dealer_socket b{context.get_executor()};
  const auto at = router.bind("tcp://127.0.0.1:*").to_string();
  a.connect(at);
  b.connect(at);
  asio::co_spawn(context, run(router, a, b), [&](const std::exception_ptr& thrown) {
    router.close();
    a.close();
    b.close();
    if (thrown) {
      std::rethrow_exception(thrown);
    }
  });
  context.run();
}
