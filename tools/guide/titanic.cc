// titanic: keeps requests on the disk until they are carried out, and their replies until they are closed.

#include "mdp/titanic/service.h"
#include "mdp/titanic/sqlite_store.h"
#include "mdp/titanic/titanic_report.h"
#include "tools/guide/clock_log.h"
#include "tools/guide/program.h"

#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;
namespace titanic = mdp::titanic;

struct settings {
  std::string connect = "tcp://localhost:5555";
  std::string store = ".titanic/store";
  bool verbose = false;
};

// Until the store turns out to be no good, or a signal.
asio::awaitable<void> watch(const titanic::service& service,
                            const boost::system::error_code& opened, const settings& is) {
  for (std::string before;;) {
    co_await guide::pause(1s);
    if (opened) {
      throw boost::system::system_error{opened, is.store};
    }
    const auto now = titanic::report(service.status());
    if (is.verbose && now != before) {
      guide::log("I: {}", now);
    }
    before = now;
  }
}

asio::awaitable<int> keep(const settings& is) {
  const auto executor = co_await asio::this_coro::executor;
  if (const auto folder = std::filesystem::path{is.store}.parent_path(); !folder.empty()) {
    std::filesystem::create_directories(folder);
  }
  titanic::sqlite_options options;
  options.path = is.store;
  boost::system::error_code opened;
  const titanic::service service{executor, is.connect, titanic::service_options{},
                                 std::make_shared<titanic::sqlite_store>(executor, options),
                                 [&opened](boost::system::error_code ec) { opened = ec; }};
  co_await watch(service, opened, is);
  co_return guide::exit_code::done;
}

}  // namespace

int main(int argc, char** argv) {
  settings is;
  guide::command_line line{"Titanic: requests that outlive a crash, for brokers of MDP/0.1"};
  line.endpoint("--connect", is.connect, "of the broker");
  line.file("--store", is.store, "of the requests; it and its folder are made");
  line.flag("-v", is.verbose, "log the state and the counters when they have changed");
  return guide::run(line, argc, argv, keep, is);
}
