#pragma once
// A connection to a nats-server, for programs of one thread. A fault ends the program, for there is nothing to measure
// then.

#include "bench/nats/protocol.h"
#include "bench/support/endpoint.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <string>

namespace bench::nats {

class connection {
public:
  // Returns when the server has accepted the client.
  connection(boost::asio::io_context& context, const tcp_endpoint& server);
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  // The only one of a connection. It is in force when this returns.
  void subscribe(std::string_view subject);
  // Writes when 64 KiB have gathered; flush() writes the rest.
  void publish(std::string_view subject, std::string_view payload, std::string_view reply_to = {});
  void flush();
  // Returns when the server has all that was published. Drops what comes until then.
  void synchronize();

  // Waits until at least one byte comes, and takes all that have come.
  void read();
  // The next message of what was read, which lives until the next read. Answers PING with the next flush.
  std::optional<message> next();
  // Flushes, and waits until there is one.
  message receive();
  message receive(std::uint64_t size);
  // Returns nothing if none came within the time.
  std::optional<message> receive_within(int milliseconds);

  boost::asio::ip::tcp::socket& socket() { return socket_; }

private:
  boost::asio::ip::tcp::socket socket_;
  parser parser_{};
  std::string unwritten_{};
  bool pong_came_ = false;
};

}  // namespace bench::nats
