// Clients of the clustered hashmap, all in one process, that set and erase keys at a steady rate and record the
// committed updates, while a test kills and disconnects the servers:
//
//     chp_storm --group 10=HOST:PORT,HOST:PORT --rate 2000
//
// Each client has keys of its own, /c<client>/<number>, so that the last update of a key is known. All clients
// write the keys of --shared. The program prints a line of JSON when all clients follow a server, and one for
// each line that it reads:
//
//     fault             something happens to the servers now: how long each client then waits at most for the
//                       next commit, while it has something to commit, is counted until the next such line
//     settle [backup]   once each client has committed something new; with "backup", on a server that has one
//     status            at once
//     join HOST:PORT,… [SUBTREE]   one client more, which only follows; the answer has its number
//     maps              once each client has a map
//     gaps CLIENT N     once the client of that number has noticed so many gaps
//     check             nothing new is set until all is committed and all maps are the same; they are compared
//                       with the books; then it goes on
//
// All waits end after --patience. At the end of its input the program checks a last time, and exits with 0 if
// the check succeeds, else with 1.

#include "test/interop/chp_crowd.h"
#include "test/interop/chp_storm_options.h"
#include "test/interop/chp_storm_reports.h"
#include "zmtp/runtime/completion.h"

#include <CLI/CLI.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using chp::test::crowd;
using chp::test::storm_options;

// Runs until the end of the input.
class storm {
public:
  storm(asio::io_context& context, const storm_options& how)
      : context_{context}, crowd_{context, how}, input_{context, ::dup(STDIN_FILENO)} {
    asio::co_spawn(context, run(), [this](const std::exception_ptr& thrown, bool good) {
      good_ = good && !thrown;
      crowd_.stop();
      zmtp::rethrow(thrown);
    });
  }

  [[nodiscard]] bool good() const noexcept { return good_; }

private:
  using condition = std::function<bool()>;

  asio::awaitable<bool> run() {
    const condition following = [this] { return crowd_.all_follow(); };
    if (!co_await crowd_.until(following)) {
      throw std::runtime_error{"not all clients follow a server in time"};
    }
    co_await crowd_.preload();
    asio::co_spawn(context_, crowd_.write(), zmtp::rethrow);
    print({{"ready", crowd_.all().size()}});
    std::string input;
    for (;;) {
      const auto [ec, size] = co_await asio::async_read_until(
          input_, asio::dynamic_buffer(input), '\n', asio::as_tuple(asio::use_awaitable));
      if (ec) {
        break;
      }
      std::istringstream words{input.substr(0, size)};
      input.erase(0, size);
      co_await obey(words);
    }
    co_return co_await check();
  }

  asio::awaitable<void> obey(std::istringstream& words) {
    std::string word;
    words >> word;
    if (word == "fault") {
      crowd_.begin_fault();
      print({{"fault", ++faults_}});
    } else if (word == "settle") {
      std::string with;
      words >> with;
      co_await settle(with == "backup");
    } else if (word == "status") {
      print(report_status(crowd_));
    } else if (word == "join") {
      std::string at;
      std::string subtree;
      words >> at >> subtree;
      print({{"joined", crowd_.join(chp::test::parse_servers(at), subtree).number}});
    } else if (word == "maps") {
      const condition have_maps = [this] {
        return std::all_of(crowd_.all().begin(), crowd_.all().end(),
                           [](const auto& p) { return p->client->status().ready; });
      };
      co_await answer_once(have_maps);
    } else if (word == "gaps") {
      std::size_t number = 0;
      std::uint64_t count = 0;
      words >> number >> count;
      const condition noticed = [&of = *crowd_.all().at(number)->client, count] {
        return of.status().counters.gaps >= count;
      };
      co_await answer_once(noticed);
    } else if (word == "check") {
      co_await check();
      crowd_.pause(false);
    } else {
      throw std::runtime_error{"no such command: " + word};
    }
  }

  // Whether it came to be, and after how long.
  asio::awaitable<void> answer_once(condition is_true) {
    const auto began = crowd::clock::now();
    const bool settled = co_await crowd_.until(is_true);
    print({{"settled", settled}, {"ms", milliseconds_since(began)}});
  }

  asio::awaitable<void> settle(bool with_backup) {
    std::vector<std::uint64_t> committed;
    for (const auto& p : crowd_.all()) {
      // Pending updates began before this call.
      committed.push_back(p->committed + p->waiting);
    }
    const condition all_have = [this, with_backup, committed] {
      for (std::size_t i = 0; i < committed.size(); ++i) {
        const auto& p = *crowd_.all()[i];
        const auto now = p.client->status();
        if (!now.following ||
            (crowd_.writes(p) && (p.committed <= committed[i] || (with_backup && now.degraded)))) {
          return false;
        }
      }
      return true;
    };
    co_await answer_once(all_have);
  }

  asio::awaitable<bool> check() {
    crowd_.pause(true);
    const auto began = crowd::clock::now();
    const condition nothing_waits = [this] { return crowd_.waiting() == 0; };
    const condition expired = [this] { return !lifetimes_are_left(crowd_); };
    // Updates that one server alone had, and that are lost with its history, have been reported.
    const condition equal = [this] {
      return crowd_.all_follow() && crowd_.all_are_answered() && maps_are_equal(crowd_);
    };
    chp::test::settled_crowd waited;
    waited.committed = co_await crowd_.until(nothing_waits);
    waited.expired = co_await crowd_.until(expired);
    waited.equal = co_await crowd_.until(equal);
    const auto took = milliseconds_since(began);
    crowd_.end_faults();
    auto report = report_check(crowd_, waited);
    report["ms"] = took;
    print(report);
    co_return report["good"].as_bool();
  }

  static std::int64_t milliseconds_since(crowd::clock::time_point began) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(crowd::clock::now() - began)
        .count();
  }

  static void print(const json::object& what) {
    std::printf("%s\n", json::serialize(what).c_str());
    std::fflush(stdout);
  }

  asio::io_context& context_;
  crowd crowd_;
  asio::posix::stream_descriptor input_;
  std::uint64_t faults_ = 0;
  bool good_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"clients of the clustered hashmap that record their updates"};
  storm_options how;
  describe(app, how);
  CLI11_PARSE(app, argc, argv);
  try {
    asio::io_context context{1};
    storm one{context, how};
    context.run();
    return one.good() ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "chp_storm: %s\n", e.what());
    return 2;
  }
}
