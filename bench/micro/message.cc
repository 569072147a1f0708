// The cost of changing a message, as for envelopes. bazel run -c opt //bench/micro:message

#include "zmtp/message.h"

#include <benchmark/benchmark.h>

#include <string>

namespace zmtp {
namespace {

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
BENCHMARK(change_envelope)->ArgName("bytes")->Arg(11)->Arg(1000);

}  // namespace
}  // namespace zmtp
