// A scrape of a broker over HTTP, without the connection: from the figures to the text of /metrics or /status.
// bazel run -c opt //bench/micro:broker_scrape

#include "mdp/broker_actions.h"
#include "tools/zinc/broker_figures.h"
#include "tools/zinc/http/metrics_text.h"
#include "tools/zinc/http/status_json.h"

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zinc {
namespace {

using namespace std::chrono_literals;

// Services that are busy: all that changes in such a service has a value.
std::vector<mdp::service_status> busy_services(std::size_t count) {
  std::vector<mdp::service_status> all;
  for (std::size_t i = 0; i < count; ++i) {
    const auto requests = 10'000 + i * 17;
    auto& added = all.emplace_back();
    added.name = "service." + std::to_string(i);
    added.workers = 4;
    added.busy = 3;
    added.waiting = i % 50;
    added.working = 3;
    added.bytes = i * 1'024;
    added.counters.requests = requests;
    added.counters.replies = requests;
    for (auto* const times : {&added.times.queue_time, &added.times.work_time}) {
      times->add(312us, requests);
      times->add(4'700us, requests / 10);
      times->add(38ms + std::chrono::nanoseconds{i}, requests / 100);
    }
  }
  return all;
}

void scrape(benchmark::State& state,
            std::string (*text_of)(const http::report&, std::string_view)) {
  const std::string endpoint{"tcp://127.0.0.1:5555"};
  const mdp::broker_status broker;
  const auto services = busy_services(static_cast<std::size_t>(state.range(0)));
  std::size_t size = 0;
  for (auto _ : state) {
    http::report all{.component = "broker", .not_ready = {}, .records = {}};
    all.records.push_back(record_of(broker, endpoint));
    for (const auto& one : services) {
      all.records.push_back(record_of(one, endpoint));
    }
    const auto text = text_of(all, "1.0");
    benchmark::DoNotOptimize(text.data());
    size = text.size();
  }
  state.counters["bytes"] = static_cast<double>(size);
}

void metrics(benchmark::State& state) { scrape(state, http::metrics_text); }
BENCHMARK(metrics)->ArgName("services")->Arg(1)->Arg(1'000)->Unit(benchmark::kMicrosecond);

void status(benchmark::State& state) { scrape(state, http::status_json); }
BENCHMARK(status)->ArgName("services")->Arg(1)->Arg(1'000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace zinc
