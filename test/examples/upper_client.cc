#include "mdp/client.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <iostream>

namespace asio = boost::asio;

asio::awaitable<void> ask(mdp::client& client) {
  zmtp::message body{"hello from C++"};
  const auto [error, reply] =
      co_await client.async_request("upper", std::move(body), asio::as_tuple(asio::use_awaitable));
  switch (mdp::outcome_of(error)) {
    case mdp::outcome::answered: std::cout << reply.front() << '\n'; break;
    case mdp::outcome::not_sent:
    case mdp::outcome::refused: std::cout << "not executed: " << error.message() << '\n'; break;
    case mdp::outcome::unknown: std::cout << "unknown: " << error.message() << '\n'; break;
  }
  client.stop();
}

int main() {
  asio::io_context context{1};
  mdp::client client{context.get_executor(), "tcp://localhost:5555"};
  asio::co_spawn(context, ask(client), asio::detached);
  context.run();
}
