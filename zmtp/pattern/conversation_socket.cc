#include "zmtp/pattern/conversation_socket.h"

#include "zmtp/runtime/completion.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace zmtp {

namespace asio = boost::asio;

namespace {

socket_options with_own(socket_options options, std::vector<std::string>&& extensions,
                        bool has_others) {
  options.announce_peers = true;
  options.extensions = std::move(extensions);
  options.send_mark.messages.reset();
  if (has_others) {
    // Do not retry a server; switch to the next one.
    options.reconnect.stop_after = 1;
  }
  return options;
}

}  // namespace

struct conversation_socket::loop {
  static asio::awaitable<void> run(conversation_socket& of, std::shared_ptr<void> /*owner*/) {
    const auto token = asio::as_tuple(asio::use_awaitable);
    message_batch batch;
    while (!of.stopped_) {
      const auto [ec, count] = co_await of.socket_->async_receive(batch, token);
      if (!ec) {
        of.on_batch(batch);
      } else if (!of.reopen_after_) {
        co_return;
      }
      if (of.reopen_after_ && !of.stopped_) {
        of.socket_.reset();
        of.pause_.expires_after(*of.reopen_after_);
        co_await of.pause_.async_wait(token);
        of.reopen_after_.reset();
        if (!of.stopped_) {
          of.open();
        }
      }
    }
  }
};

conversation_socket::conversation_socket(const asio::any_io_executor& executor,
                                         std::shared_ptr<server_list> servers,
                                         socket_options options,
                                         std::vector<std::string> extensions, listener& to)
    : executor_{executor},
      runtime_{runtime::of(executor)},
      servers_{std::move(servers)},
      options_{with_own(std::move(options), std::move(extensions), servers_->size() > 1)},
      listener_{to},
      alarm_{executor,
             [this] {
               listener_.on_deadline(runtime_.now());
               look_at_deadline();
             }},
      pause_{executor} {
  open();
}

void conversation_socket::start(std::shared_ptr<void> owner) {
  asio::co_spawn(executor_, loop::run(*this, std::move(owner)), rethrow);
}

void conversation_socket::open() {
  server_ = servers_->current();
  socket_.emplace(executor_, options_);
  socket_->connect(servers_->endpoint(server_));
  if (servers_->size() > 1) {
    monitor_.emplace(socket_->monitor());
    watch();
  }
}

void conversation_socket::watch() {
  monitor_->async_receive(
      [this, alive = std::weak_ptr<bool>{alive_}](error_code ec, const auto& event) {
        if (ec || alive.expired() || stopped_ || reopen_after_) {
          return;
        }
        if (event.what == monitor_event::kind::stopped) {
          listener_.on_unreachable();
          look_at_deadline();
        } else {
          watch();
        }
      });
}

void conversation_socket::on_batch(const message_batch& batch) {
  const auto now = runtime_.now();
  for (const auto item : batch) {
    // Drop messages after the end of a conversation.
    if (stopped_ || reopen_after_) {
      return;
    }
    switch (item.what()) {
      case routed_message::kind::message: listener_.on_message(item.to_message(), now); break;
      case routed_message::kind::attached:
        pace_.on_attached(now);
        if (const auto* const known = socket_->peer(item.peer()); known != nullptr) {
          announced_ = known->properties;
        } else {
          announced_ = {};
        }
        listener_.on_attached(now);
        break;
      case routed_message::kind::detached: listener_.on_detached(); break;
    }
  }
  look_at_deadline();
}

bool conversation_socket::send(message&& m) {
  return !socket_ || socket_->try_send(std::move(m)) == send_status::queued;
}

void conversation_socket::reopen(std::chrono::milliseconds delay) {
  if (reopen_after_) {
    return;
  }
  reopen_after_ =
      std::max(delay, pace_.wait(runtime_.now(), static_cast<std::uint32_t>(random_())));
  if (socket_) {
    socket_->close(std::chrono::milliseconds{0});  // resumes the loop
  }
}

void conversation_socket::look_at_deadline() {
  if (!stopped_) {
    alarm_.set(listener_.next_deadline());
  }
}

void conversation_socket::hear_no_more() noexcept {
  stopped_ = true;
  alarm_.cancel();
  pause_.cancel();
}

void conversation_socket::stop(std::optional<std::chrono::milliseconds> linger) {
  hear_no_more();
  if (socket_ && linger) {
    socket_->close(*linger);
  } else if (socket_) {
    socket_->close();
  }
}

void conversation_socket::finish(std::optional<time_point> until,
                                 std::function<void(boost::system::error_code)> written) {
  hear_no_more();
  if (socket_ && until) {
    socket_->async_close(*until, std::move(written));
  } else if (socket_) {
    socket_->async_close(std::move(written));
  } else {
    asio::post(executor_, [written = std::move(written)] { written({}); });
  }
}

}  // namespace zmtp
