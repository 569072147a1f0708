// titanic: stores requests on disk until they are executed, and replies until their clients close the requests.

#include "mdp/titanic/server.h"
#include "mdp/titanic/sqlite_request_database.h"
#include "tools/guide/program.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <filesystem>
#include <memory>
#include <string>

namespace {

namespace asio = boost::asio;
namespace titanic = mdp::titanic;

struct settings {
  std::string connect = "tcp://localhost:5555";
  std::string store = ".titanic/store";
  bool verbose = false;
};

asio::awaitable<int> keep(const settings& is) {
  const auto executor = co_await asio::this_coro::executor;
  if (const auto folder = std::filesystem::path{is.store}.parent_path(); !folder.empty()) {
    std::filesystem::create_directories(folder);
  }
  titanic::sqlite_options options;
  options.path = is.store;
  // Ends by a signal, or if the store cannot be opened.
  asio::steady_timer over{executor, asio::steady_timer::time_point::max()};
  boost::system::error_code opened;
  const auto on_open = [&](boost::system::error_code ec) {
    opened = ec;
    if (ec) {
      over.cancel();
    }
  };
  const auto on_dispatch = [&is](const titanic::request_id& id) {
    if (is.verbose) {
      guide::say("I: processing request {}", id.to_string());
    }
  };
  titanic::server server{executor,
                         is.connect,
                         titanic::server_options{},
                         std::make_shared<titanic::sqlite_request_database>(executor, options),
                         on_open,
                         on_dispatch};
  static_cast<void>(co_await over.async_wait(asio::as_tuple(asio::use_awaitable)));
  if (opened) {
    throw boost::system::system_error{opened, is.store};
  }
  // A second signal ends the process.
  co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
  co_await asio::this_coro::throw_if_cancelled(false);
  static_cast<void>(co_await server.async_drain(asio::as_tuple(asio::use_awaitable)));
  co_return guide::exit_code::done;
}

}  // namespace

int main(int argc, char** argv) {
  settings is;
  guide::command_line line{
      "Titanic: stores requests, which survive a crash, for brokers of MDP/0.1"};
  line.endpoint("--connect", is.connect, "broker to connect to");
  line.file("--store", is.store, "file of the requests; created with its folder");
  line.flag("-v", is.verbose, "print the id of each request that is sent to its service");
  return guide::run(line, argc, argv, keep, is);
}
