// The costs of a clustered hashmap that is stored in a file:
// - how long a server takes to start with a large map
// - how many updates are committed a second, and how long one update takes
// - how long other work waits while the server writes the whole map again, after the disk was full
//
// bench/chp_figures runs this program.
#include "bench/map_clients.h"
#include "bench/watched_server.h"
#include "chp/client.h"
#include "chp/log_file.h"
#include "chp/replica.h"

#include <CLI/CLI.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace asio = boost::asio;
using asio::use_awaitable;
using clock_type = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::chrono::seconds timeout{120};
constexpr std::uint64_t written_at_once = 50'000;

struct arguments {
  std::string file;
  std::uint64_t keys = 1'000'000;
  std::uint64_t updates = 200'000;
  std::uint64_t sets = 500;
  std::size_t size = 32;
};

std::string key_of(std::uint64_t number) { return "key " + std::to_string(number); }

// A file with all keys, as a server has left it.
void make_file(const arguments& how) {
  const chp::replica_options options{.has_store = true};
  chp::replica made{options, 1};
  chp::log_file file{{.path = how.file}};
  chp::state_numbers numbers;
  const chp::history::time_point now{};
  if (const auto ec = file.open(*made.make_history(), now, numbers)) {
    throw boost::system::system_error{ec, how.file};
  }
  if (numbers.end != 0) {
    throw std::runtime_error{how.file + " is not empty"};
  }
  const auto session = chp::update_id::make_session(1);
  const std::string value(how.size, '.');
  std::vector<chp::state_write> writes;
  std::vector<boost::system::error_code> results;
  made.begin_reign(1, 1);
  for (std::uint64_t n = 0; n < how.keys;) {
    for (const auto end = std::min(n + written_at_once, how.keys); n < end; ++n) {
      const auto key = key_of(n);
      made.append({.number = made.end() + 1,
                   .id = chp::update_id::of_session(session, n + 1),
                   .low = n + 1,
                   .key = key,
                   .value = value});
    }
    made.raise_commit(made.end());
    made.publish(made.end(), now, [](const chp::log_entry&, bool) {});
    made.trim(made.end(), chp::trimmed_to::half);
    writes.clear();
    made.take_writes(now, writes);
    file.write(writes, results);
    for (const auto& result : results) {
      if (result) {
        throw boost::system::system_error{result, how.file};
      }
      made.on_written({}, now);
    }
    file.tidy();
  }
}

class measurement {
public:
  measurement(asio::io_context& context, const arguments& how, bench::watched_server& server)
      : context_{context},
        how_{how},
        server_{server},
        timer_{context},
        client_{
            context.get_executor(), {chp::server_address::at(server.at())}, bench::large_map()} {}

  asio::awaitable<void> run() {
    co_await client_.async_wait_ready(timeout, use_awaitable);
    if (client_.status().keys != how_.keys) {
      throw std::runtime_error{"keys are missing"};
    }
    co_await set_one_by_one();
    co_await set_many();
    co_await rewrite();
  }

private:
  asio::awaitable<void> pause(milliseconds time) {
    timer_.expires_after(time);
    co_await timer_.async_wait(use_awaitable);
  }
  std::string any_key() { return key_of(random_() % how_.keys); }
  void report(const char* what) const {
    std::printf("%s handler: %.2f [ms]\n", what, server_.longest_handler() * 1e3);
    std::printf("%s wait: %.2f [ms]\n", what, server_.longest_wait() * 1e3);
  }

  asio::awaitable<void> set_one_by_one() {
    std::vector<double> latencies;
    const std::string value(how_.size, '1');
    for (std::uint64_t i = 0; i < how_.sets; ++i) {
      const auto key = any_key();
      const auto begin = clock_type::now();
      co_await client_.async_set(key, value, use_awaitable);
      latencies.push_back(bench::seconds_of(clock_type::now() - begin) * 1e6);
    }
    bench::report_latencies(std::move(latencies));
  }

  asio::awaitable<void> set_many() {
    server_.watch();
    const auto begin = clock_type::now();
    bench::map_filling fill{client_, context_.get_executor(), how_.updates, how_.size,
                            [this](std::uint64_t) { return any_key(); }};
    co_await fill.run();
    const auto took = bench::seconds_of(clock_type::now() - begin);
    std::printf("updates: %.0f [update/s]\n", static_cast<double>(how_.updates) / took);
    report("updating");
  }

  // While a thousand updates come each second.
  asio::awaitable<void> rewrite() {
    server_.watch();
    server_.refuse_next_write();
    const auto begin = clock_type::now();
    const std::string value(how_.size, '2');
    std::uint64_t waiting = 0;
    bool was_full = false;
    bool is_over = false;
    for (clock_type::duration took{}; !is_over || waiting != 0;) {
      if (!is_over) {
        ++waiting;
        client_.async_set(any_key(), value, [&waiting](boost::system::error_code ec, chp::truth) {
          if (ec) {
            throw boost::system::system_error{ec};
          }
          --waiting;
        });
        const auto stored = server_.stored();
        was_full = was_full || stored == chp::store_status::full;
        is_over = was_full && stored == chp::store_status::all;
        took = clock_type::now() - begin;
        if (is_over) {
          std::printf("rewriting: %.1f [ms]\n", bench::seconds_of(took) * 1e3);
        }
      }
      co_await pause(milliseconds{1});
      if (clock_type::now() - begin > timeout) {
        throw std::runtime_error{"the map was not written again, or not committed, in time"};
      }
    }
    report("rewriting");
  }

  asio::io_context& context_;
  const arguments& how_;
  bench::watched_server& server_;
  asio::steady_timer timer_;
  chp::client client_;
  std::minstd_rand random_{1};
};

void run(const arguments& how) {
  make_file(how);
  bench::watched_server server{how.file};
  std::printf("keys: %ju\n", static_cast<std::uintmax_t>(how.keys));
  std::printf("start: %.1f [ms]\n", bench::seconds_of(server.start()) * 1e3);
  asio::io_context context{1};
  measurement all{context, how, server};
  bench::run(context, all.run());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"figures of a clustered hashmap with a store, of a server in this process"};
  arguments how;
  app.add_option("--file", how.file, "file for the map, which the program creates")->required();
  app.add_option("--keys", how.keys, "keys in the map")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--updates", how.updates, "updates of random keys, many in flight")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--sets", how.sets, "updates, one after another")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--size", how.size, "bytes of a value")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    run(how);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "chp_store_probe: %s\n", e.what());
    return 1;
  }
}
