// The path of a message without I/O: decoded from a read buffer, queued, taken, framed into a send
// queue. bazel run -c opt //bench:message

#include "zmtp/message.h"

#include "zmtp/buffer/block.h"
#include "zmtp/buffer/receive_queue.h"
#include "zmtp/buffer/send_queue.h"
#include "zmtp/decoder.h"

#include <benchmark/benchmark.h>

#include <array>
#include <cstring>
#include <string>

namespace zmtp {
namespace {

// Messages of a turn: what a read of 64 KiB holds at most, up to the usual mark.
constexpr std::size_t octets_per_turn = 64 * 1024;
constexpr std::size_t most_messages = 1000;

// A read buffer full of messages of `parts` parts of `part_size` octets each.
struct read_buffer {
  read_buffer(std::size_t parts, std::size_t part_size) : memory{block::create(octets_per_turn)} {
    message m;
    const std::string body(part_size, 'b');
    for (std::size_t i = 0; i < parts; ++i) {
      m.push_back(body);
    }
    while (messages < most_messages && size + m.framed_size() <= octets_per_turn) {
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

void decode_queue_encode(benchmark::State& state) {
  const read_buffer buffer{static_cast<std::size_t>(state.range(0)),
                           static_cast<std::size_t>(state.range(1))};
  const limits limit;
  receive_queue in{high_water_mark{}};
  send_queue out{high_water_mark{}};
  for (auto _ : state) {
    decoder d{limit};
    std::span<std::byte> rest{buffer.memory->data(), buffer.size};
    while (!rest.empty() && d.look(rest) == decoder::found::message) {
      in.emplace(buffer.memory, rest.first(d.size()), d.parts());
      rest = rest.subspan(d.size());
      d.message_taken();
    }
    message m;
    while (!in.empty()) {
      in.pop(m);
      out.push(std::move(m));
    }
    in.settle();
    std::array<send_queue::piece, 64> pieces;
    while (!out.empty()) {
      std::size_t octets = 0;
      for (const auto piece : std::span{pieces}.first(out.gather(pieces))) {
        octets += piece.size();
      }
      benchmark::DoNotOptimize(pieces);
      out.advance(octets);
    }
  }
  const auto messages = state.iterations() * static_cast<std::int64_t>(buffer.messages);
  state.SetItemsProcessed(messages);
  state.counters["per_message"] = benchmark::Counter(
      static_cast<double>(messages), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(decode_queue_encode)
    ->ArgNames({"parts", "octets"})
    ->Args({1, 16})
    ->Args({1, 64})
    ->Args({1, 80})
    ->Args({5, 14})  // 80 octets as framed
    ->Args({5, 16})  // 80 octets of body
    ->Args({1, 256})
    ->Args({5, 200})
    ->Args({1, 4096});

// A broker's change of envelope: takes the front parts off and puts others on.
void change_envelope(benchmark::State& state) {
  const std::string body(static_cast<std::size_t>(state.range(0)), 'b');
  const message request{"", "MDPC01", "echo", body};
  for (auto _ : state) {
    auto m = request;
    m.pop_front();
    m.pop_front();
    m.pop_front();
    m.push_front("");
    m.push_front("0123456789abcdef");
    m.push_front("\x02");
    m.push_front("MDPW01");
    m.push_front("");
    benchmark::DoNotOptimize(m);
  }
}
BENCHMARK(change_envelope)->ArgName("octets")->Arg(11)->Arg(1000);

}  // namespace
}  // namespace zmtp
