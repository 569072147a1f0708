// Where there is no memory for a change, the map is as it was before (reliability.md 4, test 5).

#include "chp/store.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <new>
#include <optional>
#include <string>

namespace {

// How many more requests succeed; none fails while it is negative.
thread_local long left = -1;

}  // namespace

// These functions are not inline, so that the compiler does not take them for the library's.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (left >= 0 && left-- == 0) {
    throw std::bad_alloc{};
  }
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) {
    throw std::bad_alloc{};
  }
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace chp {
namespace {

using model = std::map<std::string, std::string>;

model contents(const store& s) {
  model all;
  s.for_each("", [&](const store::entry& e) { return all.emplace(e.key(), e.value()).second; });
  return all;
}

model rest(store::snapshot& from) {
  model all;
  while (!from.at_end()) {
    from.read(100, [&](const store::entry& e) { return all.emplace(e.key(), e.value()).second; });
  }
  return all;
}

// Fails each allocation of `change` in turn. The map does not change until `change` succeeds.
void fail_each(std::size_t keys, bool with_snapshot, const std::function<void(store&)>& change) {
  for (long n = 0;; ++n) {
    SCOPED_TRACE("keys " + std::to_string(keys) + ", request " + std::to_string(n));
    store s;
    sequence at = 0;
    for (std::size_t i = 0; i < keys; ++i) {
      const auto deadline = i % 2 == 0 ? std::optional{store::time_point{}} : std::nullopt;
      const auto key = "key" + std::to_string(i);
      ASSERT_EQ(s.apply({key, "before", {}, deadline}, ++at), errc{});
    }
    const auto before = contents(s);
    const auto bytes = s.bytes();
    const auto deadline = s.next_deadline();
    std::optional<store::snapshot> open;
    if (with_snapshot) {
      open.emplace(s.open_snapshot());
    }
    bool failed = false;
    left = n;
    try {
      change(s);
    } catch (const std::bad_alloc&) {
      failed = true;
    }
    left = -1;
    if (failed) {
      ASSERT_EQ(contents(s), before);
      ASSERT_EQ(s.bytes(), bytes);
      ASSERT_EQ(s.number(), at);
      ASSERT_EQ(s.next_deadline(), deadline);
      for (const auto& [key, value] : before) {
        ASSERT_NE(s.find(key), nullptr);
      }
      // The call succeeds when there is memory.
      change(s);
    }
    ASSERT_NE(contents(s), before);
    if (open) {
      ASSERT_EQ(rest(*open), before);
    }
    if (!failed) {
      return;
    }
  }
}

TEST(chp_store_no_memory, a_change_that_fails_changes_nothing) {
  constexpr sequence at = 10'000;
  for (const bool with_snapshot : {false, true}) {
    // Where a shard grows and where it does not.
    for (const std::size_t keys : {1U, 100U, 3'000U}) {
      fail_each(keys, with_snapshot, [](store& s) {
        static_cast<void>(s.apply({"new", "value", {}, {}}, at));
      });
      fail_each(keys, with_snapshot, [](store& s) {
        static_cast<void>(s.apply({"new", "value", {}, store::time_point{}}, at));
      });
      fail_each(keys, with_snapshot, [](store& s) {
        static_cast<void>(s.apply({"key0", "another", {}, store::time_point{}}, at));
      });
      fail_each(keys, with_snapshot, [](store& s) {
        const std::string_view longer = "of another size, so that it does not fit into its place";
        static_cast<void>(s.apply({"key0", longer, {}, {}}, at));
      });
      fail_each(keys, with_snapshot, [](store& s) { s.erase("key0", at); });
    }
  }
}

TEST(chp_store_no_memory, a_failed_snapshot_leaves_no_state) {
  for (long n = 0;; ++n) {
    store s;
    static_cast<void>(s.apply({"key", "value", {}, {}}, 1));
    bool failed = false;
    left = n;
    try {
      static_cast<void>(s.open_snapshot("/a/subtree/that/is/too/long/for/a/short/string/"));
    } catch (const std::bad_alloc&) {
      failed = true;
    }
    left = -1;
    static_cast<void>(s.apply({"key", "other", {}, {}}, 2));
    EXPECT_EQ(s.past().size(), 0U) << "nothing is open";
    if (!failed) {
      EXPECT_GT(n, 1);
      return;
    }
  }
}

TEST(chp_store_no_memory, destruction_needs_no_memory) {
  store s;
  for (sequence at = 1; at <= 1'000; ++at) {
    static_cast<void>(s.apply({std::to_string(at), "before", {}, {}}, at));
  }
  {
    const auto open = s.open_snapshot();
    const auto newer = s.open_snapshot();
    for (sequence at = 1; at <= 1'000; ++at) {
      static_cast<void>(s.apply({std::to_string(at), "behind", {}, {}}, 1'000 + at));
    }
    left = 0;
  }
  EXPECT_TRUE(s.tidy(10'000));
  EXPECT_TRUE(s.erase("1", 3'000));
  EXPECT_TRUE(s.dismantle(10'000));
  left = -1;
}

}  // namespace
}  // namespace chp
