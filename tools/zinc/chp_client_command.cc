// zinc chp get, set, delete, dump and watch

#include "chp/client.h"
#include "chp/subtree.h"
#include "tools/zinc/chp_commands.h"
#include "tools/zinc/commands.h"
#include "tools/zinc/json_of.h"
#include "tools/zinc/output.h"
#include "tools/zinc/stop_signals.h"
#include "tools/zinc/terminal_text.h"
#include "zmtp/error.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/system/system_error.hpp>
#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace zinc {

namespace {

namespace asio = boost::asio;
using action = chp_client_arguments::action;

constexpr asio::as_tuple_t<asio::use_awaitable_t<>> token{asio::use_awaitable};

std::vector<chp::server_address> servers_of(const chp_client_arguments& arguments) {
  std::vector<chp::server_address> all;
  for (const auto& one : arguments.servers) {
    auto at = chp::server_address::at(one);
    if (arguments.snapshots == chp::snapshot_kind::none) {
      at = {.snapshot = {}, .publisher = at.snapshot, .collector = {}};
    }
    all.push_back(std::move(at));
  }
  return all;
}

// Returns the directory of the key, so that the client does not copy the whole map.
std::string subtree_of(const chp_client_arguments& arguments) {
  if (arguments.key.starts_with('/')) {
    auto directory = arguments.key.substr(0, arguments.key.rfind('/') + 1);
    return chp::is_subtree(directory) ? directory : std::string{};
  }
  return arguments.key.empty() ? arguments.subtree : std::string{};
}

chp::client_options options_of(const chp_client_arguments& arguments) {
  chp::client_options options;
  options.subtree = subtree_of(arguments);
  options.socket = arguments.socket;
  options.heartbeat = arguments.heartbeat;
  options.wire_format = arguments.frames;
  options.collector = arguments.collector;
  options.snapshots = arguments.snapshots;
  if (arguments.no_hugz) {
    options.server_ttl.reset();
  }
  return options;
}

// Keys and values come from the network.
std::string for_stdout(std::string_view bytes, line_breaks how = line_breaks::kept) {
  return stdout_is_terminal() ? readable(bytes, how) : std::string{bytes};
}

void print_json(const boost::json::object& of) {
  fmt::print("{}\n", stdout_is_terminal() ? ascii_json(of) : boost::json::serialize(of));
}

void print_entry(std::string_view key, std::string_view value, bool as_json) {
  if (as_json) {
    print_json({{"key", json_of(key)}, {"value", json_of(value)}});
  } else {
    // After a line break, the rest would look like the next entry.
    fmt::print("{} {}\n", for_stdout(key, line_breaks::escaped),
               for_stdout(value, line_breaks::escaped));
  }
}

exit_code code_of(const boost::system::error_code& ec) {
  using chp::errc;
  struct entry {
    errc fault;
    exit_code code;
  };
  // Every other error is exit_code::failed.
  for (const auto& each : {
           entry{errc::key_empty, exit_code::misused},
           entry{errc::key_too_long, exit_code::misused},
           entry{errc::key_with_zero, exit_code::misused},
           entry{errc::key_reserved, exit_code::misused},
           entry{errc::value_empty, exit_code::misused},
           entry{errc::ttl_too_short, exit_code::misused},
           entry{errc::not_in_kvsimple, exit_code::misused},
           entry{errc::value_too_long, exit_code::was_refused},
           entry{errc::too_many_keys, exit_code::was_refused},
           entry{errc::too_many_bytes, exit_code::was_refused},
           entry{errc::refused, exit_code::was_refused},
           entry{errc::forbidden, exit_code::was_refused},
           entry{errc::subtree_forbidden, exit_code::was_refused},
           entry{errc::unconfirmed, exit_code::no_answer},
           entry{errc::not_on_both, exit_code::no_answer},
           entry{errc::session_forgotten, exit_code::outcome_unknown},
           entry{errc::lost, exit_code::outcome_unknown},
       }) {
    if (ec == each.fault) {
      return each.code;
    }
  }
  return ec == zmtp::errc::timed_out ? exit_code::no_answer : exit_code::failed;
}

class run {
public:
  run(asio::io_context& context, const chp_client_arguments& arguments)
      : arguments_{arguments},
        until_{arguments.what == action::watch
                   ? std::nullopt
                   : zmtp::deadline{arguments.timeout}.at(zmtp::runtime::system())},
        client_{context.get_executor(), servers_of(arguments), options_of(arguments),
                [this](const chp::client_event& event) { report(event); }},
        watcher_{client_.watch(arguments.subtree)},
        signals_{context.get_executor(), [this] { interrupt(); }} {
    asio::co_spawn(context, act(), [this](const std::exception_ptr& thrown, int code) {
      code_ = code;
      stop();
      if (thrown) {
        std::rethrow_exception(thrown);
      }
    });
  }

  [[nodiscard]] int code() const noexcept { return code_; }

private:
  asio::awaitable<int> act() {
    switch (arguments_.what) {
      case action::get: co_return co_await get();
      case action::set:
      case action::erase: co_return co_await change();
      case action::dump: co_return co_await dump();
      case action::watch: co_return co_await watch();
    }
    co_return exit_code::failed;
  }

