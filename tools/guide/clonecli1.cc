// clonecli1: Clone client, model one: counts the updates that it receives while it is connected.

#include "chp/client.h"
#include "chp/server_address.h"
#include "tools/guide/program.h"

#include <boost/asio/this_coro.hpp>

#include <string>
#include <vector>

namespace {

struct settings {
  std::string connect = "tcp://localhost:5556";
  bool python = false;
};

boost::asio::awaitable<int> follow(const settings& is) {
  chp::client_options options;
  options.wire_format = is.python ? chp::form::kvsimple_4 : chp::form::kvsimple_8;
  options.snapshots = chp::snapshot_kind::none;
  // Servers of model one have no other ports.
  const std::vector<chp::server_address> servers{
      {.snapshot = {}, .publisher = is.connect, .collector = {}}};
  chp::client client{co_await boost::asio::this_coro::executor, servers, options};
  co_await guide::until_stopped();
  guide::say(" Interrupted\n{} messages in", client.status().counters.updates);
  co_return guide::exit_code::done;
}

}  // namespace

int main(int argc, char** argv) {
  settings is;
  guide::command_line line{"Clone client, model one: counts the updates that it receives"};
  line.endpoint("--connect", is.connect, "publisher to connect to");
  line.flag("--python", is.python,
            "use sequence numbers of four bytes, for a server of the Guide in Python");
  return guide::run(line, argc, argv, follow, is);
}
