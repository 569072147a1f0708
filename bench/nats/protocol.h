#pragma once
// The client's side of the NATS protocol, after its public documentation (docs.nats.io, "Client Protocol"). A line has
// a command and its fields, and ends with CR LF. MSG and PUB also have a payload, and CR LF after it. Pure.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace bench::nats {

// The first line of a client.
inline constexpr std::string_view connect_line =
    "CONNECT {\"verbose\":false,\"pedantic\":false,\"tls_required\":false,\"name\":\"zinc-bench\","
    "\"lang\":\"c++\",\"version\":\"1\",\"protocol\":1}\r\n";
inline constexpr std::string_view ping_line = "PING\r\n";
inline constexpr std::string_view pong_line = "PONG\r\n";

void append_subscribe(std::string& out, std::string_view subject);
// Without an answer wanted, `reply_to` is empty.
void append_publish(std::string& out, std::string_view subject, std::string_view reply_to,
                    std::string_view payload);

struct message {
  std::string_view subject{};
  std::string_view reply_to{};
  std::string_view payload{};
};
struct ping {};
struct pong {};
struct info {};  // the JSON of the server is not read
struct fault {   // reported by the server, or in what it sent
  std::string_view text{};
};
using event = std::variant<message, ping, pong, info, fault>;

// Takes bytes as they come, with any number of them at once.
class parser {
public:
  // Where the next bytes go. Ends the life of all events so far.
  std::span<char> room();
  // The first `count` bytes of the room are filled.
  void received(std::size_t count) { end_ += count; }
  // Returns nothing until the rest has come. After a fault in what the server sent, no call makes sense.
  std::optional<event> next();

private:
  std::optional<event> parse_message(std::string_view fields, std::size_t line_end);

  std::vector<char> buffer_ = std::vector<char>(256 * 1024);
  std::size_t begin_ = 0;   // the line that is read next begins here
  std::size_t end_ = 0;     // the received bytes end here
  std::size_t needed_ = 0;  // bytes from the begin until more can be read
};

}  // namespace bench::nats
