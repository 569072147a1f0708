// Figures of a clustered hashmap other than its rate of updates (bench/chp_load):
// - how long a large snapshot takes, and how long it blocks its server
// - how long it takes until an update is acknowledged, and how many are when thousands are in flight
// - how long nothing is acknowledged when the active server of a pair is killed
// - when a backup that was away is in sync again while updates go on
// - how many subscribers receive updates
//
// bench/chp_figures runs this program.
#include "bench/map_clients.h"
#include "bench/support/endpoint.h"
#include "bench/support/report.h"
#include "bench/support/updates.h"
#include "bench/watched_server.h"
#include "chp/client.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <CLI/CLI.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace {

namespace asio = boost::asio;
using asio::use_awaitable;
using clock_type = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::chrono::seconds timeout{120};

struct arguments {
  std::vector<std::string> servers;
  std::uint64_t count = 1'000'000;
  std::uint64_t subscribers = 1'000;
  std::size_t size = 32;
  std::uint64_t heartbeat = 100;  // milliseconds
  std::uint64_t rate = 100'000;   // updates per second
  std::int32_t backup = 0;        // process id
};

asio::awaitable<void> take_snapshot(asio::io_context& context, const arguments& how,
                                    bench::watched_server& server) {
  const std::vector servers{chp::server_address::at(server.at())};
  {
    chp::client first{context.get_executor(), servers, bench::large_map()};
    co_await first.async_wait_ready(timeout, use_awaitable);
    bench::map_filling fill{first, context.get_executor(), how.count, how.size};
    co_await fill.run();
  }
  server.watch();
  const auto begin = clock_type::now();
  chp::client client{context.get_executor(), servers, bench::large_map()};
  co_await client.async_wait_ready(timeout, use_awaitable);
  const auto took = clock_type::now() - begin;
  if (client.status().keys != how.count) {
    throw std::runtime_error{"keys are missing in the snapshot"};
  }
  std::printf("keys: %zu\n", client.status().keys);
  std::printf("snapshot: %.1f [ms]\n", bench::seconds_of(took) * 1e3);
  std::printf("longest handler: %.2f [ms]\n", server.longest_handler() * 1e3);
}

std::vector<chp::server_address> addresses(const arguments& how) {
  std::vector<chp::server_address> all;
  for (const auto& one : how.servers) {
    all.push_back(chp::server_address::at(one));
  }
  return all;
}

