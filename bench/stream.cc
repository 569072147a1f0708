#include "bench/stream.h"

#include "bench/support/arguments.h"
#include "bench/support/report.h"

#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace bench {

namespace asio = boost::asio;

namespace {

constexpr std::uint64_t batch_messages = 1024;
// Small enough to stay in the cache until it is written.
constexpr std::uint64_t batch_bytes = 64 * 1024;

// The bytes are whatever the memory holds, as those of libzmq's programs are.
void append(zmtp::message_batch& batch, const stream& work) {
  if (work.parts == 1) {
    (void)batch.prepare(work.size);
    return;
  }
  zmtp::message m;
  for (std::uint64_t part = 0; part < work.parts; ++part) {
    (void)m.prepare_back(work.size);
  }
  batch.append(std::move(m));
}

// `Message` is a message or a message_view.
template <class Message>
void check(const Message& m, const stream& work) {
  if (m.size() != work.parts || m.front().size() != work.size) {
    fail("a message of another size or number of parts: give both programs the same arguments");
  }
}

void report(const stream& work, double seconds) {
  print_throughput(work.size * work.parts, work.count, seconds);
}

}  // namespace

asio::awaitable<void> send_stream(zmtp::push_socket push, stream work) {
  const auto most =
      std::clamp<std::uint64_t>(batch_bytes / (work.size * work.parts), 1, batch_messages);
  zmtp::message_batch batch;
  for (auto left = work.count; left != 0;) {
    const auto count = std::min(most, left);
    for (std::uint64_t i = 0; i < count; ++i) {
      append(batch, work);
    }
    co_await push.async_send(batch, asio::use_awaitable);
    left -= count;
  }
}

asio::awaitable<void> receive_stream(zmtp::pull_socket pull, stream work) {
  zmtp::message_batch batch;
  std::optional<stopwatch> clock;
  for (std::uint64_t received = 0; received < work.count;) {
    co_await pull.async_receive(batch, asio::use_awaitable);
    if (!clock) {
      clock.emplace();
    }
    for (const auto m : batch) {
      check(m, work);
    }
    received += batch.size();
  }
  report(work, clock->seconds());
}

asio::awaitable<void> receive_stream_singly(zmtp::pull_socket pull, stream work) {
  check(co_await pull.async_receive(asio::use_awaitable), work);
  const stopwatch clock;
  for (std::uint64_t received = 1; received < work.count; ++received) {
    check(co_await pull.async_receive(asio::use_awaitable), work);
  }
  report(work, clock.seconds());
}

}  // namespace bench
