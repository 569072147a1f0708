// The longest single call, in milliseconds of processor time, on the data that a server of the clustered hashmap keeps
// beside its map (bench/micro:chp_store has the map). The calls grow this data up to its limits, read it, move it and
// free it. The server does nothing else during such a call.
// bazel run -c opt //bench/micro:chp_longest_calls

#include "chp/command.h"
#include "chp/directory_counters.h"
#include "chp/entry_log.h"
#include "chp/history.h"
#include "chp/known_ids.h"
#include "chp/log_entry.h"
#include "chp/replica.h"
#include "chp/sessions.h"
#include "chp/state_write.h"
#include "chp/store_status.h"
#include "zmtp/storage/error.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chp {
namespace {

constexpr std::uint64_t million = 1'000'000;

// Returns the time of this thread, so that other load on the machine does not count.
double processor_milliseconds() {
  std::timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

// The longest of many calls, as a counter of the benchmark.
class longest {
public:
  longest(benchmark::State& state, const char* name) : state_{state}, name_{name} {}
  longest(const longest&) = delete;
  longest& operator=(const longest&) = delete;
  ~longest() { state_.counters[name_] = most_; }

  template <class Call>
  decltype(auto) operator()(Call&& call) {
    const stop at_end{*this, processor_milliseconds()};
    return std::forward<Call>(call)();
  }

private:
  struct stop {
    longest& of;
    double begin;
    ~stop() { of.most_ = std::max(of.most_, processor_milliseconds() - begin); }
  };

  benchmark::State& state_;
  const char* name_;
  double most_ = 0;
};

// A name of at most 31 bytes that views itself.
class numbered {
public:
  explicit numbered(std::string_view head) : size_{head.copy(text_.data(), head.size())} {}
  std::string_view operator()(std::uint64_t n, std::string_view tail = {}) {
    auto* const end = std::to_chars(text_.data() + size_, text_.data() + text_.size(), n).ptr;
    return {text_.data(),
            static_cast<std::size_t>(end - text_.data()) + tail.copy(end, tail.size())};
  }

private:
  std::array<char, 64> text_;
  std::size_t size_;
};

update_id first_of_session(std::uint64_t n) {
  return update_id::of_session(update_id::make_session(n * 0x9e37'79b9'7f4a'7c15), 1);
}
update_id without_session(std::uint64_t n) {
  return update_id::of_random(n * 0x9e37'79b9'7f4a'7c15, ~n);
}

log_entry set_entry(std::uint64_t n, const update_id& id) {
  return {.number = make_sequence(1, n), .id = id, .low = 1, .key = "key", .value = "value"};
}

void sessions_grow(benchmark::State& state) {
  const session_limits limits;
  for (auto _ : state) {
    longest grow{state, "grow_ms"};
    longest rows{state, "rows_ms"};
    longest read{state, "read_ms"};
    longest end{state, "end_ms"};
    auto all = std::make_unique<sessions>(1);
    // Twice the limit: half of them are forgotten.
    for (std::uint64_t n = 1; n <= 2 * limits.max_sessions; ++n) {
      grow([&] { all->note(set_entry(n, first_of_session(n))); });
    }
    // As for a store or a backup.
    sessions copy{2};
    copy.begin_replay();
    std::size_t at = 0;
    std::string piece;
    for (bool more = true; more; piece.clear()) {
      more = rows([&] { return all->append_rows(at, 64 * 1024, piece); });
      read([&] {
        sequence last = 0;
        for (std::string_view rest{piece}; !rest.empty();) {
          benchmark::DoNotOptimize(copy.insert_row(rest, last));
        }
      });
    }
    end([&] { all.reset(); });
  }
}
BENCHMARK(sessions_grow)->Iterations(1)->Unit(benchmark::kMillisecond);

void ids_grow(benchmark::State& state) {
  for (auto _ : state) {
    longest grow{state, "grow_ms"};
    known_ids all{1, million};
    for (std::uint64_t n = 1; n <= 2 * million; ++n) {
      grow([&] { all.insert(without_session(n), n); });
    }
  }
}
BENCHMARK(ids_grow)->Iterations(1)->Unit(benchmark::kMillisecond);

// A log at its limits, whose oldest entries go.
void log_grows(benchmark::State& state) {
  for (auto _ : state) {
    longest append{state, "append_ms"};
    longest trim{state, "trim_ms"};
    longest end{state, "restart_ms"};
    entry_log all;
    for (std::uint64_t n = 1; n <= 2 * million; ++n) {
      append([&] { all.append(set_entry(n, first_of_session(n))); });
      trim([&] { benchmark::DoNotOptimize(all.trim(make_sequence(1, n), chp::trimmed_to::half)); });
    }
    end([&] { all.restart(0); });
  }
}
BENCHMARK(log_grows)->Iterations(1)->Unit(benchmark::kMillisecond);

void counters_grow(benchmark::State& state) {
  for (auto _ : state) {
    longest grow{state, "grow_ms"};
    longest count{state, "count_ms"};
    longest clear{state, "clear_ms"};
    longest end{state, "tidy_1000_ms"};
    directory_counters all{1, million};
    numbered key{"/directory-"};
    for (std::uint64_t n = 0; n < million; ++n) {
      const auto name = key(n, "/k");
      grow([&] { benchmark::DoNotOptimize(all.add(name)); });
    }
    for (std::uint64_t n = 0; n < million; ++n) {
      const auto name = key(n, "/k");
      count([&] { benchmark::DoNotOptimize(all.add(name)); });
    }
    clear([&] { all.clear(); });
    while (!end([&] { return all.tidy(1'000); })) {
    }
  }
}
BENCHMARK(counters_grow)->Iterations(1)->Unit(benchmark::kMillisecond);

// The whole state for the store, as after a full disk.
void whole_state_is_written(benchmark::State& state) {
  constexpr replica::time_point now{};
  replica one{{.has_store = true}, 1};
  one.begin_reign(1, 7);
  numbered key{"/directory/of/keys/"};
  const std::string value(32, 'v');
  std::vector<state_write> out;
  const auto settle = [&] {
    while (!out.empty()) {
      out.pop_back();
      one.on_written({}, now);
    }
  };
  // The reign has the first number.
  for (std::uint64_t n = 2; n <= million; ++n) {
    one.append({.number = make_sequence(1, n), .key = key(n), .value = value});
    one.publish(one.end(), now, [](const log_entry&, bool) {});
    one.take_writes(now, out);
    settle();
    one.trim(one.end(), chp::trimmed_to::half);
  }
  for (auto _ : state) {
    longest piece{state, "piece_ms"};
    longest done{state, "on_written_ms"};
    one.append({.number = one.end() + 1, .key = key(1), .value = value});
    one.take_writes(now, out);
    out.clear();
    one.on_written(zmtp::storage_errc::store_full, now);
    auto at = now;
    do {
      at = one.next_deadline().value_or(at);
      piece([&] { one.take_writes(at, out); });
      done([&] { settle(); });
    } while (one.stored() != store_status::all);
  }
}
BENCHMARK(whole_state_is_written)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace chp