  asio::awaitable<exit_code> ready() {
    const auto [ec] = co_await client_.async_wait_ready(until_, token);
    if (ec && !interrupted_) {
      fmt::print(stderr, "zinc chp: no snapshot from a server: {}\n", ec.message());
    }
    const auto status = client_.status();
    if (!ec && status.degraded) {
      fmt::print(stderr, "zinc chp: degraded: the latest updates may be on {} alone\n",
                 arguments_.servers[status.server]);
    }
    co_return ec ? code_of(ec) : exit_code::done;
  }

  asio::awaitable<int> get() {
    const auto there = co_await ready();
    if (there != exit_code::done) {
      co_return there;
    }
    const auto value = client_.get(arguments_.key);
    if (!value) {
      fmt::print(stderr, "zinc chp get: no such key: {}\n", arguments_.key);
      co_return exit_code::failed;
    }
    if (arguments_.json) {
      print_entry(arguments_.key, *value, true);
    } else {
      fmt::print("{}\n", for_stdout(*value));
    }
    co_return exit_code::done;
  }

  asio::awaitable<int> change() {
    boost::system::error_code ec;
    auto says = chp::truth::unknown;
    if (arguments_.what == action::set) {
      chp::set_options how{.until = until_, .require = arguments_.require};
      if (arguments_.ttl) {
        how.ttl = std::chrono::duration_cast<std::chrono::seconds>(*arguments_.ttl);
      }
      std::tie(ec, says) = co_await client_.async_set(arguments_.key, arguments_.value, how, token);
    } else {
      const chp::erase_options how{.until = until_, .require = arguments_.require};
      std::tie(ec, says) = co_await client_.async_erase(arguments_.key, how, token);
    }
    const auto outcome = chp::outcome_of(ec);
    if (arguments_.json) {
      static constexpr const char* names[] = {"committed", "not made", "unknown"};
      fmt::print("{}\n", boost::json::serialize(
                             boost::json::object{{"outcome", names[static_cast<int>(outcome)]},
                                                 {"truth", chp::to_string(says)},
                                                 {"degraded", client_.status().degraded}}));
    }
    if (ec && !interrupted_) {
      fmt::print(stderr, "zinc chp: cannot change {}: {}\n", arguments_.key, ec.message());
      if (forbidden_ && chp::outcome_of(ec) == chp::outcome::unknown) {
        print_forbidden();  // a server tells no outcomes to such a client
      }
    }
    if (!ec) {
      co_return exit_code::done;
    }
    co_return code_of(ec);
  }

  asio::awaitable<int> dump() {
    const auto there = co_await ready();
    if (there != exit_code::done) {
      co_return there;
    }
    client_.for_each(arguments_.subtree, [this](std::string_view key, std::string_view value) {
      print_entry(key, value, arguments_.json);
    });
    co_return exit_code::done;
  }

  asio::awaitable<int> watch() {
    std::vector<chp::change> batch;
    for (std::size_t seen = 0;;) {
      const auto [ec, count] = co_await watcher_.async_receive(batch, token);
      if (ec) {
        co_return interrupted_ ? exit_code::done
        : forbidden_           ? exit_code::was_refused
                               : exit_code::failed;
      }
      for (const auto& change : batch) {
        print(change);
        if (++seen == arguments_.count) {
          co_return exit_code::done;
        }
      }
      flush_output();
    }
  }

  void print(const chp::change& change) const {
    if (!change.erased()) {
      print_entry(change.key, change.value, arguments_.json);
    } else if (arguments_.json) {
      print_json({{"key", json_of(change.key)}, {"value", nullptr}});
    } else {
      fmt::print("{}\n", for_stdout(change.key, line_breaks::escaped));
    }
  }

  void report(const chp::client_event& event) {
    using enum chp::client_event::kind;
    if (event.what == forbidden && arguments_.what == action::watch) {
      forbidden_ = true;
      print_forbidden();
      client_.stop();
    } else if (event.what == forbidden) {
      forbidden_ = true;  // get and dump end with the error of their wait
    } else if (event.what != following && arguments_.what == action::watch) {
      fmt::print(stderr, "zinc chp watch: {} {}\n", chp::to_string(event.what),
                 arguments_.servers[event.server]);
    }
  }

  static void print_forbidden() {
    const boost::system::error_code why = chp::errc::subtree_forbidden;
    fmt::print(stderr, "zinc chp: {}\n", why.message());
  }

  void interrupt() {
    interrupted_ = true;
    stop();
  }
  void stop() {
    client_.stop();
    signals_.cancel();
  }

  const chp_client_arguments& arguments_;
  const zmtp::deadline until_;  // deadline of the whole run
  chp::client client_;
  chp::watcher watcher_;
  stop_signals signals_;
  bool interrupted_ = false;
  bool forbidden_ = false;
  int code_ = exit_code::failed;
};

}  // namespace

int run_chp_client(const chp_client_arguments& arguments) {
  asio::io_context context{1};
  try {
    run one{context, arguments};
    context.run();
    return one.code();
  } catch (const boost::system::system_error& e) {
    fmt::print(stderr, "zinc chp: {}\n", e.what());
    return exit_code::misused;
  }
}

}  // namespace zinc
