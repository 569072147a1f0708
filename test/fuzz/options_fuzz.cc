#include "test/fuzz/oracle.h"
#include "zmtp/conversation/conversation.h"
#include "zmtp/conversation/reconnect_backoff.h"
#include "zmtp/mechanism/null.h"
#include "zmtp/options.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>
#include <string>

namespace zmtp::fuzz {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Bytes of the input, as numbers: all of a type's values, those of both ends often.
class source {
public:
  explicit source(std::string_view bytes) noexcept : rest_{bytes} {}

  [[nodiscard]] bool empty() const noexcept { return rest_.empty(); }
  [[nodiscard]] std::uint8_t byte() noexcept {
    if (rest_.empty()) {
      return 0;
    }
    const auto first = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return first;
  }
  template <class Number>
  [[nodiscard]] Number number() noexcept {
    switch (byte() % 4) {
      case 0: return std::numeric_limits<Number>::max();
      case 1: return std::numeric_limits<Number>::min();
      case 2: return static_cast<Number>(byte());
      default: break;
    }
    std::array<char, sizeof(Number)> bytes{};
    const auto count = std::min(bytes.size(), rest_.size());
    std::memcpy(bytes.data(), rest_.data(), count);
    rest_.remove_prefix(count);
    Number all;
    std::memcpy(&all, bytes.data(), sizeof all);
    return all;
  }
  [[nodiscard]] std::string text() {
    const auto wanted = byte() * std::size_t{2};
    const auto size = std::min(wanted, rest_.size());
    std::string all{rest_.substr(0, size)};
    rest_.remove_prefix(size);
    return all;
  }

private:
  std::string_view rest_;
};

void change(socket_options& o, source& from) {
  const auto size = [&] { return from.number<std::size_t>(); };
  const auto time = [&] { return milliseconds{from.number<milliseconds::rep>()}; };
  switch (from.byte() % 37) {
    case 0: o.routing_id = from.text(); return;
    case 1: o.send_mark.messages = size(); return;
    case 2: o.send_mark.bytes = size(); return;
    case 3: o.receive_mark.messages.reset(); return;
    case 4: o.receive_mark.bytes = size(); return;
    case 5: o.linger = time(); return;
    case 6: o.reconnect.initial = time(); return;
    case 7: o.reconnect.maximum = time(); return;
    case 8: o.reconnect.refused_maximum = time(); return;
    case 9: o.reconnect.stable = time(); return;
    case 10: o.reconnect.stop_after = size(); return;
    case 11: o.heartbeat.interval = time(); return;
    case 12: o.heartbeat.timeout = time(); return;
    case 13: o.heartbeat.ttl = heartbeat_options::deciseconds{from.number<std::int32_t>()}; return;
    case 14: o.limit.handshake_command_size = size(); return;
    case 15: o.limit.handshake_time = time(); return;
    case 16: o.limit.command_size = size(); return;
    case 17: o.limit.frame_size = size(); return;
    case 18: o.limit.message_size = size(); return;
    case 19: o.limit.message_parts = size(); return;
    case 20: o.limit.metadata_properties = size(); return;
    case 21: o.limit.topic_size = size(); return;
    case 22: o.limit.ping_context_size = size(); return;
    case 23: o.limit.handshake_silence = time(); return;
    case 24:
      o.transport.keepalive = keepalive_options{.idle = seconds{from.number<seconds::rep>()},
                                                .interval = seconds{from.number<seconds::rep>()},
                                                .count = from.number<int>()};
      return;
    case 25: o.transport.send_buffer = from.number<int>(); return;
    case 26: o.transport.user_timeout = time(); return;
    case 27: o.transport.file_mode = from.number<unsigned>(); return;
    case 28: o.backlog = from.number<int>(); return;
    case 29: o.pending_handshakes = size(); return;
    case 30: o.extensions.push_back(from.text()); return;
    case 31: o.spin = std::chrono::microseconds{from.number<std::int64_t>()}; return;
    case 32: o.limit.message_commands = size(); return;
    case 33: o.transport.websocket_origins.push_back(from.text()); return;
    case 34: o.transport.tls.private_key = from.text(); return;
    case 35: o.transport.tls.server_name = from.text(); return;
    default: o.correlate = o.relaxed = from.byte() % 2 != 0; return;
  }
}

// Checks that the library can work with options that it accepts: the deadlines of a conversation
// and of reconnecting are times that the clock has, and the amount to read is finite.
void work_with(const socket_options& o) {
  const conversation::time_point now{std::chrono::hours{24 * 365 * 10}};
  metadata own;
  own.add("Socket-Type", "REQ");
  own.add("Identity", o.routing_id);
  conversation c{socket_type::req, std::make_unique<null_mechanism>(std::move(own), o.limit),
                 o.limit, o.heartbeat, now};
  const auto due = c.next_deadline();
  require(due && *due > now && *due <= now + o.limit.handshake_time,
          "a handshake has a deadline, and it is to come");
  require(c.prepare().size() <= o.limit.handshake_command_size,
          "who is not admitted yet fills no more than a command");
  reconnect_backoff backoff{o.reconnect};
  for (std::uint32_t attempt = 0; attempt < 20; ++attempt) {
    const auto wait = backoff.on_end(errc::connection_lost, {}, attempt * 0x0fff'ffffU);
    if (!wait) {
      require(o.reconnect.stop_after && attempt + 1 >= *o.reconnect.stop_after,
              "attempts end when they are to, and not before");
      break;
    }
    require(wait->count() >= 0 && *wait <= o.reconnect.maximum, "a wait is within its bounds");
  }
}

void try_options(std::string_view bytes) {
  source from{bytes};
  socket_options options;
  while (!from.empty()) {
    change(options, from);
  }
  for (const auto type : {socket_type::req, socket_type::router, socket_type::sub}) {
    const auto fault = find_fault(options, type);
    require(fault || !find_fault(options), "what suits a type suits sockets");
    require(find_change_fault(options, options, type, true).has_value() == fault.has_value(),
            "what does not change is judged as it was");
  }
  if (!find_fault(options)) {
    work_with(options);
  }
}

}  // namespace
}  // namespace zmtp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  zmtp::fuzz::try_options(zmtp::fuzz::text_of(data, size));
  return 0;
}
