// clonesrv1: Clone server, model one: publishes random updates to connected clients.

#include "tools/guide/clone_publishing.h"

#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <string>

namespace {

struct settings {
  std::string bind = "tcp://*:5556";
  guide::publishing_settings publishing;
};

boost::asio::awaitable<int> serve(const settings& is) {
  chp::server server{co_await boost::asio::this_coro::executor, guide::options_of(is.publishing)};
  zmtp::error_code ec;
  server.bind_publisher(is.bind, ec);
  if (ec) {
    throw boost::system::system_error{ec, "cannot bind " + is.bind};
  }
  co_return co_await guide::publish(server, is.publishing);
}

}  // namespace

int main(int argc, char** argv) {
  settings is;
  guide::command_line line{"Clone server, model one: publishes random updates"};
  line.endpoint("--bind", is.bind, "endpoint to bind, for the publisher");
  guide::add_flags(line, is.publishing);
  return guide::run(line, argc, argv, serve, is);
}
