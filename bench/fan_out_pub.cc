// PUB for PEERS connections of fan_out_sub; bench/support/fan_out.h says how they find each other.
#include "bench/support/arguments.h"
#include "bench/support/endpoint.h"
#include "bench/support/fan_out.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace {

namespace asio = boost::asio;

constexpr std::uint64_t usual_batch = 256;

zmtp::message bytes_of(std::span<const std::byte> content) {
  return zmtp::message{
      std::string_view{reinterpret_cast<const char*>(content.data()), content.size()}};
}

asio::awaitable<void> wait_for_go(zmtp::pub_socket& pub, zmtp::pull_socket& pull) {
  const std::chrono::milliseconds interval{bench::probe_interval_milliseconds};
  for (std::uint64_t number = 0;; ++number) {
    co_await pub.async_send(bytes_of(bench::make_probe(number)), asio::use_awaitable);
    boost::system::error_code ec;
    auto token = asio::redirect_error(asio::use_awaitable, ec);
    co_await pull.async_receive(interval, token);
    if (!ec) {
      co_return;
    }
  }
}

asio::awaitable<void> publish_singly(zmtp::pub_socket& pub, std::uint64_t size,
                                     std::uint64_t count) {
  for (auto left = count; left != 0; --left) {
    zmtp::message m;
    m.prepare_back(size).front() = bench::data_mark;
    co_await pub.async_send(std::move(m));
  }
}

asio::awaitable<void> publish_batches(zmtp::pub_socket& pub, std::uint64_t size,
                                      std::uint64_t count, std::uint64_t most) {
  zmtp::message_batch batch;
  for (auto left = count; left != 0;) {
    const auto some = std::min(most, left);
    for (std::uint64_t i = 0; i < some; ++i) {
      batch.prepare(size).front() = bench::data_mark;
    }
    co_await pub.async_send(batch, asio::use_awaitable);
    left -= some;
  }
}

asio::awaitable<void> publish(zmtp::pub_socket pub, zmtp::pull_socket pull, std::uint64_t size,
                              std::uint64_t count, std::uint64_t most) {
  co_await wait_for_go(pub, pull);
  if (most == 1) {
    co_await publish_singly(pub, size, count);
  } else {
    co_await publish_batches(pub, size, count, most);
  }
  co_await pub.async_send(zmtp::message{bench::fan_out_end}, asio::use_awaitable);
}

}  // namespace

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT PEERS SIZE COUNT [BATCH]"};
  // PEERS is for fan_out_sub. It connects to addresses all over 127/8, so all are bound.
  const auto port = bench::parse_endpoint(arguments.text(0)).port;
  bench::allow_descriptors(arguments.number(1));
  asio::io_context context{1};
  zmtp::socket_options options;
  options.no_drop = true;
  // A million topics of one subscriber are more than it may have by default.
  options.limit.subscriptions = 2'000'000;
  options.limit.subscription_bytes = 64 * 1024 * 1024;
  zmtp::pub_socket pub{context.get_executor(), options};
  pub.bind("tcp://*:" + std::to_string(port));
  zmtp::pull_socket pull{context.get_executor()};
  pull.bind("tcp://*:" + std::to_string(port + 1));
  co_spawn(context,
           publish(std::move(pub), std::move(pull), arguments.number(2), arguments.number(3),
                   arguments.number_or(4, usual_batch)),
           zmtp::rethrow);
  context.run();
}
