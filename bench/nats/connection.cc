#include "bench/nats/connection.h"

#include "bench/support/arguments.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include <poll.h>

namespace bench::nats {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr std::size_t write_size = 64 * 1024;

void check(const boost::system::error_code& error, const std::string& what) {
  if (error) [[unlikely]] {
    fail(what + ": " + error.message());
  }
}

}  // namespace

connection::connection(asio::io_context& context, const tcp_endpoint& server) : socket_{context} {
  boost::system::error_code error;
  const auto address = asio::ip::make_address(server.host, error);
  check(error, "'" + server.host + "' is not an address");
  socket_.connect(tcp::endpoint{address, server.port}, error);
  check(error, "cannot connect to " + server.text());
  socket_.set_option(tcp::no_delay{true});
  unwritten_ = connect_line;
  synchronize();
}

void connection::subscribe(std::string_view subject) {
  append_subscribe(unwritten_, subject);
  synchronize();
}

void connection::publish(std::string_view subject, std::string_view payload,
                         std::string_view reply_to) {
  append_publish(unwritten_, subject, reply_to, payload);
  if (unwritten_.size() >= write_size) {
    flush();
  }
}

void connection::flush() {
  if (unwritten_.empty()) {
    return;
  }
  boost::system::error_code error;
  asio::write(socket_, asio::buffer(unwritten_), error);
  check(error, "cannot write to the server");
  unwritten_.clear();
}

void connection::synchronize() {
  unwritten_ += ping_line;
  pong_came_ = false;
  flush();
  while (!pong_came_) {
    read();
    while (!pong_came_ && next()) {
    }
  }
}

void connection::read() {
  boost::system::error_code error;
  const auto room = parser_.room();
  parser_.received(socket_.read_some(asio::buffer(room.data(), room.size()), error));
  check(error, "the server has closed the connection");
}

std::optional<message> connection::next() {
  while (const auto found = parser_.next()) {
    if (const auto* m = std::get_if<message>(&*found)) {
      return *m;
    }
    if (const auto* f = std::get_if<fault>(&*found)) {
      fail("from the server: " + std::string{f->text});
    }
    if (std::holds_alternative<ping>(*found)) {
      unwritten_ += pong_line;
    }
    pong_came_ |= std::holds_alternative<pong>(*found);
  }
  return {};
}

message connection::receive() {
  for (;;) {
    if (const auto m = next()) {
      return *m;
    }
    flush();
    read();
  }
}

message connection::receive(std::uint64_t size) {
  const auto m = receive();
  if (m.payload.size() != size) [[unlikely]] {
    fail("a message of another size: give both programs the same arguments");
  }
  return m;
}

std::optional<message> connection::receive_within(int milliseconds) {
  if (const auto m = next()) {
    return m;
  }
  flush();
  pollfd readable{socket_.native_handle(), POLLIN, 0};
  if (::poll(&readable, 1, milliseconds) <= 0) {
    return {};
  }
  read();
  return next();
}

}  // namespace bench::nats
