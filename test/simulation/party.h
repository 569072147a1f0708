#pragma once
// A simulated socket and its user, which sends as it is told and receives at its own pace. One
// class per pattern derives from it.

#include "test/simulation/ledger.h"
#include "test/zmtp/simulation/parcel.h"
#include "test/simulation/sim_socket.h"
#include "zmtp/message.h"
#include "zmtp/routing/socket_state.h"
#include "zmtp/simulation/simulated_network.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace zmtp::simulation {

[[nodiscard]] constexpr bool publishes(socket_type type) noexcept {
  return type == socket_type::pub || type == socket_type::xpub;
}

// Sends each message to all peers that want it.
[[nodiscard]] constexpr bool sends_to_many(socket_type type) noexcept {
  return publishes(type) || type == socket_type::xsub;
}

[[nodiscard]] constexpr bool subscribes(socket_type type) noexcept {
  return type == socket_type::sub || type == socket_type::xsub;
}

struct habits {
  std::size_t messages = 20;    // to send, in bursts
  std::size_t burst = 5;        // at most
  bool eager = true;            // receives in the turn that it came in; else when it wakes
  std::size_t appetite = 1000;  // messages received at once
  event_queue::duration pace = std::chrono::milliseconds{50};  // between bursts, and between meals
  body_sizes sizes{};
};

class party {
public:
  party(simulated_network& net, ledger& books, std::uint32_t number,
        std::unique_ptr<socket_state> state, const habits& how);
  party(const party&) = delete;
  party& operator=(const party&) = delete;
  virtual ~party() = default;

  [[nodiscard]] sim_socket& socket() noexcept { return socket_; }
  [[nodiscard]] std::uint32_t number() const noexcept { return socket_.number(); }
  // Returns the endpoint to which it is bound, if it binds, and its routing id.
  [[nodiscard]] std::string name() const { return "party " + std::to_string(number()); }

  // Begins to send.
  void start() { wake_later(); }
  // Sends one more as soon as it can, if it is of those that begin.
  void send_another();
  // The last parcel that was queued.
  [[nodiscard]] const parcel& last() const noexcept { return last_; }
  // Why it cannot go on although nothing happens; empty if it can.
  [[nodiscard]] virtual std::string_view stuck() const { return {}; }

protected:
  // Receives one; false if there is none.
  [[nodiscard]] virtual bool receive() = 0;
  // Returns whether it has a message to send now.
  [[nodiscard]] virtual bool speaks() const { return due_ != 0; }
  // Sends the message. Returns false if it must wait.
  [[nodiscard]] virtual bool speak() { return false; }

  // Puts a parcel into a message and offers it to the socket until it is taken.
  [[nodiscard]] bool offer(std::span<const std::string_view> envelope,
                           std::uint32_t destination = 0, std::uint32_t answers = 0);
  void said() noexcept { due_ -= due_ != 0 ? 1U : 0U; }
  [[nodiscard]] random_source& random() const noexcept { return net_->here().random; }
  [[nodiscard]] ledger& books() const noexcept { return *books_; }
  [[nodiscard]] const habits& how() const noexcept { return habits_; }

private:
  [[nodiscard]] bool serve();
  [[nodiscard]] bool eat();
  [[nodiscard]] bool talk();
  void wake();
  void wake_later();

  simulated_network* net_;
  ledger* books_;
  habits habits_;
  sim_socket socket_;
  std::size_t due_ = 0;
  bool wakes_ = false;
  std::optional<std::pair<parcel, message>> pending_;
  parcel last_;
};

}  // namespace zmtp::simulation
