#pragma once
// A peer without a library: a TCP connection whose bytes the test writes and reads itself.

#include "zmtp/endpoint.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace zmtp::test {

// Reads nothing until start_reading() is called. Bytes that it sends are in the kernel at once, as
// far as the kernel takes them. The rest follows while the context runs.
class raw_peer {
public:
  explicit raw_peer(boost::asio::io_context& context);
  raw_peer(const raw_peer&) = delete;
  raw_peer& operator=(const raw_peer&) = delete;
  ~raw_peer() { close(); }

  // To a numeric tcp:// address.
  void connect(const endpoint& to);
  void send(std::string_view bytes);
  // Greeting and READY at once; the other side's are not waited for.
  void shake_hands(std::string_view type, std::string_view identity = {});
  // Reads on, in the context, until the end of the stream.
  void start_reading();
  void close();
  // Closes so that the other side sees a reset.
  void reset();

  // Bytes that the kernel has not taken yet.
  [[nodiscard]] std::size_t unsent() const noexcept;
  [[nodiscard]] const std::string& received() const noexcept;
  // Returns the bytes after greeting and READY.
  [[nodiscard]] std::string traffic() const;
  // The other side has closed, well or not.
  [[nodiscard]] bool ended() const noexcept;
  // To be set up by the test: buffers and such.
  [[nodiscard]] boost::asio::ip::tcp::socket& socket() noexcept;

private:
  friend class raw_listener;
  struct state;

  std::shared_ptr<state> state_;
};

// Listens at a port of the system's choice.
class raw_listener {
public:
  explicit raw_listener(boost::asio::io_context& context);

  [[nodiscard]] std::string endpoint() const;
  // Takes the next connection as soon as it has come.
  void start_accepting(raw_peer& to);
  [[nodiscard]] bool accepted() const noexcept { return *accepted_; }
  void close() { acceptor_.close(); }

private:
  boost::asio::ip::tcp::acceptor acceptor_;
  std::shared_ptr<bool> accepted_ = std::make_shared<bool>(false);
};

}  // namespace zmtp::test
