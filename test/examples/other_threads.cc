// A socket is used in its executor only, here a strand of a pool of threads. Other threads reach it there.

#include "zmtp/socket/pipeline_sockets.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <future>
#include <iostream>
#include <utility>

namespace asio = boost::asio;

// Does it where the socket lives, and waits: for everything that has no form that waits itself.
template <class Socket, class Function>
auto run_in(Socket& socket, Function f) {
  return asio::post(socket.get_executor(), asio::use_future(std::move(f))).get();
}

// Queues or drops the message, without waiting.
void send_some_time(zmtp::push_socket& to, zmtp::message m) {
  asio::post(to.get_executor(),
             [&to, m = std::move(m)]() mutable { (void)to.try_send(std::move(m)); });
}

// The future reports when the message is queued, or why it is not.
std::future<void> send(zmtp::push_socket& to, zmtp::message m) {
  struct loop {
    static asio::awaitable<void> run(zmtp::push_socket& to, zmtp::message m) {
      co_await to.async_send(std::move(m), asio::use_awaitable);
    }
  };
  return asio::co_spawn(to.get_executor(), loop::run(to, std::move(m)), asio::use_future);
}

// The handler is called in the caller's own executor.
template <class Handler>
void receive(zmtp::pull_socket& from, const asio::io_context::executor_type& own, Handler handler) {
  asio::dispatch(from.get_executor(), [&from, own, handler = std::move(handler)]() mutable {
    from.async_receive(asio::bind_executor(own, std::move(handler)));
  });
}

int main() {
  asio::thread_pool pool{2};
  zmtp::pull_socket pull{asio::make_strand(pool)};
  zmtp::push_socket push{asio::make_strand(pool)};
  // From here on they work, in the threads of the pool.
  const auto at = run_in(pull, [&] { return pull.bind("tcp://127.0.0.1:*").to_string(); });
  run_in(push, [&] { push.connect(at); });

  send(push, {"first"}).get();
  send_some_time(push, {"second"});

  asio::io_context own{1};
  const auto print = [](zmtp::error_code, const zmtp::message& m) {
    std::cout << m.front() << '\n';
  };
  receive(pull, own.get_executor(), print);
  receive(pull, own.get_executor(), print);
  const auto work = asio::make_work_guard(own);
  own.run_one();
  own.run_one();

  run_in(pull, [&] { pull.close(); });
  run_in(push, [&] { push.close(); });
  pool.join();
}
