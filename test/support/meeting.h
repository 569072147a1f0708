#pragma once
// Where two sockets of a test meet: over which transport, and who binds. Parameters of the tests that
// are the same on each.

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace zmtp::test {

enum class medium { tcp, tcp_ipv6, ipc, ipc_abstract, inproc };

std::ostream& operator<<(std::ostream& to, medium m);

// Those that this machine has; those of them that carry octets, from one process to another.
[[nodiscard]] std::vector<medium> media();
[[nodiscard]] std::vector<medium> octet_media();

// An endpoint to bind, where nobody is: the system's choice, or ours.
[[nodiscard]] std::string free_endpoint(medium over);

// An endpoint that is known before anybody binds to it, and at which nobody else listens meanwhile.
class reserved_endpoint {
public:
  reserved_endpoint(boost::asio::io_context& context, medium over);

  [[nodiscard]] const std::string& to_string() const noexcept { return text_; }

private:
  // Its port is taken, but open to who sets SO_REUSEADDR, as our sockets do.
  std::optional<boost::asio::ip::tcp::socket> holder_;
  std::string text_;
};

// Which of the two sides binds.
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
