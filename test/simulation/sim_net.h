#pragma once
// A network in virtual time: hosts, names that one listens at and connects to, streams, faults.

#include "test/simulation/sim_host.h"
#include "test/simulation/virtual_stream.h"
#include "test/simulation/world.h"

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

class sim_net {
public:
  using stream_ptr = std::shared_ptr<virtual_stream>;
  using handler = std::function<void(stream_ptr)>;

  sim_net(std::uint64_t seed, const net_options& options) : world_{seed}, options_{options} {}
  sim_net(const sim_net&) = delete;
  sim_net& operator=(const sim_net&) = delete;

  [[nodiscard]] world& here() noexcept { return world_; }
  [[nodiscard]] event_queue::time_point now() const noexcept { return world_.events.now(); }
  [[nodiscard]] net_options& options() noexcept { return options_; }
  void observe(stream_observer* observer) noexcept { observer_ = observer; }

  [[nodiscard]] sim_host& add_host();

  // `on_accept` gets each stream. One listener for each name.
  void listen(std::string_view name, sim_host& at, handler on_accept);
  void unlisten(std::string_view name);
  // `on_connected` gets the stream, or none.
  void connect(std::string_view name, sim_host& from, handler on_connected);
  // part() blocks everything that `from` sends to `to`: no connection succeeds between them.
  // rejoin() unblocks it, and delivers everything sent meanwhile.
  void part(const sim_host& from, const sim_host& to);
  void rejoin(const sim_host& from, const sim_host& to);
  void rejoin_all();
  // Runs `act` on the host, unless it is cancelled before.
  event_queue::ticket after(sim_host& on, event_queue::duration wait, event_queue::action act);

  // Streams that bytes flow in.
  [[nodiscard]] std::vector<stream_ptr> living();
  // Calls `prepare` with each new stream before a program has it.
  void on_stream(std::function<void(virtual_stream&)> prepare) { prepare_ = std::move(prepare); }

private:
  struct listener {
    sim_host* host;
    handler on_accept;
  };

  [[nodiscard]] stream_ptr open(sim_host& connecting, sim_host& accepting);
  [[nodiscard]] event_queue::duration some_delay();
  [[nodiscard]] bool parted(const sim_host& one, const sim_host& other) const {
    return std::any_of(parted_.begin(), parted_.end(), [&](const auto& two) {
      return two == std::pair{&one, &other} || two == std::pair{&other, &one};
    });
  }
  void hold_back(const sim_host& from, const sim_host& to, bool held);

  world world_;
  net_options options_;
  stream_observer* observer_ = nullptr;
  std::vector<std::unique_ptr<sim_host>> hosts_;
  std::map<std::string, listener, std::less<>> listeners_;
  std::vector<std::weak_ptr<virtual_stream>> streams_;
  std::uint64_t last_stream_ = 0;
  std::vector<std::pair<const sim_host*, const sim_host*>> parted_;  // in order of their parting
  std::function<void(virtual_stream&)> prepare_;
};

}  // namespace zmtp::simulation
