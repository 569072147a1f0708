#include "mdp/client.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <iostream>

namespace asio = boost::asio;

asio::awaitable<void> greet(mdp::client& client, int who, int& left) {
  zmtp::message body{std::to_string(who)};
  const auto reply = co_await client.async_request("greet", std::move(body), asio::use_awaitable);
  std::cout << reply[0] << ' ' << reply[1] << '\n';
  if (--left == 0) {
    client.stop();
  }
}

int main(int count, char** argv) {
  asio::io_context context;
  // The service may run twice, so the client asks again if there is no reply in time.
  mdp::client client{context.get_executor(),
                     std::vector<std::string>(argv + 1, argv + count),
                     {.idempotent = true}};
  int left = 3;
  for (int who = 0; who < 3; ++who) {
    co_spawn(context, greet(client, who, left), [](const std::exception_ptr& thrown) {
      if (thrown) {
        std::rethrow_exception(thrown);
      }
    });
  }
  context.run();
}
