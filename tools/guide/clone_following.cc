#include "tools/guide/clone_following.h"

#include "chp/client.h"
#include "chp/server_address.h"
#include "tools/guide/clone_reports.h"
#include "tools/guide/random_entry.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>

#include <memory>

namespace guide {

namespace asio = boost::asio;

namespace {

chp::client_options options_of(const following_settings& is) {
  auto options = is.options;
  if (is.kvmsg || is.python) {
    options.wire_format = is.kvmsg ? chp::form::kvmsg : chp::form::kvsimple_4;
  }
  return options;
}

clone_client_words words_of(const following_settings& is) {
  clone_client_words words{.print = is.print};
  for (const auto& server : is.servers) {
    words.received.push_back(is.names_servers ? is.received + " from " + server : is.received);
    if (is.names_servers) {
      words.servers.push_back(server);
    }
  }
  return words;
}

// Ends when the client stops.
asio::awaitable<void> report(chp::watcher changes, std::shared_ptr<clone_reports> to) {
  std::vector<chp::change> batch;
  for (;;) {
    const auto [ec, count] =
        co_await changes.async_receive(batch, asio::as_tuple(asio::use_awaitable));
    if (ec) {
      co_return;
    }
    to->on_changes(batch);
  }
}

void on_set(const boost::system::error_code& ec, chp::truth) {
  if (ec && ec != asio::error::operation_aborted) {
    say("E: an update was not made: {}", ec.message());
  }
}

asio::awaitable<void> act(chp::client& client, const following_settings& is) {
  if (!is.sets_at_once) {
    co_await client.async_wait_ready(asio::use_awaitable);
    co_await pause(is.interval);
  }
  for (random_entry entry;;) {
    chp::set_options how;
    if (const auto ttl = is.ttl_below != 0 ? entry.below(is.ttl_below) : 0; ttl != 0) {
      how.ttl = std::chrono::seconds{ttl};
    }
    client.async_set(is.options.subtree + entry.key(), entry.value(), how, on_set);
    co_await pause(is.interval);
  }
}

}  // namespace

void add_flags(command_line& line, following_settings& is) {
  line.endpoints(
      "--connect", is.servers,
      "server to connect to: its first port; repeatable, the client fails over to the next server");
  if (is.sets) {
    line.milliseconds("--interval", is.interval, "time between two updates");
  }
}

asio::awaitable<int> follow_map(const following_settings& is) {
  const auto executor = co_await asio::this_coro::executor;
  std::vector<chp::server_address> servers;
  for (const auto& one : is.servers) {
    servers.push_back(chp::server_address::at(one));
  }
  const auto reports = std::make_shared<clone_reports>(words_of(is));
  const auto client = std::make_shared<chp::client>(
      executor, servers, options_of(is),
      [reports](const chp::client_event& event) { reports->on_event(event); });
  reports->begin(client);
  try {
    if (is.sets) {
      asio::co_spawn(executor, report(client->watch(), reports), asio::detached);
      co_await act(*client, is);
    }
    co_await until_stopped();
  } catch (const boost::system::system_error& e) {
    if (e.code() != asio::error::operation_aborted) {
      throw;
    }
  }
  if (is.counts) {
    say(" Interrupted\n{} messages in", client->status().number);
  }
  co_return exit_code::done;
}

}  // namespace guide
