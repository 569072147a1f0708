#include "mdp/worker.h"

#include <boost/asio/io_context.hpp>

boost::asio::awaitable<zmtp::message> greet(zmtp::message body) {
  body.push_front("hello");
  co_return body;
}

int main(int, char** argv) {
  boost::asio::io_context context;
  const mdp::worker worker{
      context.get_executor(), argv[1], {.service = "greet", .in_flight = 100}, greet};
  context.run();
}
