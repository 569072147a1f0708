// The path of a message without I/O: decoded from a read buffer, queued, taken, framed into a send
// queue. bazel run -c opt //bench/micro:codec

#include "zmtp/buffer/block.h"
#include "zmtp/buffer/receive_queue.h"
#include "zmtp/buffer/send_queue.h"
#include "zmtp/decoder.h"
#include "zmtp/message.h"
#include "zmtp/message_batch.h"
#include "zmtp/options.h"

#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <variant>

namespace zmtp {
namespace {

// Messages of a turn: what a read holds at most, up to the usual mark.
constexpr std::size_t bytes_per_turn = block_size::reading;
constexpr std::size_t most_messages = 1000;

// A read buffer full of messages of `parts` parts, with `bytes` of body together.
struct read_buffer {
  read_buffer(std::size_t parts, std::size_t bytes) : memory{block::create(bytes_per_turn)} {
    message m;
    for (std::size_t i = 0; i < parts; ++i) {
      m.push_back(std::string(bytes / parts + (i < bytes % parts ? 1U : 0U), 'b'));
    }
    while (messages < most_messages && size + m.framed_size() <= bytes_per_turn) {
      for (const auto piece : {m.head(), m.tail()}) {
        if (!piece.empty()) {
          std::memcpy(memory->data() + size, piece.data(), piece.size());
          size += piece.size();
        }
      }
      ++messages;
    }
  }

  block_ptr memory;
  std::size_t size = 0;
  std::size_t messages = 0;
};

void decode(const read_buffer& from, receive_queue& to, const limits& limit) {
  decoder d{limit};
  std::span<std::byte> rest{from.memory->data(), from.size};
  while (!rest.empty() && d.look(rest, {.bytes = rest.size(), .messages = most_messages}) ==
                              decoder::found::message) {
    to.push(message_run{.memory = from.memory,
                        .data = rest.data(),
                        .size = d.size(),
                        .messages = d.messages(),
                        .shared = true});
    rest = rest.subspan(d.size());
    d.messages_taken();
  }
}

// Takes everything from the queue, as a kernel with room does.
void write(send_queue& from) {
  std::array<send_queue::piece, 64> pieces;
  while (!from.empty()) {
    std::size_t bytes = 0;
    for (const auto piece : std::span{pieces}.first(from.gather(pieces))) {
      bytes += piece.size();
    }
    benchmark::DoNotOptimize(pieces);
    from.advance(bytes);
  }
}

void count(benchmark::State& state, const read_buffer& buffer) {
  const auto messages = state.iterations() * static_cast<std::int64_t>(buffer.messages);
  state.SetItemsProcessed(messages);
  state.counters["per_message"] = benchmark::Counter(
      static_cast<double>(messages), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// `pass(in, out)` moves all messages.
template <class Pass>
void decode_queue_encode(benchmark::State& state, Pass pass) {
  const read_buffer buffer{static_cast<std::size_t>(state.range(0)),
                           static_cast<std::size_t>(state.range(1))};
  const limits limit;
  receive_queue in{high_water_mark{}};
  send_queue out{high_water_mark{}};
  for (auto _ : state) {
    decode(buffer, in, limit);
    while (!in.empty()) {
      pass(in, out);
    }
    in.compact();
    write(out);
  }
  count(state, buffer);
}

// One message at a time, as an object.
void objects(benchmark::State& state) {
  decode_queue_encode(state, [](receive_queue& in, send_queue& out) { out.push(in.pop()); });
}

// Runs, as a message_batch carries them.
void runs(benchmark::State& state) {
  decode_queue_encode(state, [](receive_queue& in, send_queue& out) {
    out.push(*std::get_if<message_run>(&in.front()));
    benchmark::DoNotOptimize(in.take(most_messages));
  });
}

// Makes a message from each view of a batch, and destroys it.
void object_of_a_view(benchmark::State& state) {
  const read_buffer buffer{static_cast<std::size_t>(state.range(0)),
                           static_cast<std::size_t>(state.range(1))};
  message_batch batch;
  batch.push_back({message_run{.memory = buffer.memory,
                               .data = buffer.memory->data(),
                               .size = buffer.size,
                               .messages = buffer.messages,
                               .shared = true}});
  for (auto _ : state) {
    for (const auto view : batch) {
      const auto m = view.to_message();
      benchmark::DoNotOptimize(m);
    }
  }
  count(state, buffer);
}
BENCHMARK(object_of_a_view)
    ->ArgNames({"parts", "bytes"})
    ->Args({4, 70})
    ->Args({5, 200})
    ->Args({5, 1000});

BENCHMARK(runs)
    ->ArgNames({"parts", "bytes"})
    ->Args({1, 16})
    ->Args({5, 70})
    ->Args({5, 80})
    ->Args({5, 1000});
BENCHMARK(objects)
    ->ArgNames({"parts", "bytes"})
    ->ArgsProduct({{1}, {16, 64, 80, 256, 1024, 4096, 32768}})
    ->Args({5, 70})  // 80 bytes as framed
    ->Args({5, 80})
    ->Args({5, 1000})
    ->ArgsProduct({{10, 100}, {256, 1024, 32768}});

}  // namespace
}  // namespace zmtp
