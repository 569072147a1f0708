#pragma once
// A program on a host of a simulation. It has an execution context of its own, with simulated time,
// timers, random numbers, network, inproc names and memory budget, and starts again after it was
// killed.

#include "zmtp/simulation/clock_rate.h"
#include "zmtp/simulation/simulated_network.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace zmtp::transport {
class stream;
}

namespace zmtp::simulation {

class process_network;

enum class death : std::uint8_t {
  process,  // the kernel closes the connections
  power,    // nothing is said: peers learn it when they write, or later
};

class process {
public:
  // Makes the objects of the program, which live until the process is killed. Runs as a handler of
  // the executor.
  using program = std::function<std::shared_ptr<void>(boost::asio::any_io_executor)>;
  // Returns what a socket reads and writes instead of `whole`, the stream of ZMTP's bytes on this
  // connection, above WebSocket and TLS.
  using wrapper = std::function<std::unique_ptr<transport::stream>(
      std::unique_ptr<transport::stream> whole, std::uint64_t connection)>;

  process(simulated_network& net, std::string host);
  process(const process&) = delete;
  process& operator=(const process&) = delete;
  ~process() { kill(death::process); }

  // The name by which other processes connect to it.
  [[nodiscard]] const std::string& host() const noexcept { return host_name_; }
  [[nodiscard]] bool running() const noexcept { return context_ != nullptr; }

  // Sets the memory budget from the next start on, in bytes: of messages in queues, and of partial
  // messages. See zmtp::memory_budget, which is the budget of the real process. The initial budget
  // does not depend on the machine.
  void limit_memory(std::size_t queued, std::size_t partial_messages) noexcept {
    queued_ = queued;
    partial_messages_ = partial_messages;
  }
  // Sets the rate of the host's clock from the next start on: of time, timers and the time of day.
  // The network and world::after() use the simulation's time.
  void set_clock(clock_rate rate) noexcept { clock_ = rate; }
  [[nodiscard]] clock_rate clock() const noexcept { return clock_; }
  // Wraps the streams of sockets from the next start on.
  void wrap_streams(wrapper by) { wrapper_ = std::move(by); }
  // The process must not be running.
  void start(program what);
  // The same for a program that is a coroutine, with all that `main` captures. An exception leaves
  // world::step().
  void run(std::function<boost::asio::awaitable<void>()> main);
  // The executor of the process, which must be running.
  [[nodiscard]] boost::asio::any_io_executor executor() { return context_->get_executor(); }
  // While a process is paused, none of its handlers runs. Its kernel still takes and sends bytes.
  void pause() noexcept { paused_ = true; }
  void resume() noexcept { paused_ = false; }
  // Ends the connections, then destroys the program and its context. Must not be called by a
  // handler of the process.
  void kill(death how);

  // Runs one handler. Returns false if there is none, or if the process is paused.
  bool run_one();
  // The host in the network, to part it from others.
  [[nodiscard]] simulated_host& machine() noexcept { return machine_; }

private:
  static constexpr std::size_t gibi = std::size_t{1} << 30;
  using work = boost::asio::executor_work_guard<boost::asio::io_context::executor_type>;

  simulated_network& net_;
  simulated_host& machine_;
  std::string host_name_;
  bool paused_ = false;
  clock_rate clock_;
  wrapper wrapper_;
  std::size_t queued_ = 3 * gibi;
  std::size_t partial_messages_ = gibi;
  process_network* network_ = nullptr;  // the context owns it
  std::unique_ptr<boost::asio::io_context> context_;
  std::unique_ptr<work> work_;  // so that the context does not stop when nothing is pending
  std::shared_ptr<void> program_;
};

}  // namespace zmtp::simulation
