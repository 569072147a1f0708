// Random scenarios of production sockets over WebSocket and TLS, each from its seed, and planted faults
// of these layers. See test/simulation/seeds.h for the options of the command line; without them, 100 seeds.
#include "test/simulation/seeds.h"
#include "test/zmtp/simulation/production_scenario.h"
#include "test/zmtp/simulation/stream_over.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace zmtp::simulation {
namespace {

using transport::stream;

constexpr std::array<std::string_view, 3> layered = {"ws", "tls+tcp", "wss"};

production_result run(std::uint64_t seed) {
  return run_production(
      seed, {.print = printer_asked_for(), .transport = layered[seed % layered.size()]});
}

TEST(layer_scenarios, nothing_is_lost_doubled_spliced_or_out_of_order) {
  expect_no_findings("//test/zmtp/simulation:layer_scenarios_test", run);
}

TEST(layer_scenarios, the_same_seed_gives_the_same_trace) { expect_same_traces(run); }

TEST(layer_scenarios, every_pair_of_types_delivers_without_trouble) {
  for (const auto transport : layered) {
    for (std::size_t pattern = 0; pattern < patterns.size(); ++pattern) {
      const auto result =
          run_production(3, {.transport = transport, .pattern = pattern, .no_troubles = true});
      for (const auto& f : result.findings) {
        ADD_FAILURE() << transport << ", " << result.description << ": " << f.text;
      }
      EXPECT_GE(result.figure("parcels"), 5U) << transport << ", " << result.description;
    }
  }
}

// Takes all bytes, and loses those for which the stream below has no space.
class loses_the_rest final : public stream_over {
public:
  using stream_over::stream_over;

  [[nodiscard]] std::size_t write_some(std::span<const piece> pieces,
                                       error_code& ec) noexcept override {
    const auto count = stream_over::write_some(pieces, ec);
    std::size_t offered = 0;
    for (const auto& p : pieces) {
      offered += p.size();
    }
    return count == 0 ? 0 : offered;
  }
};

// Forgets up to 100 bytes for which the reader had no space.
class forgets_the_rest final : public stream_over {
public:
  using stream_over::stream_over;

  [[nodiscard]] std::size_t read_some(std::span<std::byte> to, error_code& ec) noexcept override {
    const auto count = stream_over::read_some(to, ec);
    if (count == to.size()) {
      std::array<std::byte, 100> forgotten;
      error_code ignored;
      (void)stream_over::read_some(forgotten, ignored);
    }
    return count;
  }
};

template <class Layer>
bool finds(violation what, std::string_view transport) {
  const planted_fault fault{.layer = [](std::unique_ptr<stream> below) -> std::unique_ptr<stream> {
    return std::make_unique<Layer>(std::move(below));
  }};
  return noticed(what, [&](std::uint64_t seed) {
    return run_production(seed, {.transport = transport, .no_troubles = true, .fault = fault});
  });
}

TEST(planted_layer_faults, bytes_that_are_lost_at_a_short_write_are_noticed) {
  for (const auto transport : layered) {
    EXPECT_TRUE(finds<loses_the_rest>(violation::lost, transport)) << transport;
  }
}

TEST(planted_layer_faults, bytes_that_are_forgotten_after_a_short_read_are_noticed) {
  for (const auto transport : layered) {
    EXPECT_TRUE(finds<forgets_the_rest>(violation::lost, transport)) << transport;
  }
}

}  // namespace
}  // namespace zmtp::simulation

int main(int count, char** arguments) { return zmtp::simulation::run_tests(count, arguments, 100); }
