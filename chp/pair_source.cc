// The part of a server of a pair that follows the other server.

#include "chp/lost_file.h"
#include "chp/pair_core.h"
#include "zmtp/message_batch.h"
#include "zmtp/runtime/completion.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <string>
#include <utility>

namespace chp {

namespace asio = boost::asio;

namespace {

const auto token = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t lines_at_once = 64 * 1024;  // bytes

std::chrono::milliseconds time_of_day(const zmtp::runtime& of) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(of.wall_clock().time_since_epoch());
}

}  // namespace

// The publisher of an active server that is not Zinc's.
asio::awaitable<void> replicated_server::core::follow_feed(std::shared_ptr<core> self) {
  zmtp::message_batch batch;
  const auto server = self->server_;
  while (co_await server_core::until_room(server)) {
    const auto [ec, count] = co_await self->feed_.async_receive(batch, token);
    if (ec) {
      co_return;
    }
    server->act([&](server_state& s, server_core::clock::time_point now, server_actions& out) {
      for (const auto item : batch) {
        if (item.what() == zmtp::routed_message::kind::detached) {
          s.on_feed_detached(out);
        } else if (item.what() == zmtp::routed_message::kind::message) {
          s.on_publication(item.to_message(), now, out);
        }
      }
    });
  }
}

// The snapshot port of the other server.
asio::awaitable<void> replicated_server::core::receive_from_source(std::shared_ptr<core> self) {
  zmtp::message_batch batch;
  for (;;) {
    const auto [ec, count] = co_await self->source_.async_receive(batch, token);
    if (ec) {
      co_return;
    }
    self->server_->act([&](server_state&, server_core::clock::time_point now, server_actions& out) {
      for (const auto item : batch) {
        self->on_source(item.to_routed_message(), now, out);
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
  std::string lines;
  for (auto read = lost_read::more; read == lost_read::more;) {
    co_await asio::post(self->executor_, asio::use_awaitable);
    lines.clear();
    read = self->state_->read_lost(what, lines, lines_at_once);
    if (read == lost_read::abandoned) {
      co_return;
    }
    file.write(lines);
  }
  const auto ec = file.finish();
  if (self->handlers_.on_lost) {
    self->handlers_.on_lost(file.path(), ec);
  }
  self->server_->act([&](server_state& s, server_core::clock::time_point, server_actions&) {
    s.on_lost_written(what, ec);
  });
}

}  // namespace chp
