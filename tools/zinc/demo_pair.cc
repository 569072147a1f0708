// A pair of servers of the clustered hashmap in their own processes, and clients that set keys. The
// demonstration kills the active server. No committed update may be missing, and all copies must be equal.

#include "tools/zinc/demo_pair.h"

#include "chp/client.h"
#include "tools/zinc/launcher.h"
#include "tools/zinc/reserved_ports.h"
#include "tools/zinc/stop_signals.h"
#include "tools/zinc/units.h"
#include "zmtp/runtime/completion.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zinc {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr int client_count = 4;
constexpr auto heartbeat = 100ms;
constexpr unsigned ports_of_a_server = 4;  // the last port is that of the state
constexpr int keys_of_a_client = 100;

struct map_client {
  map_client(const asio::any_io_executor& executor, const std::vector<chp::server_address>& servers)
      : map{executor, servers, {.heartbeat = heartbeat}} {}

  chp::client map;
  std::map<std::string, std::string> committed;  // updates of this client
  std::uint64_t asked = 0;
  std::uint64_t done = 0;
  std::uint64_t failed = 0;
  bool ended = false;
};

class pair_demo {
public:
  explicit pair_demo(std::chrono::milliseconds duration) : duration_{duration} {}

  [[nodiscard]] bool run() {
    for (const auto* const role : {"primary", "backup"}) {
      start_server(role);
    }
    asio::co_spawn(context_, show(), zmtp::rethrow);
    // A demonstration that a signal stops has failed. Its servers end with it.
    const stop_signals signals{context_.get_executor(), [this] { context_.stop(); }};
    context_.run();
    return verdict();
  }

private:
  [[nodiscard]] std::vector<reserved_ports> make_ports() {
    std::vector<reserved_ports> both;
    both.emplace_back(context_, ports_of_a_server);
    both.emplace_back(context_, ports_of_a_server);
    return both;
  }

  [[nodiscard]] std::string at(std::size_t server, unsigned further) const {
    return "tcp://127.0.0.1:" + std::to_string(ports_[server].first() + further);
  }

  void start_server(const std::string& role) {
    const auto own = servers_.size();
    const auto other = 1 - own;
    const auto& process = servers_.emplace_back(std::vector<std::string>{
        own_program, "chp", "server", "--" + role, "--bind", at(own, 0), "--peer", at(other, 0),
        "--bstar-bind", at(own, 3), "--bstar-connect", at(other, 3), "--heartbeat",
        text_of(heartbeat)});
    fmt::print("{} of the map at {}, process {}\n", role, at(own, 0), process.id());
    addresses_.push_back(chp::server_address::at(at(own, 0)));
  }

  asio::awaitable<void> wait_until(clock::time_point when) {
    asio::steady_timer timer{context_, when};
    co_await timer.async_wait(asio::use_awaitable);
  }
  template <class Condition>
  asio::awaitable<bool> wait_for(Condition condition) {
    for (const auto deadline = clock::now() + 15s; !condition();) {
      if (clock::now() > deadline) {
        co_return false;
      }
      co_await wait_until(clock::now() + 10ms);
    }
    co_return true;
  }

  asio::awaitable<void> show() {
    for (int i = 0; i < client_count; ++i) {
      clients_.push_back(std::make_unique<map_client>(context_.get_executor(), addresses_));
      asio::co_spawn(context_, set(*clients_.back(), i), zmtp::rethrow);
    }
    // Both servers run, so both have every committed update.
    const auto ready = co_await wait_for([this] {
      return std::all_of(clients_.begin(), clients_.end(), [](const auto& c) {
        const auto s = c->map.status();
        return s.following && s.acknowledges && !s.degraded && c->done != 0;
      });
    });
    if (ready) {
      co_await watch();
    }
    closing_ = true;
    ended_ = co_await wait_for([this] {
      return std::all_of(clients_.begin(), clients_.end(), [](const auto& c) { return c->ended; });
    });
    same_ = ended_ && co_await wait_for([this] { return converged(); });
    context_.stop();
  }

