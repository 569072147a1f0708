// lpserver: the server of a Lazy Pirate client. Echoes requests slowly. After a few requests, it simulates overloads
// and a crash at random.

#include "tools/guide/program.h"
#include "tools/guide/simulated_faults.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <string>
#include <utility>

namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

struct settings {
  std::string bind = "tcp://*:5555";
  std::chrono::milliseconds work = 1s;
  std::chrono::milliseconds overload = 2s;
  bool calm = false;
};

// GCC 12 inlines the operator new of the frame, but not its operator delete, and then takes them for a mismatch.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
asio::awaitable<int> serve(const settings& is) {
  zmtp::rep_socket server{co_await asio::this_coro::executor};
  server.bind(is.bind);
  guide::simulated_faults faults{!is.calm, 3};
  for (;;) {
    auto request = co_await server.async_receive(asio::use_awaitable);
    switch (faults.next()) {
      case guide::trouble::crash:
        guide::say("I: simulating a crash");
        server.close(0ms);
        co_return guide::exit_code::done;
      case guide::trouble::overload:
        guide::say("I: simulating CPU overload");
        co_await guide::pause(is.overload);
        break;
      case guide::trouble::none: break;
    }
    guide::say("I: normal request ({})", request.front());
    co_await guide::pause(is.work);
    co_await server.async_send(std::move(request), asio::use_awaitable);
  }
}
#pragma GCC diagnostic pop

}  // namespace

int main(int argc, char** argv) {
  settings is;
  guide::command_line line{"Lazy Pirate server: echoes requests, and simulates faults"};
  line.endpoint("--bind", is.bind, "endpoint to bind, for clients");
  line.milliseconds("--work", is.work, "time to process a request", 0);
  line.milliseconds("--overload", is.overload, "additional time of a simulated overload", 0);
  line.flag("--calm", is.calm, "do not simulate faults");
  return guide::run(line, argc, argv, serve, is);
}
