// ticlient: submits a request for the service echo to Titanic, and fetches the reply later.

#include "mdp/titanic/client.h"
#include "mdp/titanic/error.h"
#include "tools/guide/majordomo_log.h"
#include "tools/guide/program.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <string>
#include <utility>

namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;
namespace titanic = mdp::titanic;

struct settings {
  std::string connect = "tcp://localhost:5555";
  std::chrono::milliseconds first = 100ms;
  std::chrono::milliseconds again = 5s;
  bool verbose = false;
};

asio::awaitable<int> leave_and_come_back(const settings& is) {
  const auto executor = co_await asio::this_coro::executor;
  // One attempt, as in the Guide's log. For several attempts, the client sends a key to a Zinc broker.
  titanic::client_options options;
  options.attempts = 1;
  titanic::client client{executor, is.connect, options, guide::client_log(is.verbose, is.connect)};
  zmtp::message body{"Hello world"};
  const auto id = co_await client.async_request("echo", std::move(body), asio::use_awaitable);
  fmt::print(stderr, "I: request UUID [032] {}\n", id);
  co_await guide::pause(is.first);
  for (;;) {
    const auto [ec, reply] = co_await client.async_reply(id, asio::as_tuple(asio::use_awaitable));
    if (!ec) {
      guide::say("Reply: {}", reply.back());
      co_await client.async_close(id, asio::use_awaitable);
      co_return guide::exit_code::done;
    }
    if (ec == titanic::errc::unknown_id) {
      guide::say("E: client fatal error, aborting");
      co_return guide::exit_code::failed;
    }
    if (ec == titanic::errc::request_failed) {
      guide::say("E: server fatal error, aborting");
      co_return guide::exit_code::failed;
    }
    if (ec == asio::error::operation_aborted) {
      throw boost::system::system_error{ec};
    }
    // Other errors, such as the loss of Titanic or of the broker, do not lose the request.
    guide::say("I: no reply yet, trying again...");
    co_await guide::pause(is.again);
  }
}

}  // namespace

int main(int argc, char** argv) {
  settings is;
  guide::command_line line{
      "Titanic client: submits a request for `echo`, and fetches the reply later"};
  line.endpoint("--connect", is.connect, "broker to connect to");
  line.milliseconds("--again", is.again, "time before the client requests the reply again");
  line.flag("-v", is.verbose, "log sent and received messages, frame by frame");
  return guide::run(line, argc, argv, leave_and_come_back, is);
}