  // Sets keys one after the other, so that the last value of each key is known.
  asio::awaitable<void> set(map_client& of, int number) {
    const auto token = asio::as_tuple(asio::use_awaitable);
    while (!closing_) {
      auto key = fmt::format("/client/{}/{}", number, of.asked % keys_of_a_client);
      auto value = std::to_string(++of.asked);
      const auto begin = clock::now();
      const auto [ec, says] = co_await of.map.async_set(key, value, {.until = 15s}, token);
      slowest_ = std::max(slowest_, clock::now() - begin);
      if (ec) {
        ++of.failed;
      } else {
        ++of.done;
        of.committed[std::move(key)] = std::move(value);
      }
    }
    of.ended = true;
  }

  asio::awaitable<void> watch() {
    fmt::print("\n{:>6}  {:>12}  {:>10}  {:>11}  {}\n", "time", "committed", "per second",
               "slowest ms", "stored by");
    const auto start = clock::now();
    const auto end = start + duration_;
    const auto kill_at = start + (end - start) / 2;
    auto last = done();
    for (auto next = start; next < end;) {
      next = std::min(next + row_interval, end);
      if (!killed_ && next >= kill_at) {
        co_await wait_until(kill_at);
        const auto active = clients_.front()->map.status().server;
        fmt::print("        killing the active server, process {}\n", servers_[active].id());
        servers_[active].signal(SIGKILL);
        killed_ = true;
      }
      co_await wait_until(next);
      const auto status = clients_.front()->map.status();
      fmt::print(
          "{:>5.1f}s  {:>12}  {:>10.0f}  {:>11}  {}\n",
          std::chrono::duration<double>(clock::now() - start).count(), done(),
          static_cast<double>(done() - last) / std::chrono::duration<double>(row_interval).count(),
          std::chrono::duration_cast<std::chrono::milliseconds>(
              std::exchange(slowest_, clock::duration{}))
              .count(),
          status.following ? status.degraded ? "one" : "both" : "looking");
      std::fflush(stdout);
      last = done();
    }
  }

  [[nodiscard]] std::uint64_t done() const {
    std::uint64_t all = 0;
    for (const auto& c : clients_) {
      all += c->done;
    }
    return all;
  }

  // Returns whether all copies have exactly the committed updates.
  [[nodiscard]] bool converged() const {
    std::map<std::string, std::string> expected;
    for (const auto& c : clients_) {
      expected.insert(c->committed.begin(), c->committed.end());
    }
    return std::all_of(clients_.begin(), clients_.end(), [&expected](const auto& c) {
      std::map<std::string, std::string> copy;
      c->map.for_each(
          "", [&copy](std::string_view key, std::string_view value) { copy.emplace(key, value); });
      return copy == expected;
    });
  }

  [[nodiscard]] bool verdict() const {
    std::uint64_t asked = 0;
    for (const auto& c : clients_) {
      asked += c->asked;
    }
    const auto held = killed_ && same_ && asked != 0 && asked == done();
    fmt::print("\n{}: {} updates, {} committed; {} copies of the map {}\n",
               held ? "passed" : "FAILED", asked, done(), clients_.size(),
               same_ ? "have every committed update" : "do NOT have every committed update");
    return held;
  }

  std::chrono::milliseconds duration_;
  asio::io_context context_{1};
  std::vector<reserved_ports> ports_{make_ports()};
  std::vector<child_process> servers_;
  std::vector<chp::server_address> addresses_;
  std::vector<std::unique_ptr<map_client>> clients_;
  clock::duration slowest_{};
  bool closing_ = false;
  bool killed_ = false;
  bool ended_ = false;
  bool same_ = false;
};

}  // namespace

bool run_pair_demo(std::chrono::milliseconds duration) { return pair_demo{duration}.run(); }

}  // namespace zinc
