#include "chp/client.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <iostream>

namespace asio = boost::asio;

asio::awaitable<void> follow(chp::client& map) {
  auto changes = map.watch("/lamp/");
  for (std::vector<chp::change> batch;;) {
    co_await changes.async_receive(batch, asio::use_awaitable);
    for (const auto& lamp : batch) {
      std::cout << lamp.key << (lamp.erased() ? " is gone" : " is " + lamp.value) << std::endl;
    }
  }
}

int main(int argc, char** argv) {
  std::vector<chp::server_address> servers;
  for (int i = 1; i < argc; ++i) {
    servers.push_back(chp::server_address::at(argv[i]));
  }
  asio::io_context context{1};
  chp::client map{context.get_executor(), servers, {.subtree = "/lamp/"}};
  asio::co_spawn(context, follow(map), asio::detached);
  context.run();
}
