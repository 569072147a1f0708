// mdclient2: sends 100,000 requests for the service echo to a Majordomo broker, many at once.

#include "mdp/client.h"
#include "tools/guide/majordomo_log.h"
#include "tools/guide/program.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

namespace {

namespace asio = boost::asio;

struct settings {
  std::string connect = "tcp://localhost:5555";
  // Idempotent: makes three attempts, as the Guide's client does.
  mdp::client_options client{.protocol = mdp::version::v01, .idempotent = true};
  std::size_t count = 100'000;
  std::size_t in_flight = 100;
  bool verbose = false;
};

struct work {
  work(const asio::any_io_executor& executor, const settings& is)
      : client{executor, is.connect, is.client,
               guide::client_log(is.verbose, is.connect, guide::client_socket::dealer)},
        verbose{is.verbose},
        left{is.count},
        over{executor, asio::steady_timer::time_point::max()} {}

  mdp::client client;
  bool verbose;
  std::size_t left;  // requests not yet sent
  std::size_t lanes = 0;
  std::size_t replies = 0;
  asio::steady_timer over;
};

// Sends one request after the other until one gets no reply.
asio::awaitable<void> ask(work& all) {
  while (all.left != 0) {
    --all.left;
    zmtp::message body{"Hello world"};
    const auto [ec, reply] = co_await all.client.async_request("echo", std::move(body),
                                                               asio::as_tuple(asio::use_awaitable));
    if (ec) {
      if (ec != asio::error::operation_aborted && all.left != 0) {
        guide::log_unanswered(all.verbose, ec, guide::client_socket::dealer);
      }
      all.left = 0;
      break;
    }
    ++all.replies;
  }
  if (--all.lanes == 0) {
    all.over.cancel();
  }
}

asio::awaitable<int> ask_all(const settings& is) {
  const auto executor = co_await asio::this_coro::executor;
  work all{executor, is};
  // A lane may end before the next one begins.
  all.lanes = std::min(is.in_flight, is.count);
  for (auto left = all.lanes; left != 0; --left) {
    asio::co_spawn(executor, ask(all), [](const std::exception_ptr& thrown) {
      if (thrown) {
        std::rethrow_exception(thrown);
      }
    });
  }
  if (all.lanes != 0) {
    co_await all.over.async_wait(asio::as_tuple(asio::use_awaitable));
  }
  // After a signal, some lanes still wait. They end when the client stops.
  if (all.lanes != 0) {
    guide::log_unanswered(is.verbose, asio::error::operation_aborted);
  }
  all.left = 0;
  all.client.stop();
  while (all.lanes != 0) {
    all.over.expires_at(asio::steady_timer::time_point::max());
    co_await asio::this_coro::reset_cancellation_state();
    co_await all.over.async_wait(asio::as_tuple(asio::use_awaitable));
  }
  guide::say("{} replies received", all.replies);
  co_return all.replies == is.count ? guide::exit_code::done : guide::exit_code::failed;
}

}  // namespace

int main(int argc, char** argv) {
  settings is;
  guide::command_line line{"Majordomo client of MDP/0.1: sends many requests at once to `echo`"};
  line.endpoint("--connect", is.connect, "broker to connect to");
  line.number("--count", is.count, "number of requests");
  line.number("--in-flight", is.in_flight, "requests in flight at once");
  line.milliseconds("--timeout", is.client.timeout,
                    "time to wait for a reply, in each of three attempts");
  line.flag("-v", is.verbose, "log sent and received messages, frame by frame");
  return guide::run(line, argc, argv, ask_all, is);
}
