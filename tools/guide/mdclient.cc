// mdclient: sends 100,000 requests for the service echo to a Majordomo broker, one after the other.

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
  std::size_t count = 100'000;
  bool verbose = false;
};

asio::awaitable<int> ask(const settings& is) {
  const auto executor = co_await asio::this_coro::executor;
  mdp::client client{executor, is.connect, is.client, guide::client_log(is.verbose, is.connect)};
  std::size_t done = 0;
  while (done < is.count) {
    zmtp::message body{"Hello world"};
    const auto [ec, reply] =
        co_await client.async_request("echo", std::move(body), asio::as_tuple(asio::use_awaitable));
    if (ec) {
      guide::log_unanswered(is.verbose, ec);
      break;
    }
    ++done;
  }
  guide::say("{} requests/replies processed", done);
  co_return done == is.count ? guide::exit_code::done : guide::exit_code::failed;
}

}  // namespace

int main(int argc, char** argv) {
  settings is;
  guide::command_line line{
      "Majordomo client of MDP/0.1: sends one request after the other to `echo`"};
  line.endpoint("--connect", is.connect, "broker to connect to");
  line.number("--count", is.count, "number of requests");
  line.milliseconds("--timeout", is.client.timeout,
                    "time to wait for a reply, in each of three attempts");
  line.flag("-v", is.verbose, "log sent and received messages, frame by frame");
  return guide::run(line, argc, argv, ask, is);
}
