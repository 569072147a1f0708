#include "chp/pair_core.h"

#include "chp/server_address.h"
#include "chp/server_ports.h"
#include "zmtp/runtime/completion.h"

#include <boost/asio/co_spawn.hpp>

#include <iterator>
#include <optional>
#include <utility>

namespace chp {

namespace asio = boost::asio;

namespace {

std::string behind(std::string_view first) {
  const auto at = zmtp::endpoint::parse(first);
  const auto next = at ? endpoint_behind(*at, 1) : std::nullopt;
  return next ? next->to_string() : std::string{};
}

}  // namespace

replicated_server::core::core(const asio::any_io_executor& executor,
                              const replicated_server_options& options,
                              replicated_server_handlers handlers,
                              std::shared_ptr<server_state> state)
    : executor_{executor},
      runtime_{zmtp::runtime::of(executor)},
      handlers_{std::move(handlers)},
      state_{std::move(state)},
      lost_folder_{options.lost_folder},
      witness_{options.witness},
      feed_{executor, feed_options(options.pair.peer_socket, options.server)},
      source_{executor, source_options(options.pair.peer_socket, options.server)} {}

void replicated_server::core::start(const replicated_server_options& options,
                                    const std::weak_ptr<log_store>& store) {
  const auto weak = weak_from_this();
  server_core::hooks hooks;
  hooks.vote = [weak] {
    const auto self = weak.lock();
    return self && self->vote();
  };
  hooks.check_pause = bound(&core::check_pause);
  hooks.rest = bound(&core::on_rest);
  hooks.on_event = handlers_.on_event;
  hooks.on_refused = handlers_.on_refused;
  hooks.on_turn = handlers_.on_turn;
  server_ =
      std::make_shared<server_core>(executor_, state_, options.server, std::move(hooks), store);
  node_ = std::make_shared<bstar::node>(executor_, options.pair, node_handlers());
  tell_node();
  if (witness_) {
    witness_->watch([weak](const membership& record) {
      if (const auto self = weak.lock()) {
        self->server_->act([&](server_state& s, server_core::clock::time_point, server_actions&) {
          s.on_witness_changed(record);
        });
      }
    });
  }
  feed_.subscribe("");
  server_->start();
  const auto self = shared_from_this();
  asio::co_spawn(executor_, follow_feed(self), zmtp::rethrow);
  asio::co_spawn(executor_, receive_from_source(self), zmtp::rethrow);
}

void replicated_server::core::stop() {
  node_->stop();
  server_->stop();
  feed_.close();
  source_.close();
}

void replicated_server::core::connect(const server_peer& to, zmtp::error_code& ec) {
  feed_at_ = to.publisher.empty() ? behind(to.snapshots) : to.publisher;
  if (const auto parsed = zmtp::endpoint::parse(feed_at_); !parsed) {
    ec = parsed.error();
    return;
  }
  source_.connect(to.snapshots, ec);
  if (!ec) {
    source_at_ = to.snapshots;
    node_->connect(to.state, ec);
  }
}

// Carries out the actions that concern the other server.
void replicated_server::core::on_rest(server_actions& out) {
  if (std::exchange(out.reconnect_source, false) && !source_at_.empty()) {
    renew_source();
  }
  if (const auto wanted = std::exchange(out.follow_feed, std::nullopt)) {
    connect_feed(*wanted);
  }
  std::move(out.ask.begin(), out.ask.end(), std::back_inserter(asked_));
  out.ask.clear();
  if (!asked_.empty() && !std::exchange(asking_, true)) {
    asio::co_spawn(executor_, ask(shared_from_this()), zmtp::rethrow);
  }
  if (const auto lost = std::exchange(out.lost, std::nullopt)) {
    asio::co_spawn(executor_, write_lost(shared_from_this(), *lost), zmtp::rethrow);
  }
  const bool steps_down = std::exchange(out.step_down, false);
  const bool renews = std::exchange(out.renew_epoch, false);
  if (node_) {
    tell_node();
    if (steps_down) {
      node_->hand_over();
    }
    if (renews) {
      node_->renew_epoch();
    }
  }
  if (const auto what = std::exchange(out.attempt, std::nullopt)) {
    ask_witness(*what);
  }
  if (const auto answer = std::exchange(out.epoch, std::nullopt)) {
    on_epoch(*answer);
  }
}

}  // namespace chp
