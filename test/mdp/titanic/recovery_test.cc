// A store of many requests is there again, checked row by row. The long form has a million of them.

#include "mdp/titanic/slot_writer.h"
#include "mdp/titanic/titanic_state.h"
#include "test/support/long_run.h"
#include "test/support/scratch_folder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace mdp::titanic {
namespace {

TEST(recovery, recovers_many_requests) {  // TSP-2
  const std::uint64_t count = zmtp::test::long_run() ? 1'000'000 : 20'000;
  const zmtp::test::scratch_folder folder;
  const sqlite_options options{.path = folder.path("store"), .reserve_bytes = 0};
  {
    slot_file file{options};
    std::vector<stored_request> slots;
    ASSERT_FALSE(file.open(slots));
    slot_writer writer{file, slots};
    for (std::uint64_t n = 1; n <= count; ++n) {
      whole_slot one;
      std::memcpy(one.about.id.bytes.data(), &n, sizeof n);
      one.about.service = "service " + std::to_string(n % 10);
      one.request = zmtp::message{std::string(200, 'q')};
      if (n % 2 == 0) {
        one.about.state = outcome::answered;
        one.reply = zmtp::message{std::string(200, 'p')};
      }
      ASSERT_FALSE(writer.put(std::move(one)));
    }
    ASSERT_FALSE(writer.flush());
  }
  const auto begin = std::chrono::steady_clock::now();
  slot_file file{options};
  std::vector<stored_request> slots;
  ASSERT_FALSE(file.open(slots));
  titanic_state state{{}};
  titanic_actions actions;
  state.on_recovered(std::move(slots), begin, actions);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("%llu requests recovered in %.2f s\n", static_cast<unsigned long long>(count),
              took.count());
  EXPECT_EQ(state.status({}).requests, count);
  EXPECT_EQ(state.status({}).pending, count / 2);
  EXPECT_EQ(state.status({}).services, 5U);
}

}  // namespace
}  // namespace mdp::titanic
