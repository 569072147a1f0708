// The containers that a Majordomo broker has instead of Boost's, each beside Boost's next best. The sizes are those of
// a broker with 5,000 workers and 10,000 requests in flight.
// bazel run -c opt //bench/micro:broker_containers

#include "mdp/broker_records.h"
#include "mdp/deadline_heap.h"
#include "mdp/given_requests.h"
#include "mdp/pool.h"

#include <benchmark/benchmark.h>
#include <boost/heap/d_ary_heap.hpp>
#include <boost/intrusive/set.hpp>
#include <boost/pool/object_pool.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace mdp {
namespace {

constexpr std::size_t workers = 5'000;
constexpr std::size_t requests = 10'000;

// Ends a random request in flight and begins another. A quarter of the objects is free, as after a busier time.

struct zinc_pool {
  request* create() { return &objects.create(); }
  void destroy(request* r) { objects.destroy(*r); }
  pool<request> objects;
};
struct boost_object_pool {
  request* create() { return objects.construct(); }
  void destroy(request* r) { objects.destroy(r); }
  boost::object_pool<request> objects;
};
struct new_and_delete {
  request* create() { return new request; }
  void destroy(request* r) { delete r; }
};

template <class Pool>
void replace_object(benchmark::State& state) {
  Pool objects;
  std::vector<request*> live(requests);
  for (auto& one : live) {
    one = objects.create();
  }
  std::minstd_rand random{1};
  std::shuffle(live.begin(), live.end(), random);
  while (live.size() > requests * 3 / 4) {
    objects.destroy(live.back());
    live.pop_back();
  }
  for (auto _ : state) {
    auto& one = live[random() % live.size()];
    objects.destroy(one);
    one = objects.create();
  }
  for (auto* one : live) {
    objects.destroy(one);
  }
}
BENCHMARK_TEMPLATE(replace_object, zinc_pool);
BENCHMARK_TEMPLATE(replace_object, new_and_delete);
BENCHMARK_TEMPLATE(replace_object, boost_object_pool);

struct zinc_tokens {
  void enter(request& r) { given.enter(r); }
  void leave(request& r) { given.leave(r); }
  request* find(std::uint64_t token) { return given.find(token); }
  given_requests given;
};
struct boost_flat_map {
  void enter(request& r) { given.emplace(r.token = ++last, &r); }
  void leave(request& r) { given.erase(r.token); }
  request* find(std::uint64_t token) {
    const auto found = given.find(token);
    return found == given.end() ? nullptr : found->second;
  }
  boost::unordered_flat_map<std::uint64_t, request*> given;
  std::uint64_t last = 0;
};

// Ends all requests in random order, and begins them again. The time is that of one request.
template <class Pool>
void replace_all(benchmark::State& state) {
  Pool objects;
  std::vector<request*> live(requests);
  for (auto& one : live) {
    one = objects.create();
  }
  std::minstd_rand random{1};
  std::shuffle(live.begin(), live.end(), random);
  for (auto _ : state) {
    for (auto* one : live) {
      objects.destroy(one);
    }
    for (auto& one : live) {
      one = objects.create();
    }
  }
  state.counters["per_request"] = benchmark::Counter(
      static_cast<double>(requests),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  for (auto* one : live) {
    objects.destroy(one);
  }
}
BENCHMARK_TEMPLATE(replace_all, zinc_pool);
BENCHMARK_TEMPLATE(replace_all, new_and_delete);
BENCHMARK_TEMPLATE(replace_all, boost_object_pool);

// Finds a random request in flight, ends it and begins another.
template <class Table>
void replace_token(benchmark::State& state) {
  Table table;
  std::vector<request> live(requests);
  for (auto& one : live) {
    table.enter(one);
  }
  std::minstd_rand random{1};
  for (auto _ : state) {
    auto* const found = table.find(live[random() % live.size()].token);
    table.leave(*found);
    table.enter(*found);
  }
}
BENCHMARK_TEMPLATE(replace_token, zinc_tokens);
BENCHMARK_TEMPLATE(replace_token, boost_flat_map);

using milliseconds = std::chrono::milliseconds;

struct zinc_heap {
  struct owner {
    std::size_t heap_place = not_in_heap;
  };
  void set(owner& o, time_point due) { heap.set(o, due); }
  owner& first() { return heap.first(); }
  time_point next() { return *heap.next(); }
  void remove(owner& o) { heap.remove(o); }
  deadline_heap<owner> heap;
};

struct boost_d_ary_heap {
  struct owner;
  struct entry {
    time_point due;
    owner* of;
    bool operator<(const entry& other) const noexcept { return due > other.due; }
  };
  using heap_type =
      boost::heap::d_ary_heap<entry, boost::heap::arity<4>, boost::heap::mutable_<true>>;
  struct owner {
    heap_type::handle_type place{};
    bool in = false;
  };
  void set(owner& o, time_point due) {
    if (o.in) {
      heap.update(o.place, {due, &o});
    } else {
      o.place = heap.push({due, &o});
      o.in = true;
    }
  }
  owner& first() { return *heap.top().of; }
  time_point next() { return heap.top().due; }
  void remove(owner& o) {
    heap.erase(o.place);
    o.in = false;
  }
  heap_type heap;
};

struct boost_intrusive_set {
  struct owner : boost::intrusive::set_base_hook<> {
    time_point due;
    bool operator<(const owner& other) const noexcept { return due < other.due; }
  };
  ~boost_intrusive_set() { set_.clear(); }
  void set(owner& o, time_point due) {
    if (o.is_linked()) {
      set_.erase(set_.iterator_to(o));
    }
    o.due = due;
    set_.insert(o);
  }
  owner& first() { return *set_.begin(); }
  time_point next() { return set_.begin()->due; }
  void remove(owner& o) { set_.erase(set_.iterator_to(o)); }
  boost::intrusive::multiset<owner> set_;
};

// The first deadline moves by an interval, as the heartbeat of a worker does.
template <class Heap>
void move_first(benchmark::State& state) {
  std::vector<typename Heap::owner> owners(workers);
  Heap heap;
  std::minstd_rand random{1};
  for (auto& one : owners) {
    heap.set(one, time_point{milliseconds{random() % 2'500}});
  }
  for (auto _ : state) {
    heap.set(heap.first(), heap.next() + milliseconds{2'500});
  }
}
BENCHMARK_TEMPLATE(move_first, zinc_heap);
BENCHMARK_TEMPLATE(move_first, boost_d_ary_heap);
BENCHMARK_TEMPLATE(move_first, boost_intrusive_set);

// Any deadline moves, as that of a service does when its oldest request is assigned.
template <class Heap>
void move_any(benchmark::State& state) {
  std::vector<typename Heap::owner> owners(workers);
  Heap heap;
  std::minstd_rand random{1};
  for (auto& one : owners) {
    heap.set(one, time_point{milliseconds{random() % 2'500}});
  }
  milliseconds now{0};
  for (auto _ : state) {
    heap.set(owners[random() % owners.size()], time_point{++now + milliseconds{2'500}});
  }
}
BENCHMARK_TEMPLATE(move_any, zinc_heap);
BENCHMARK_TEMPLATE(move_any, boost_d_ary_heap);
BENCHMARK_TEMPLATE(move_any, boost_intrusive_set);

// A random deadline leaves and returns, as that of a service does when its queue empties and fills.
template <class Heap>
void replace_any(benchmark::State& state) {
  std::vector<typename Heap::owner> owners(workers);
  Heap heap;
  std::minstd_rand random{1};
  for (auto& one : owners) {
    heap.set(one, time_point{milliseconds{random() % 2'500}});
  }
  milliseconds now{0};
  for (auto _ : state) {
    auto& one = owners[random() % owners.size()];
    heap.remove(one);
    heap.set(one, time_point{++now + milliseconds{2'500}});
  }
}
BENCHMARK_TEMPLATE(replace_any, zinc_heap);
BENCHMARK_TEMPLATE(replace_any, boost_d_ary_heap);
BENCHMARK_TEMPLATE(replace_any, boost_intrusive_set);

}  // namespace
}  // namespace mdp
