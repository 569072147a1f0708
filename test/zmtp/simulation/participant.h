#pragma once
// One process of a scenario, with one socket.

#include "test/zmtp/simulation/parcel.h"
#include "zmtp/options.h"
#include "zmtp/simulation/process.h"
#include "zmtp/socket/socket.h"
#include "zmtp/socket_type.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp::simulation {

[[nodiscard]] constexpr bool publishes(socket_type type) noexcept {
  return type == socket_type::pub || type == socket_type::xpub;
}

[[nodiscard]] constexpr bool subscribes(socket_type type) noexcept {
  return type == socket_type::sub || type == socket_type::xsub;
}

// Sends messages that answer nothing. A ROUTER does so to peers that are not REQ.
[[nodiscard]] constexpr bool begins(socket_type type, socket_type peers) noexcept {
  return type != socket_type::pull && type != socket_type::sub && type != socket_type::rep &&
         !(type == socket_type::router && peers == socket_type::req);
}

// Topics of publications, and topics that are subscribed to.
inline constexpr std::array<std::string_view, 8> published_topics = {
    "", "a", "ab", "abc", "b", "ba", "weather", "weather today"};
inline constexpr std::array<std::string_view, 7> wanted_topics = {"",  "a",  "ab",     "abc",
                                                                  "b", "ba", "weather"};

struct participant {
  process* in = nullptr;
  std::string_view transport;
  std::uint32_t number = 0;
  socket_type type{};
  socket_type peers{};
  bool binds = false;
  std::chrono::milliseconds binds_after{};
  std::vector<participant*> connects_to;
  std::size_t connections = 0;  // once all are connected
  socket_options options;
  // The user sends in bursts, with a pause between two of them.
  std::chrono::milliseconds pace{};
  std::size_t burst = 1;
  body_sizes sizes{};
  bool eager = true;           // receives what comes at once, or else after a pause
  unsigned topic_changes = 0;  // how often, of a hundred times that it has received all
  std::size_t to_send = 0;
  std::size_t due = 0;                  // parcels that it sends without a pause
  std::deque<std::string> next_topics;  // topics of the next publications
  bool waits = false;                   // for an answer that may be lost
  std::size_t starts = 0;               // starts of the process

  // While it runs.
  zmtp::socket* socket = nullptr;
  std::function<void(bool begins, std::string_view topic)> change_topic;

  [[nodiscard]] std::string name() const { return "participant " + std::to_string(number); }
  // To bind, or to connect to.
  [[nodiscard]] std::string endpoint_at(std::string_view host) const {
    return std::string{transport} + "://" + std::string{host} + ":5555";
  }
  [[nodiscard]] std::string endpoint() const { return endpoint_at(in->host()); }
};

using participants = std::vector<std::unique_ptr<participant>>;

// The topic that a subscriber to `topic` gets: a manual XPUB grants less than its peers ask for, or
// nothing. A granted topic never equals one that another peer asks for.
[[nodiscard]] inline std::optional<std::string_view> granted(const participant& publisher,
                                                             std::string_view topic) {
  const bool manual = publisher.options.xpub.manual;
  if (manual && topic == "ba") {
    return std::nullopt;
  }
  return manual && topic == "weather" ? "weather today" : topic;
}

}  // namespace zmtp::simulation
