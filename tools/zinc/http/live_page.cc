#include "tools/zinc/http/live_page.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <boost/beast/websocket/stream.hpp>

#include <utility>

namespace zinc::http {

namespace {

namespace asio = boost::asio;
namespace websocket = boost::beast::websocket;

struct page {
  page(page_source&& of, std::shared_ptr<connection>&& to)
      : from{std::move(of)}, on{std::move(to)}, stream{on->stream}, timer{stream.get_executor()} {
    ++from.counted.pages;
  }
  page(const page&) = delete;
  page& operator=(const page&) = delete;
  ~page() { --from.counted.pages; }

  const page_source from;
  const std::shared_ptr<connection> on;
  websocket::stream<tcp_stream&> stream;
  asio::steady_timer timer;  // ends the pause between messages, or a message that takes too long
  bool open = true;
};

// Reads control frames, and ignores messages.
asio::awaitable<void> read(std::shared_ptr<page> shown) {
  for (;;) {
    const auto [ec, size] = co_await shown->stream.async_read(shown->on->buffer, token);
    if (ec) {
      break;
    }
    shown->on->buffer.clear();
  }
  shown->open = false;
  shown->timer.cancel();
  shown->on->stream.close();
}

// Limits the time of a message until the timer is cancelled.
void limit_time(const std::shared_ptr<page>& shown) {
  shown->timer.expires_after(shown->from.at_most.response_timeout);
  shown->timer.async_wait([shown](boost::system::error_code cancelled) {
    if (!cancelled) {
      ++shown->from.counted.slow_readers;
      shown->on->stream.close();
    }
  });
}

// Returns false if the page must be closed.
asio::awaitable<bool> send(std::shared_ptr<page> shown, const std::string& text) {
  limit_time(shown);
  const auto [ec, size] = co_await shown->stream.async_write(asio::buffer(text), token);
  shown->timer.cancel();
  co_return !ec && shown->open;
}

}  // namespace

asio::awaitable<void> serve_page(page_source from, std::shared_ptr<connection> on, request asked) {
  const auto shown = std::make_shared<page>(std::move(from), std::move(on));
  const auto& at_most = shown->from.at_most;
  websocket::stream_base::timeout times{};
  times.handshake_timeout = at_most.request_timeout;
  times.idle_timeout = at_most.idle_timeout;
  times.keep_alive_pings = true;
  shown->on->stream.expires_never();
  shown->stream.set_option(times);
  shown->stream.read_message_max(at_most.body_size);
  const auto [refused] = co_await shown->stream.async_accept(asked, token);
  if (refused) {
    co_return;
  }
  ++shown->from.counted.responses;
  asio::co_spawn(shown->stream.get_executor(), read(shown), asio::detached);
  auto text = shown->from.history();
  (void)co_await send(shown, text);
  while (shown->open) {
    text = co_await shown->from.status();
    if (!co_await send(shown, text)) {
      break;
    }
    shown->timer.expires_after(at_most.page_interval);
    (void)co_await shown->timer.async_wait(token);
  }
  shown->on->stream.close();
}

}  // namespace zinc::http
