// One SUB with PEERS connections to a fan_out_pub; prints the deliveries per second.
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

#include <chrono>

namespace {

namespace asio = boost::asio;

asio::awaitable<void> receive(zmtp::sub_socket sub, zmtp::push_socket push,
                              bench::fan_out_receiver& receiver) {
  const std::chrono::milliseconds timeout{bench::delivery_deadline_milliseconds};
  zmtp::message_batch batch;
  for (;;) {
    boost::system::error_code ec;
    auto token = asio::redirect_error(asio::use_awaitable, ec);
    co_await sub.async_receive(batch, timeout, token);
    if (ec) {
      co_return;
    }
    for (const auto m : batch) {
      switch (receiver.on_message(std::as_bytes(std::span{m.front()}))) {
        case bench::fan_out_step::wait: break;
        case bench::fan_out_step::send_go:
          co_await push.async_send(zmtp::message{bench::fan_out_go}, asio::use_awaitable);
          break;
        case bench::fan_out_step::finish: co_return;
      }
    }
  }
}

}  // namespace

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT PEERS SIZE COUNT [TOPICS]"};
  auto endpoint = bench::parse_endpoint(arguments.text(0));
  const auto peers = arguments.number(1);
  bench::allow_descriptors(peers);
  asio::io_context context{1};
  zmtp::push_socket push{context.get_executor()};
  push.connect("tcp://127.0.0.1:" + std::to_string(endpoint.port + 1));
  zmtp::sub_socket sub{context.get_executor()};
  if (const auto topics = arguments.number_or(4, 0); topics == 0) {
    sub.subscribe("");
  } else {
    for (std::uint64_t i = 0; i < topics; ++i) {
      sub.subscribe(bench::unmatched_topic(i));
    }
    for (const auto topic : bench::fan_out_topics) {
      sub.subscribe(topic);
    }
  }
  for (std::uint64_t peer = 0; peer < peers; ++peer) {
    endpoint.host = bench::loopback_address(peer);
    sub.connect(endpoint.text());
  }
  bench::fan_out_receiver receiver{peers, arguments.number(2), arguments.number(3)};
  co_spawn(context, receive(std::move(sub), std::move(push), receiver), zmtp::rethrow);
  context.run();
  return receiver.report();
}
