#pragma once
// A network in virtual time: hosts, names that one listens at and connects to, streams, faults.

#include "zmtp/simulation/run_state.h"
#include "zmtp/simulation/simulated_host.h"
#include "zmtp/simulation/virtual_connection.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp::simulation {

struct net_options {
  event_queue::duration least_delay = std::chrono::microseconds{20};
  event_queue::duration most_delay = std::chrono::milliseconds{2};
  event_queue::duration jitter{};
  std::size_t least_window = 64 * 1024;
  std::size_t most_window = 64 * 1024;
  bool cuts = false;              // see stream_options
  unsigned failing_connects = 0;  // percentage of attempts that fail
};

class simulated_network {
public:
  using stream_ptr = std::shared_ptr<virtual_connection>;
  using handler = std::function<void(stream_ptr)>;

  simulated_network(std::uint64_t seed, const net_options& options)
      : state_{seed}, options_{options} {}
  simulated_network(const simulated_network&) = delete;
  simulated_network& operator=(const simulated_network&) = delete;

  [[nodiscard]] run_state& here() noexcept { return state_; }
  [[nodiscard]] event_queue::time_point now() const noexcept { return state_.events.now(); }
  [[nodiscard]] net_options& options() noexcept { return options_; }

  [[nodiscard]] simulated_host& add_host();

  // `on_accept` gets each stream. One listener for each name.
  void listen(std::string_view name, simulated_host& at, handler on_accept);
  void unlisten(std::string_view name);
  [[nodiscard]] bool listens(std::string_view name) const { return listeners_.contains(name); }
  // `on_connected` gets the stream, or none.
  void connect(std::string_view name, simulated_host& from, handler on_connected);
  // part() blocks everything that `from` sends to `to`: no connection succeeds between them.
  // rejoin() unblocks it, and delivers everything sent meanwhile.
  void part(const simulated_host& from, const simulated_host& to);
  void rejoin(const simulated_host& from, const simulated_host& to);
  void rejoin_all();
  // Runs `act` on the host, unless it is cancelled before.
  event_queue::ticket after(simulated_host& on, event_queue::duration wait,
                            event_queue::action act);

  // Ends all that a host's programs have in the network: its kernel closes the connections. Without
  // power nothing closes them, and peers detect the loss when they write, or later.
  void end_process(const simulated_host& on, bool without_power);

  // Streams that bytes flow in.
  [[nodiscard]] std::vector<stream_ptr> living();
  // Calls `prepare` with each new stream before a program has it, after those of earlier calls.
  void on_stream(std::function<void(virtual_connection&)> prepare) {
    prepare_.push_back(std::move(prepare));
  }

private:
  struct listener {
    simulated_host* host;
    handler on_accept;
  };

  [[nodiscard]] stream_ptr open(simulated_host& connecting, simulated_host& accepting);
  [[nodiscard]] event_queue::duration some_delay();
  [[nodiscard]] bool parted(const simulated_host& one, const simulated_host& other) const {
    return std::any_of(parted_.begin(), parted_.end(), [&](const auto& two) {
      return two == std::pair{&one, &other} || two == std::pair{&other, &one};
    });
  }
  void hold_back(const simulated_host& from, const simulated_host& to, bool held);

  run_state state_;
  net_options options_;
  std::vector<std::unique_ptr<simulated_host>> hosts_;
  std::map<std::string, listener, std::less<>> listeners_;
  std::vector<std::weak_ptr<virtual_connection>> streams_;
  std::uint64_t last_stream_ = 0;
  std::vector<std::pair<const simulated_host*, const simulated_host*>>
      parted_;  // in the order of part()
  std::vector<std::function<void(virtual_connection&)>> prepare_;
};

}  // namespace zmtp::simulation
