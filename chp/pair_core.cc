#include "chp/pair_core.h"

#include "chp/lost_file.h"
#include "chp/server_ports.h"
#include "zmtp/runtime/completion.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

namespace chp {

namespace asio = boost::asio;

namespace {

const auto token = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t lines_at_once = 64 * 1024;  // bytes

std::chrono::milliseconds time_of_day(const zmtp::runtime& of) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(of.wall_clock().time_since_epoch());
}

std::string behind(std::string_view first) {
  const auto at = zmtp::endpoint::parse(first);
  const auto* const tcp = at ? at->tcp() : nullptr;
  if (tcp == nullptr || tcp->port == std::numeric_limits<std::uint16_t>::max()) {
    return {};
  }
  auto next = *tcp;
  ++next.port;
  return zmtp::endpoint{next}.to_string();
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
      feed_{executor, feed_options(options.server)},
      source_{executor, source_options(options.server)} {}

void replicated_server::core::start(const replicated_server_options& options,
                                    const std::weak_ptr<log_store>& store) {
  const auto weak = weak_from_this();
  server_core::hooks hooks;
  hooks.vote = [weak] {
    const auto self = weak.lock();
    return self && self->vote();
  };
  hooks.rest = [weak](server_actions& out) {
    if (const auto self = weak.lock()) {
      self->on_rest(out);
    }
  };
  server_ =
      std::make_shared<server_core>(executor_, state_, options.server, std::move(hooks), store);
  node_ = std::make_shared<bstar::node>(executor_, options.pair, node_handlers());
  tell_node();
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

// The node.

bstar::node_handlers replicated_server::core::node_handlers() {
  const auto weak = weak_from_this();
  return {.on_active =
              [weak](bstar::epoch epoch) {
                if (const auto self = weak.lock()) {
                  self->on_active(epoch);
                }
              },
          .on_passive =
              [weak](bstar::passive_reason why) {
                if (const auto self = weak.lock()) {
                  self->on_passive(why);
                }
              },
          .on_event =
              [weak](bstar::event event) {
                if (const auto self = weak.lock()) {
                  self->on_pair_event(event);
                }
              },
          .on_peer =
              [weak](const bstar::peer_report& report) {
                if (const auto self = weak.lock()) {
                  self->on_peer(report);
                }
              },
          .on_error = handlers_.on_pair_error};
}

bool replicated_server::core::vote() {
  tell_node();
  return node_->vote();
}

// The node decides by what this server has.
void replicated_server::core::tell_node() {
  const auto end = state_->number();
  if (std::exchange(told_position_, end) != end) {
    node_->set_position(end, static_cast<bstar::epoch>(epoch_of(end)));
  }
  // A server that never had data may serve alone. A server that has had an epoch has had data.
  node_->set_data_lost(state_->lacks_data() && (end != 0 || node_->status().current != 0));
  node_->set_declines(state_->declines());
}

void replicated_server::core::on_active(bstar::epoch epoch) {
  server_->act([epoch](server_state& s, server_core::clock::time_point now, server_actions& out) {
    s.activate(epoch, now, out);
  });
  if (handlers_.on_active) {
    handlers_.on_active(epoch);
  }
}

void replicated_server::core::on_passive(bstar::passive_reason why) {
  server_->act([](server_state& s, server_core::clock::time_point, server_actions& out) {
    s.deactivate(out);
  });
  if (handlers_.on_passive) {
    handlers_.on_passive(why);
  }
}

void replicated_server::core::on_pair_event(bstar::event event) {
  switch (event) {
    case bstar::event::suspended:
      server_->act([](server_state& s, server_core::clock::time_point, server_actions& out) {
        s.suspend(out);
      });
      break;
    case bstar::event::resumed:
      // In the epoch that it had; in a later one on_active() has come before.
      on_active(node_->status().current);
      break;
    case bstar::event::peer_unresponsive:
      server_->act([](server_state& s, server_core::clock::time_point, server_actions&) {
        s.on_peer_unresponsive();
      });
      break;
    default: break;
  }
  if (handlers_.on_pair_event) {
    handlers_.on_pair_event(event);
  }
}

void replicated_server::core::on_peer(const bstar::peer_report& report) {
  if (report.more) {
    state_->on_peer_state(report.state == bstar::peer_state::active, report.more->lacks_data,
                          report.more->position);
    tell_node();
  }
}

// The other server.

// The publisher of an active server that is not Zinc's.
asio::awaitable<void> replicated_server::core::follow_feed(std::shared_ptr<core> self) {
  std::vector<zmtp::routed_message> batch;
  const auto server = self->server_;
  while (co_await server_core::until_room(server)) {
    const auto [ec, count] = co_await self->feed_.async_receive(batch, token);
    if (ec) {
      co_return;
    }
    server->act([&](server_state& s, server_core::clock::time_point now, server_actions& out) {
      for (auto& item : batch) {
        if (item.what == zmtp::routed_message::kind::detached) {
          s.on_feed_detached(out);
        } else if (item.what == zmtp::routed_message::kind::message) {
          s.on_publication(std::move(item.content), now, out);
        }
      }
    });
  }
}

// The snapshot port of the other server.
asio::awaitable<void> replicated_server::core::receive_from_source(std::shared_ptr<core> self) {
  std::vector<zmtp::routed_message> batch;
  for (;;) {
    const auto [ec, count] = co_await self->source_.async_receive(batch, token);
    if (ec) {
      co_return;
    }
    self->server_->act([&](server_state&, server_core::clock::time_point now, server_actions& out) {
      for (const auto& item : batch) {
        self->on_source(item, now, out);
      }
    });
  }
}

void replicated_server::core::on_source(const zmtp::routed_message& item,
                                        server_core::clock::time_point now, server_actions& out) {
  switch (item.what) {
    case zmtp::routed_message::kind::attached:
      source_peer_ = item.peer;
      state_->on_source_attached(zmtp::known_or_empty(source_.peer(item.peer)).properties, now,
                                 out);
      return;
    case zmtp::routed_message::kind::detached:
      // Ignores the end of a connection that was given up.
      if (source_peer_ == item.peer) {
        state_->on_source_detached();
        renew_source();
      }
      return;
    case zmtp::routed_message::kind::message:
      if (source_peer_ == item.peer) {
        state_->on_source_message(item.content, now, time_of_day(runtime_), out);
      }
      return;
  }
}

// Another connection, and nothing of what was queued for the last one.
void replicated_server::core::renew_source() {
  source_peer_.reset();
  asked_.clear();
  zmtp::error_code ignored;
  source_.disconnect(source_at_, ignored);
  source_.connect(source_at_, ignored);
}

void replicated_server::core::connect_feed(bool wanted) {
  if (std::exchange(feed_connected_, wanted) == wanted) {
    return;
  }
  zmtp::error_code ignored;
  if (wanted) {
    feed_.connect(feed_at_, ignored);
  } else {
    feed_.disconnect(feed_at_, ignored);
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
    ++lost_files_;
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
  if (handlers_.on_event) {
    // A handler may act.
    for (const auto event : std::exchange(out.events, {})) {
      handlers_.on_event(event);
    }
  }
  if (handlers_.on_turn) {
    handlers_.on_turn(state_->status());
  }
}

// Sends as fast as the other server reads.
asio::awaitable<void> replicated_server::core::ask(std::shared_ptr<core> self) {
  for (;;) {
    while (!self->asked_.empty() &&
           self->source_.try_send(std::move(self->asked_.front())) == zmtp::send_status::queued) {
      self->asked_.pop_front();
    }
    if (self->asked_.empty()) {
      self->asking_ = false;
      co_return;
    }
    const auto [ec] = co_await self->source_.async_wait_writable(token);
    if (ec) {
      co_return;
    }
  }
}

asio::awaitable<void> replicated_server::core::write_lost(std::shared_ptr<core> self,
                                                          lost_updates what) {
  lost_file file{self->lost_folder_, what};
  const auto mine = self->lost_files_;
  std::string lines;
  for (bool more = true; more;) {
    lines.clear();
    more = self->state_->read_lost(lines, lines_at_once);
    file.write(lines);
    co_await asio::post(self->executor_, asio::use_awaitable);
    if (mine != self->lost_files_) {
      co_return;  // the dialogue was lost, and has begun again
    }
  }
  const auto ec = file.finish();
  if (self->handlers_.on_lost) {
    self->handlers_.on_lost(file.path(), ec);
  }
  self->server_->act([ec](server_state& s, server_core::clock::time_point, server_actions&) {
    s.on_lost_written(ec);
  });
}

}  // namespace chp
