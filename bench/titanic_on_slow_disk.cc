// Titanic as in `zinc titanic`, on a disk whose flushes take a given time:
// bazel run -c opt //bench:titanic_on_slow_disk -- --help

#include "bench/slow_disk.h"
#include "mdp/titanic/server.h"
#include "mdp/titanic/sqlite_request_database.h"

#include <CLI/CLI.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>

namespace {

struct arguments {
  std::string broker;
  std::string store;
  unsigned flush = 5'000;  // microseconds
};

int run(const arguments& a) {
  boost::asio::io_context context{1};
  mdp::titanic::sqlite_options options;
  options.path = a.store;
  options.vfs = bench::register_slow_disk(std::chrono::microseconds{a.flush});
  auto result = 0;
  mdp::titanic::server server{
      context.get_executor(),
      a.broker,
      {},
      std::make_shared<mdp::titanic::sqlite_request_database>(context.get_executor(), options),
      [&](boost::system::error_code ec) {
        if (ec) {
          std::fprintf(stderr, "titanic_on_slow_disk: %s: %s\n", a.store.c_str(),
                       ec.message().c_str());
          result = 1;
          context.stop();
          return;
        }
        const auto now = server.status();
        std::printf("open %zu %zu\n", now.requests, now.pending);
        std::fflush(stdout);
      }};
  boost::asio::signal_set signals{context, SIGINT, SIGTERM};
  signals.async_wait([&](boost::system::error_code, int) { server.stop(); });
  context.run();
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Titanic on a slow disk. Prints `open REQUESTS PENDING`."};
  arguments a;
  app.add_option("--connect", a.broker, "endpoint of the broker")->required();
  app.add_option("--store", a.store, "file of the requests")->required();
  app.add_option("--flush", a.flush, "microseconds that a flush of the disk lasts at least")
      ->check(CLI::Range(0, 10'000'000))
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  try {
    return run(a);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "titanic_on_slow_disk: %s\n", e.what());
    return 1;
  }
}
