// A push and a pull socket over TCP, as small as a program with Zinc can be: docs/embedding.md has its size.
#include "zmtp/message.h"
#include "zmtp/socket/pipeline_sockets.h"

#include <boost/asio/io_context.hpp>

int main() {
  boost::asio::io_context context{1};
  zmtp::pull_socket pull{context.get_executor()};
  const auto at = pull.bind("tcp://127.0.0.1:*");
  zmtp::push_socket push{context.get_executor()};
  push.connect(at.to_string());
  bool received = false;
  push.async_send(zmtp::message{"hello"}, [&](zmtp::error_code) { push.close(); });
  pull.async_receive([&](zmtp::error_code ec, const zmtp::message& got) {
    received = !ec && got.size() == 1;
    pull.close();
  });
  context.run();
  return received ? 0 : 1;
}
