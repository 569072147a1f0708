// clonesrv2: Clone server, model two: publishes random updates, and sends its map to late clients.

#include "tools/guide/clone_log.h"
#include "tools/guide/clone_publishing.h"

#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <memory>
#include <string>
#include <utility>

namespace {

struct settings {
  std::string bind = "tcp://*:5556";
  std::string publisher = "tcp://*:5557";
  guide::publishing_settings publishing;
};

void must(const zmtp::error_code& ec, const std::string& at) {
  if (ec) {
    throw boost::system::system_error{ec, "cannot bind " + at};
  }
}

boost::asio::awaitable<int> serve(const settings& is) {
  const auto executor = co_await boost::asio::this_coro::executor;
  const auto log = std::make_shared<guide::clone_log>(
      guide::clone_words{.update = {}, .snapshot = "Sending state shapshot={}"}, guide::say_line);
  chp::server_handlers handlers;
  handlers.on_turn = [log](const chp::server_status& now) { log->on_turn(now); };
  chp::server server{executor, guide::options_of(is.publishing), std::move(handlers)};
  zmtp::error_code ec;
  server.bind_snapshots(is.bind, ec);
  must(ec, is.bind);
  server.bind_publisher(is.publisher, ec);
  must(ec, is.publisher);
  co_return co_await guide::publish(server, is.publishing);
}

}  // namespace

int main(int argc, char** argv) {
  settings is;
  guide::command_line line{
      "Clone server, model two: publishes random updates, and sends its map to clients that "
      "request it"};
  line.endpoint("--bind", is.bind, "endpoint to bind, for snapshots");
  line.endpoint("--bind-publisher", is.publisher, "endpoint to bind, for the publisher");
  guide::add_flags(line, is.publishing);
  return guide::run(line, argc, argv, serve, is);
}
