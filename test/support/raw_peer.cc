#include "test/support/raw_peer.h"

#include "test/support/wire.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>

#include <array>

namespace zmtp::test {

namespace asio = boost::asio;
using asio::ip::tcp;

// Shared with the read that is pending.
struct raw_peer::state : std::enable_shared_from_this<state> {
  explicit state(asio::io_context& context) : socket{context} {}

  void read() {
    socket.async_read_some(asio::buffer(buffer), [self = shared_from_this()](
                                                     boost::system::error_code ec, std::size_t n) {
      self->received.append(self->buffer.data(), n);
      if (ec) {
        self->ended = true;
      } else {
        self->read();
      }
    });
  }

  // `to_send` holds the bytes that the kernel does not take at once.
  void send(std::string_view bytes) {
    const bool idle = to_send.empty();
    to_send += bytes;
    if (idle) {
      write();
    }
  }

  void write() {
    socket.non_blocking(true);
    boost::system::error_code ec;
    to_send.erase(0, socket.write_some(asio::buffer(to_send), ec));
    if (to_send.empty() || (ec && ec != asio::error::would_block)) {
      return;
    }
    socket.async_wait(tcp::socket::wait_write, [self = shared_from_this()](auto failed) {
      if (!failed) {
        self->write();
      }
    });
  }

  tcp::socket socket;
  std::array<char, 64 * 1024> buffer;
  std::string received;
  std::string to_send;
  bool ended = false;
};

raw_peer::raw_peer(asio::io_context& context) : state_{std::make_shared<state>(context)} {}

void raw_peer::connect(const endpoint& to) {
  state_->socket.connect({asio::ip::make_address(to.tcp()->host), to.tcp()->port});
}

void raw_peer::send(std::string_view bytes) { state_->send(bytes); }

void raw_peer::shake_hands(std::string_view type, std::string_view identity) {
  send(greeting_of(3, 1) + ready_of(type, identity));
}

void raw_peer::start_reading() { state_->read(); }

void raw_peer::close() {
  boost::system::error_code ignored;
  state_->socket.close(ignored);
}

void raw_peer::reset() {
  boost::system::error_code ignored;
  state_->socket.set_option(asio::socket_base::linger{true, 0}, ignored);
  close();
}

std::size_t raw_peer::unsent() const noexcept { return state_->to_send.size(); }

const std::string& raw_peer::received() const noexcept { return state_->received; }

std::string raw_peer::traffic() const {
  constexpr std::size_t greeting_size = 64;
  const auto& all = state_->received;
  // READY is a short command frame: flags, size, body.
  if (all.size() < greeting_size + 2) {
    return {};
  }
  const auto ready_size = std::size_t{2} + static_cast<unsigned char>(all[greeting_size + 1]);
  return all.size() < greeting_size + ready_size ? std::string{}
                                                 : all.substr(greeting_size + ready_size);
}

bool raw_peer::ended() const noexcept { return state_->ended; }

tcp::socket& raw_peer::socket() noexcept { return state_->socket; }

raw_listener::raw_listener(asio::io_context& context)
    : acceptor_{context, {asio::ip::address_v4::loopback(), 0}} {}

std::string raw_listener::endpoint() const {
  return "tcp://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
}

void raw_listener::start_accepting(raw_peer& to) {
  *accepted_ = false;
  acceptor_.async_accept(to.state_->socket,
                         [accepted = accepted_, peer = to.state_](auto ec) { *accepted = !ec; });
}

}  // namespace zmtp::test