// One after the other, so that each one is alone on its way.
asio::awaitable<void> set_acknowledged(asio::io_context& context, const arguments& how) {
  chp::client client{context.get_executor(), addresses(how)};
  co_await client.async_wait_ready(timeout, use_awaitable);
  std::vector<double> latencies;
  for (std::uint64_t i = 0; i < how.count; ++i) {
    const auto begin = clock_type::now();
    co_await client.async_set("key " + std::to_string(i % 1'000), std::string(how.size, '.'),
                              use_awaitable);
    latencies.push_back(bench::seconds_of(clock_type::now() - begin) * 1e6);
  }
  std::printf("degraded: %d\n", client.status().degraded ? 1 : 0);
  bench::report_latencies(std::move(latencies));
}

// Completes when both servers of a pair have an update. The backup is in sync from then on.
asio::awaitable<void> wait_for_both(chp::client& client) {
  co_await client.async_wait_ready(timeout, use_awaitable);
  chp::set_options both;
  both.require = chp::required::both;
  co_await client.async_set("both", "?", both, use_awaitable);
}

asio::awaitable<void> set_pipelined(asio::io_context& context, const arguments& how) {
  chp::client client{context.get_executor(), addresses(how), bench::large_map()};
  co_await wait_for_both(client);
  const bench::stopwatch clock;
  bench::map_filling fill{client, context.get_executor(), how.count, how.size};
  co_await fill.run();
  std::printf("updates: %.0f [update/s]\n", static_cast<double>(how.count) / clock.seconds());
  std::printf("degraded: %d\n", client.status().degraded ? 1 : 0);
}

// Prints `ready` when the active server may be killed. Sets until the other server alone has
// acknowledged the given number of updates. Then prints the longest time without an acknowledgement.
asio::awaitable<void> set_through_a_failover(asio::io_context& context, const arguments& how) {
  auto options = bench::large_map();
  options.heartbeat = milliseconds{how.heartbeat};
  chp::client client{context.get_executor(), addresses(how), options};
  co_await wait_for_both(client);
  std::puts("ready");
  std::fflush(stdout);
  const auto deadline = clock_type::now() + timeout;
  auto last = clock_type::now();
  auto longest = clock_type::duration{};
  for (std::uint64_t alone = 0; alone < how.count; alone += client.status().degraded ? 1U : 0U) {
    co_await client.async_set("key", "?", use_awaitable);
    const auto now = clock_type::now();
    if (now > deadline) {
      throw std::runtime_error{"no server was killed"};
    }
    longest = std::max(longest, now - last);
    last = now;
  }
  std::printf("longest pause: %.1f [ms]\n", bench::seconds_of(longest) * 1e3);
}

// Sends updates at a steady rate, whether or not the former are acknowledged. Pauses the process of
// the backup for a second, and then waits until the backup is in sync again.
class steady_updates {
public:
  steady_updates(asio::io_context& context, const arguments& how)
      : how_{how},
        timer_{context},
        client_{context.get_executor(), addresses(how), bench::large_map()} {}

  asio::awaitable<void> run() {
    co_await wait_for_both(client_);
    begin_ = clock_type::now();
    signal(SIGSTOP);
    const auto stopped = clock_type::now();
    co_await send_until([&] {
      return client_.status().degraded && clock_type::now() - stopped >= std::chrono::seconds{1};
    });
    signal(SIGCONT);
    const auto back = clock_type::now();
    co_await send_until([&] { return !client_.status().degraded; });
    const auto end = clock_type::now();
    const auto sent = sent_;
    co_await wait_for_both(client_);
    if (acknowledged_ != sent) {
      throw std::runtime_error{"updates were not acknowledged"};
    }
    std::printf("in sync after: %.1f [ms]\n", bench::seconds_of(end - back) * 1e3);
    std::printf("updates: %.0f [update/s]\n",
                static_cast<double>(sent) / bench::seconds_of(end - begin_));
  }

private:
  void signal(int which) const {
    if (::kill(static_cast<pid_t>(how_.backup), which) != 0) {
      throw std::system_error{errno, std::generic_category(), "the backup's process"};
    }
  }

  template <class Done>
  asio::awaitable<void> send_until(Done done) {
    while (!done()) {
      const auto passed = clock_type::now() - begin_;
      if (passed > timeout) {
        throw std::runtime_error{"the pair did not lose its backup, or the backup is not back"};
      }
      const auto due =
          static_cast<std::uint64_t>(bench::seconds_of(passed) * static_cast<double>(how_.rate));
      for (; sent_ < due; ++sent_) {
        client_.async_set(
            "key " + std::to_string(sent_ % 10'000), std::string(how_.size, '.'), {},
            [this](boost::system::error_code ec, chp::truth) { acknowledged_ += ec ? 0U : 1U; });
      }
      timer_.expires_after(milliseconds{1});
      co_await timer_.async_wait(use_awaitable);
    }
  }

  const arguments& how_;
  asio::steady_timer timer_;
  chp::client client_;
  clock_type::time_point begin_;
  std::uint64_t sent_ = 0;
  std::uint64_t acknowledged_ = 0;
};

// All of them hear of all keys, each once.
class crowd {
public:
  crowd(asio::io_context& context, const arguments& how)
      : context_{context},
        how_{how},
        timer_{context},
        client_{context.get_executor(), addresses(how)} {
    const auto at = chp::server_address::at(how.servers.front());
    for (std::uint64_t i = 0; i < how.subscribers; ++i) {
      auto& sub = *all_.emplace_back(std::make_unique<zmtp::sub_socket>(context.get_executor()));
      sub.subscribe("");
      sub.connect(at.publisher);
      asio::co_spawn(context, follow(sub), zmtp::rethrow);
    }
  }

  asio::awaitable<void> run() {
    co_await client_.async_wait_ready(timeout, use_awaitable);
    // Sends probes until the last subscriber has subscribed.
    while (live_ < how_.subscribers) {
      co_await client_.async_set("probe", "?", use_awaitable);
      co_await pause(milliseconds{10});
    }
    const bench::stopwatch clock;
    bench::map_filling fill{client_, context_.get_executor(), how_.count, how_.size};
    co_await fill.run();
    const auto deadline = clock_type::now() + timeout;
    while (received_ < how_.count * how_.subscribers && clock_type::now() < deadline) {
      co_await pause(milliseconds{1});
    }
    if (received_ != how_.count * how_.subscribers || out_of_order_ != 0) {
      throw std::runtime_error{"not all subscribers have heard of all updates in their order"};
    }
    const auto took = clock.seconds();
    std::printf("subscribers: %zu\n", all_.size());
    std::printf("mean rate: %.0f [delivery/s]\n", static_cast<double>(received_) / took);
    std::printf("updates: %.0f [update/s]\n", static_cast<double>(how_.count) / took);
    for (auto& sub : all_) {
      sub->close();
    }
  }

private:
  asio::awaitable<void> pause(milliseconds time) {
    timer_.expires_after(time);
    co_await timer_.async_wait(use_awaitable);
  }

  asio::awaitable<void> follow(zmtp::sub_socket& sub) {
    zmtp::message_batch batch;
    bool live = false;
    std::uint64_t last = 0;
    for (;;) {
      boost::system::error_code ec;
      co_await sub.async_receive(batch, asio::redirect_error(use_awaitable, ec));
      if (ec) {
        co_return;
      }
      for (const auto m : batch) {
        if (m.front() == "probe") {
          live_ += live ? 0U : 1U;
          live = true;
        } else if (m.front() != "HUGZ") {
          const auto sequence = bench::update_sequence(*std::next(m.begin()));
          out_of_order_ += sequence <= last ? 1U : 0U;
          last = sequence;
          ++received_;
        }
      }
    }
  }

  asio::io_context& context_;
  const arguments& how_;
  asio::steady_timer timer_;
  chp::client client_;
  std::vector<std::unique_ptr<zmtp::sub_socket>> all_;
  std::uint64_t live_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t out_of_order_ = 0;
};

void run_snapshot(const arguments& how) {
  bench::watched_server server;
  asio::io_context context{1};
  bench::run(context, take_snapshot(context, how, server));
}

void run_sets(const arguments& how) {
  asio::io_context context{1};
  bench::run(context, set_acknowledged(context, how));
}

void run_pipeline(const arguments& how) {
  asio::io_context context{1};
  bench::run(context, set_pipelined(context, how));
}

void run_failover(const arguments& how) {
  asio::io_context context{1};
  bench::run(context, set_through_a_failover(context, how));
}

void run_catch_up(const arguments& how) {
  asio::io_context context{1};
  steady_updates all{context, how};
  bench::run(context, all.run());
}

void run_subscribers(const arguments& how) {
  bench::allow_descriptors(how.subscribers);
  asio::io_context context{1};
  crowd all{context, how};
  bench::run(context, all.run());
}

void add_common(CLI::App& app, arguments& to, bool with_servers) {
  if (with_servers) {
    app.add_option("SERVER", to.servers,
                   "HOST:PORT of its first port; the next is for when it is gone")
        ->required();
  }
  app.add_option("--count", to.count, "keys, or updates")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--size", to.size, "bytes of a value")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"figures of a clustered hashmap"};
  app.require_subcommand(1);
  arguments how;
  auto* const snapshot =
      app.add_subcommand("snapshot", "one client takes a whole map, of a server in this process");
  auto* const sets =
      app.add_subcommand("sets", "one update after the other, until each is acknowledged");
  auto* const pipeline =
      app.add_subcommand("pipeline", "thousands of updates in flight, acknowledged by a pair");
  auto* const failover =
      app.add_subcommand("failover", "updates of a pair, one of which is killed after `ready`");
  auto* const catch_up = app.add_subcommand(
      "catch_up", "updates at a steady rate, until a backup that was away is in sync again");
  auto* const subscribers = app.add_subcommand("subscribers", "many hear of all updates");
  add_common(*snapshot, how, false);
  add_common(*sets, how, true);
  add_common(*pipeline, how, true);
  add_common(*failover, how, true);
  failover->add_option("--heartbeat", how.heartbeat, "heartbeat of the client, in milliseconds")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  catch_up->add_option("SERVER", how.servers, "HOST:PORT of its first port, for both servers")
      ->required();
  catch_up->add_option("--backup", how.backup, "process id of the backup, which is paused for 1 s")
      ->required()
      ->check(CLI::PositiveNumber);
  catch_up->add_option("--rate", how.rate, "updates per second")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  add_common(*subscribers, how, true);
  subscribers->add_option("--subscribers", how.subscribers)
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    if (snapshot->parsed()) {
      run_snapshot(how);
    } else if (sets->parsed()) {
      run_sets(how);
    } else if (pipeline->parsed()) {
      run_pipeline(how);
    } else if (failover->parsed()) {
      run_failover(how);
    } else if (catch_up->parsed()) {
      run_catch_up(how);
    } else {
      run_subscribers(how);
    }
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "chp_probe: %s\n", e.what());
    return 1;
  }
}
