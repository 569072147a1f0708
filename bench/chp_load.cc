// A client that sets and one that follows, in a thread each, of a CHP server at ENDPOINT and the two ports
// behind it; prints the updates per second that the follower received. Both speak 12/CHP on sockets, as libzmq's
// clone_load does, so the server is measured.
#include "bench/support/arguments.h"
#include "bench/support/endpoint.h"
#include "bench/support/updates.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

namespace {

namespace asio = boost::asio;

constexpr std::uint64_t batch_messages = 256;

zmtp::message make_update(std::string_view key, std::uint64_t number) {
  static constexpr std::string_view no_sequence{"\0\0\0\0\0\0\0\0", 8};
  const auto uuid = bench::update_uuid(number);
  return zmtp::message{key, no_sequence,
                       std::string_view{reinterpret_cast<const char*>(uuid.data()), uuid.size()},
                       std::string_view{}, bench::update_value};
}

asio::awaitable<void> set_all(zmtp::pub_socket pub, std::uint64_t count,
                              const bench::update_run& run) {
  asio::steady_timer pause{pub.get_executor()};
  std::uint64_t number = 0;
  while (!run.live()) {
    co_await pub.async_send(make_update(bench::probe_key, number++), asio::use_awaitable);
    pause.expires_after(std::chrono::milliseconds{bench::update_probe_milliseconds});
    co_await pause.async_wait(asio::use_awaitable);
  }
  std::array<char, 20> text;
  zmtp::message_batch batch;
  for (std::uint64_t sent = 0; sent < count;) {
    const auto some = std::min(batch_messages, count - sent);
    for (std::uint64_t i = 0; i < some; ++i) {
      batch.append(make_update(bench::update_key(sent++, text), number++));
    }
    co_await pub.async_send(batch, asio::use_awaitable);
  }
  co_await pub.async_send(make_update(bench::end_key, number), asio::use_awaitable);
}

asio::awaitable<void> follow(zmtp::sub_socket sub, bench::update_run& run) {
  const std::chrono::milliseconds timeout{bench::update_deadline_milliseconds};
  zmtp::message_batch batch;
  for (;;) {
    boost::system::error_code ec;
    auto token = asio::redirect_error(asio::use_awaitable, ec);
    co_await sub.async_receive(batch, timeout, token);
    if (ec) {
      co_return;
    }
    for (const auto m : batch) {
      const auto sequence =
          m.size() > 1 ? bench::update_sequence(*std::next(m.begin())) : std::uint64_t{0};
      if (m.front() != "HUGZ" && !run.on_update(m.front(), sequence)) {
        co_return;
      }
    }
  }
}

}  // namespace

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT COUNT"};
  const auto at = bench::parse_endpoint(arguments.text(0));
  bench::update_run run{arguments.number(1)};
  asio::io_context setting{1};
  asio::io_context following{1};
  zmtp::socket_options options;
  options.no_drop = true;
  zmtp::pub_socket pub{setting.get_executor(), options};
  pub.connect(at.further(2).text());
  zmtp::sub_socket sub{following.get_executor()};
  sub.subscribe("");
  sub.connect(at.further(1).text());
  co_spawn(setting, set_all(std::move(pub), arguments.number(1), run), zmtp::rethrow);
  co_spawn(following, follow(std::move(sub), run), zmtp::rethrow);
  std::thread setter{[&] { setting.run(); }};
  following.run();
  setting.stop();
  setter.join();
  return run.report();
}
