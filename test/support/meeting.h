#pragma once
// The transport over which two sockets of a test connect, and the side that binds. Parameters of
// tests that are the same on each transport.

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace zmtp::test {

enum class medium { tcp, tcp_ipv6, ipc, ipc_abstract, inproc, ws, tls, wss };

std::ostream& operator<<(std::ostream& to, medium m);

// The transports of this machine that need no options, and those of them whose bytes are ZMTP and
// which libzmq has too.
[[nodiscard]] std::vector<medium> media();
[[nodiscard]] std::vector<medium> byte_media();
// Returns the transports of sockets that have with_tls() (test/support/certificates.h).
[[nodiscard]] std::vector<medium> secure_media();

// Returns a free endpoint to bind: chosen by the system, or by the test.
[[nodiscard]] std::string free_endpoint(medium over);

// An endpoint that is known before a socket binds to it. No other socket listens at it meanwhile.
class reserved_endpoint {
public:
  reserved_endpoint(boost::asio::io_context& context, medium over);

  [[nodiscard]] const std::string& to_string() const noexcept { return text_; }

private:
  // The port is taken, but sockets that set SO_REUSEADDR can bind to it, as Zinc's sockets do.
  std::optional<boost::asio::ip::tcp::socket> holder_;
  std::string text_;
};

// The side that binds.
enum class side { sender, receiver };

std::ostream& operator<<(std::ostream& to, side s);

struct meeting {
  medium over = medium::tcp;
  side binds = side::sender;
};

std::ostream& operator<<(std::ostream& to, const meeting& m);

// Each medium of this machine with either side binding.
[[nodiscard]] std::vector<meeting> meetings();

}  // namespace zmtp::test
