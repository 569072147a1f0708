// Tests which changes of a map reach its store, and that a whole map is consistent.

#include "chp/map_writer.h"

#include "chp/store.h"
#include "chp/tombstones.h"
#include "chp/update_register.h"
#include "test/chp/memory_map_database.h"
#include "test/chp/stored_map_of.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace chp {
namespace {

using namespace std::chrono_literals;
using key_values = std::map<std::string, std::string>;

// A map that reports each change to the writer, as a server of a pair does.
class written_map {
public:
  explicit written_map(std::uint32_t seed) : random_{seed}, map_{seed} {}

  void change() {
    const auto key = "key " + std::to_string(random_() % 300);
    const auto kind = random_() % 10;
    if (kind < 5) {
      set(key, std::to_string(random_()));
    } else if (kind < 9) {
      erase(key);
    } else {
      forget_one();
    }
  }
  void set(const std::string& key, const std::string& value) {
    const auto id = next();
    ASSERT_EQ(map_.apply({key, value, id}, number_), errc{});
    writer.set({key, value, id}, number_, {});
    content[key] = value;
  }
  void erase(const std::string& key) {
    const auto id = next();
    map_.erase(key, number_);
    erased_.add(key, id, number_);
    writer.bury(key, id, number_);
    content[key] = "";
  }
  // Whether that was all.
  bool read(std::size_t most) {
    return writer.read_whole(map_, applied_, erased_, "memo", most, {});
  }
  [[nodiscard]] sequence number() const noexcept { return number_; }

  map_writer writer{0, 1s};
  key_values content;  // with what is remembered to be erased
  std::set<std::string> forgotten;

private:
  update_id next() {
    const auto id = kept_id(++number_);
    applied_.insert(id);
    return id;
  }
  // Forgets an erasure. Some erasures stay, because earlier updates may still arrive.
  void forget_one() {
    (void)erased_.forget_to(
        number_, 1, [](const tombstones::erasure& one) { return one.number % 5 == 0; },
        [this](const tombstones::erasure& one) {
          if (map_.find(one.key) == nullptr) {
            writer.forget(one.key);
            content.erase(one.key);
            forgotten.insert(one.key);
          }
        });
  }

  std::minstd_rand random_;
  store map_;
  update_register applied_;
  tombstones erased_{1, 1'000};
  sequence number_ = 0;
};

key_values content_of(const stored_map& found) {
  key_values all;
  for (const auto& e : found.entries) {
    all.emplace(e.key, e.value);
  }
  return all;
}

TEST(map_writer, a_whole_map_is_consistent_despite_concurrent_changes) {
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    written_map map{seed};
    map.writer.replace();
    for (int i = 0; i < 600; ++i) {
      map.change();
    }
    const auto most = 1 + seed % 20;
    ASSERT_FALSE(map.read(most));
    auto then = map.content;
    const auto number = map.number();
    map.forgotten.clear();
    do {
      map.change();
    } while (!map.read(most));
    std::vector<std::vector<map_change>> out;
    map.writer.take(out);
    ASSERT_EQ(out.size(), 2U) << "the whole map, and the changes after it";
    memory_map_database::contents disk;
    for (const auto& each : out[0]) {
      disk.apply(each);
    }
    const auto whole = disk.all();
    auto found = content_of(whole);
    for (const auto& key : map.forgotten) {
      // No code needs the key any more, so the map may or may not have it.
      found.erase(key);
      then.erase(key);
    }
    EXPECT_EQ(found, then);
    EXPECT_EQ(whole.number, number);
    EXPECT_EQ(whole.server_record, "memo");
    EXPECT_EQ(register_of(whole)->find(kept_session).counter, number);
    for (const auto& each : out[1]) {
      disk.apply(each);
    }
    EXPECT_EQ(content_of(disk.all()), map.content);
    EXPECT_EQ(disk.all().number, map.number());
    EXPECT_EQ(register_of(disk.all())->find(kept_session).counter, map.number());
  }
}

TEST(map_writer, reads_at_most_the_given_number_at_once) {
  written_map map{1};
  map.writer.replace();
  constexpr int keys = 1'000;
  for (int i = 0; i < keys; ++i) {
    map.set("set " + std::to_string(i), "x");
    map.erase("erased " + std::to_string(i));
  }
  constexpr std::size_t at_once = 50;
  std::size_t calls = 1;
  for (; !map.read(at_once); ++calls) {
  }
  EXPECT_GE(calls, 2 * keys / at_once);
  EXPECT_LE(calls, 2 * keys / at_once + 5);
}

}  // namespace
}  // namespace chp
