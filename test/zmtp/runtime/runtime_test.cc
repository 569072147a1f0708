// The runtime of a context: the operating system's, or the one that was installed first.

#include "zmtp/runtime/runtime.h"

#include "test/support/manual_runtime.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>

namespace zmtp::test {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

TEST(runtime_of_a_context, is_the_operating_systems_by_default) {
  asio::io_context context;
  EXPECT_EQ(&runtime::of(context.get_executor()), &runtime::system());
}

TEST(runtime_of_a_context, is_the_installed_one_for_all_executors) {
  asio::io_context context;
  const auto& installed = manual_runtime::install_in(context);
  EXPECT_EQ(&runtime::of(context.get_executor()), &installed);
  EXPECT_EQ(&runtime::of(asio::make_strand(context)), &installed);
  asio::io_context other;
  EXPECT_EQ(&runtime::of(other.get_executor()), &runtime::system());
}

TEST(runtime_of_a_context, cannot_be_replaced_after_its_first_use) {
  asio::io_context context;
  const auto& first = runtime::of(context.get_executor());
  EXPECT_THROW(manual_runtime::install_in(context), asio::service_already_exists);
  EXPECT_EQ(&runtime::of(context.get_executor()), &first);
}

TEST(system_runtime, reads_the_clocks) {
  const auto steady = std::chrono::steady_clock::now();
  const auto wall = std::chrono::system_clock::now();
  EXPECT_GE(runtime::system().now(), steady);
  EXPECT_LT(runtime::system().now(), steady + 1min);
  EXPECT_LT(std::chrono::abs(runtime::system().wall_clock() - wall), 1min);
}

TEST(system_runtime, fills_every_byte_with_random_bits) {
  // After 64 draws, a bit has been 0 each time with a probability of 2^-64.
  std::array<std::uint8_t, 300> seen{};
  for (int draw = 0; draw < 64; ++draw) {
    std::array<std::uint8_t, 300> drawn{};
    runtime::system().random(std::as_writable_bytes(std::span{drawn}));
    for (std::size_t i = 0; i < seen.size(); ++i) {
      seen[i] |= drawn[i];
    }
  }
  for (const auto bits : seen) {
    EXPECT_EQ(bits, 0xff);
  }
}

TEST(system_runtime, draws_numbers_of_all_widths) {
  EXPECT_NE(runtime::system().random<std::uint64_t>(), runtime::system().random<std::uint64_t>());
  std::uint8_t seen = 0;
  for (int draw = 0; draw < 64; ++draw) {
    seen |= runtime::system().random<std::uint8_t>();
  }
  EXPECT_EQ(seen, 0xff);
}

}  // namespace
}  // namespace zmtp::test
