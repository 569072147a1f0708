// mmiecho: asks a Majordomo broker whether it has the service echo (8/MMI).

#include "mdp/client.h"
#include "tools/guide/majordomo_log.h"
#include "tools/guide/program.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <string>
#include <utility>

namespace {

namespace asio = boost::asio;

struct settings {
  std::string connect = "tcp://localhost:5555";
  // Idempotent: makes three attempts, as the Guide's client does.
  mdp::client_options client{.protocol = mdp::version::v01, .idempotent = true};
  bool verbose = false;
};

asio::awaitable<int> look_up(const settings& is) {
  const auto executor = co_await asio::this_coro::executor;
  mdp::client client{executor, is.connect, is.client, guide::client_log(is.verbose, is.connect)};
  zmtp::message body{"echo"};
  const auto [ec, reply] = co_await client.async_request("mmi.service", std::move(body),
                                                         asio::as_tuple(asio::use_awaitable));
  if (ec) {
    guide::log_unanswered(is.verbose, ec);
    guide::say("E: no response from broker, make sure it's running");
    co_return guide::exit_code::failed;
  }
  guide::say("Lookup echo service: {}", reply.front());
  co_return guide::exit_code::done;
}

}  // namespace

int main(int argc, char** argv) {
  settings is;
  guide::command_line line{"Asks a Majordomo broker whether it has the service `echo`"};
  line.endpoint("--connect", is.connect, "broker to connect to");
  line.milliseconds("--timeout", is.client.timeout,
                    "time to wait for a reply, in each of three attempts");
  line.flag("-v", is.verbose, "log sent and received messages, frame by frame");
  return guide::run(line, argc, argv, look_up, is);
}
