#include "mdp/worker.h"

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <cctype>
#include <string>

boost::asio::awaitable<zmtp::message> upper(zmtp::message body) {
  std::string text{body.front()};
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  co_return zmtp::message{text};
}

int main() {
  boost::asio::io_context context{1};
  const mdp::worker worker{
      context.get_executor(), "tcp://localhost:5555", {.service = "upper"}, upper};
  context.run();
}
