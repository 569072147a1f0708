// The longest single call, in milliseconds of processor time, on the data that a server of the clustered hashmap keeps
// beside its map (bench/micro:chp_store has the map). The calls grow this data up to its limits, read it, move it and
// free it. The server does nothing else during such a call.
// bazel run -c opt //bench/micro:chp_longest_calls

#include "chp/command.h"
#include "chp/deferred_sessions.h"
#include "chp/directory_counters.h"
#include "chp/map_writer.h"
#include "chp/pending_updates.h"
#include "chp/session_acks.h"
#include "chp/store.h"
#include "chp/tombstones.h"
#include "chp/update_register.h"

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

void fill(update_register& r) {
  const register_limits limits;
  for (std::uint64_t n = 0; n < limits.max_sessions; ++n) {
    r.insert(first_of_session(n));
  }
  for (std::uint64_t n = 0; n < limits.max_others; ++n) {
    r.insert(without_session(n));
  }
}

void register_grows(benchmark::State& state) {
  const register_limits limits;
  for (auto _ : state) {
    longest sessions{state, "sessions_ms"};
    longest others{state, "others_ms"};
    longest refusals{state, "refusals_ms"};
    longest end{state, "end_ms"};
    auto r = std::make_unique<update_register>(1);
    for (std::uint64_t n = 0; n < 2 * limits.max_sessions; ++n) {
      sessions([&] { r->insert(first_of_session(n)); });
    }
    for (std::uint64_t n = 0; n < 2 * limits.max_others; ++n) {
      others([&] { r->insert(without_session(n)); });
    }
    for (std::uint64_t n = limits.max_sessions; n < 2 * limits.max_sessions; ++n) {
      const auto session = first_of_session(n).session();
      refusals([&] { r->refuse(update_id::of_session(session, 2), errc::too_many_keys); });
    }
    end([&] { r.reset(); });
  }
}
BENCHMARK(register_grows)->Iterations(1)->Unit(benchmark::kMillisecond);

// As it is for the store and for a backup, which unpacks it.
void register_is_packed(benchmark::State& state) {
  update_register r{1};
  fill(r);
  for (auto _ : state) {
    longest open{state, "open_ms"};
    longest pack{state, "pack_ms"};
    longest change{state, "change_ms"};
    longest unpack{state, "unpack_ms"};
    auto all = open([&] { return r.open_image(); });
    update_register copy{2};
    std::uint64_t n = 0;
    for (std::string piece; !(piece = pack([&] { return all.next(); })).empty();) {
      unpack([&] { benchmark::DoNotOptimize(copy.unpack(piece)); });
      for (const auto end = n + 10'000; n < end; ++n) {
        change([&] { r.insert(first_of_session(100'000 + n)); });
      }
    }
  }
}
BENCHMARK(register_is_packed)->Iterations(1)->Unit(benchmark::kMillisecond);

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

void pending_grow(benchmark::State& state) {
  for (auto _ : state) {
    longest grow{state, "grow_ms"};
    longest confirm{state, "confirm_ms"};
    longest forget{state, "forget_4096_ms"};
    longest take{state, "take_ms"};
    const auto add = [](pending_updates& all, std::uint64_t n) {
      const auto id = first_of_session(n);
      all.add(make_set(form::kvmsg, "key", id, "", "value"), id, {});
    };
    // As many as there may be of the smallest, and more.
    pending_updates all{1, 64 * 1024 * 1024};
    for (std::uint64_t n = 0; n < million; ++n) {
      grow([&] { add(all, n); });
    }
    state.counters["pending"] = static_cast<double>(all.size());
    all.begin_forgetting();
    while (
        !forget([&] { return all.forget_known(4'096, [](const update_id&) { return false; }); })) {
    }
    for (std::uint64_t n = million - 1'000; n < million; ++n) {
      confirm([&] { all.confirm(first_of_session(n)); });
    }
    take([&] { benchmark::DoNotOptimize(all.take()); });
  }
}
BENCHMARK(pending_grow)->Iterations(1)->Unit(benchmark::kMillisecond);

void tombstones_grow(benchmark::State& state) {
  for (auto _ : state) {
    longest grow{state, "grow_ms"};
    longest forget{state, "forget_ms"};
    longest take{state, "take_ms"};
    tombstones all{1, million};
    numbered key{"/directory/of/keys/"};
    for (std::uint64_t n = 1; n <= million + 100'000; ++n) {
      const auto name = key(n);
      grow([&] { all.add(name, first_of_session(n), n); });
    }
    const auto nothing = [](const tombstones::erasure&) { return false; };
    for (bool done = false; !done;) {
      forget([&] { done = all.forget_to(200'000, 1'000, nothing, nothing); });
    }
    const auto left = take([&] { return all.take(); });
    benchmark::DoNotOptimize(left.size());
  }
}
BENCHMARK(tombstones_grow)->Iterations(1)->Unit(benchmark::kMillisecond);

void put_off_grow(benchmark::State& state) {
  for (auto _ : state) {
    longest grow{state, "grow_ms"};
    deferred_sessions all{1, register_limits{}.max_sessions};
    for (std::uint64_t n = 0; n < million; ++n) {
      grow([&] { all.add(first_of_session(n).session(), 1); });
    }
  }
}
BENCHMARK(put_off_grow)->Iterations(1)->Unit(benchmark::kMillisecond);

// Updates that waited for a full disk, and are then committed.
void acknowledgements_wait(benchmark::State& state) {
  for (auto _ : state) {
    longest wait{state, "wait_ms"};
    longest commit{state, "commit_10000_ms"};
    session_acks all;
    for (std::uint64_t n = 1; n <= million; ++n) {
      wait([&] { all.await(first_of_session(n % 1'000).session(), n, n); });
    }
    while (!commit([&] { return all.commit(million, 10'000); })) {
    }
  }
}
BENCHMARK(acknowledgements_wait)->Iterations(1)->Unit(benchmark::kMillisecond);

// The whole map for the store, as many entries at once as a server reads, and 100,000 keys that were erased.
void whole_map_is_written(benchmark::State& state) {
  store map{1};
  sequence at = 0;
  numbered key{"/directory/of/keys/"};
  const std::string value(32, 'v');
  for (std::uint64_t n = 0; n < million; ++n) {
    map.apply({key(n), value, {}, {}}, ++at);
  }
  tombstones erased{1, million};
  for (std::uint64_t n = million; n < million + 100'000; ++n) {
    erased.add(key(n), {}, ++at);
  }
  map.pass(at);
  update_register applied{1};
  fill(applied);
  for (auto _ : state) {
    longest first{state, "first_ms"};
    longest read{state, "read_ms"};
    longest take{state, "take_ms"};
    longest done{state, "on_written_ms"};
    longest end{state, "end_ms"};
    map_writer writer{0, std::chrono::milliseconds{1'000}};
    writer.replace();
    const auto piece = [&] { return writer.read_whole(map, applied, erased, {}, 1'024, {}); };
    auto ended = first(piece);
    while (!ended) {
      ended = read(piece);
    }
    std::vector<std::vector<map_change>> out;
    take([&] { writer.take(out); });
    done([&] { writer.on_written({}, {}); });
    end([&] { out.clear(); });
  }
}
BENCHMARK(whole_map_is_written)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace chp
