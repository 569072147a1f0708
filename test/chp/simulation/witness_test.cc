// Tests of every witness: the one in a file, and the one of simulations.

#include "chp/witness.h"

#include "test/chp/file_witness.h"
#include "test/chp/simulation/simulated_witness.h"
#include "test/support/network_test.h"
#include "test/support/scratch_folder.h"
#include "zmtp/simulation/world.h"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace chp::simulation {
namespace {

using namespace std::chrono_literals;
using boost::system::error_code;
using test::file_witness;

constexpr member_id a = 10;
constexpr member_id b = 20;

struct files : zmtp::test::network_test {
  void TestBody() override {}
  std::shared_ptr<witness> make() {
    return std::make_shared<file_witness>(executor(), folder.path("record"));
  }
  void until(const std::function<bool()>& done) { run_until(done); }

  zmtp::test::scratch_folder folder = zmtp::test::scratch_folder::in_memory();
};

struct simulations {
  std::shared_ptr<witness> make() { return record.seen_by(server.executor(), is_cut); }
  void until(const std::function<bool()>& done) { EXPECT_TRUE(w.run_until(done, 1min)); }

  zmtp::simulation::world w{1};
  zmtp::simulation::process& server = w.add("server");
  bool is_cut = false;
  witness_record record{w};
  simulations() {
    server.start([](const boost::asio::any_io_executor&) { return nullptr; });
  }
};

template <class Place>
struct witness_test : testing::Test {
  struct answer {
    error_code ec;
    membership now;
  };
  void ask(witness& at, const membership& from, const membership& to, std::optional<answer>& into) {
    into.reset();
    at.replace(from, to, [&into](error_code ec, const membership& now) { into = answer{ec, now}; });
    EXPECT_FALSE(into) << "called inside the call";
  }
  // Asks again after an error, as a change that was made is not made again.
  membership replace(witness& at, const membership& from, const membership& to) {
    std::optional<answer> got;
    for (int i = 0; i < 20; ++i) {
      ask(at, from, to, got);
      place.until([&] { return got.has_value(); });
      if (!got || !got->ec) {
        return got ? got->now : membership{};
      }
    }
    ADD_FAILURE() << "only errors";
    return {};
  }
  membership read(witness& at) { return replace(at, {}, {}); }

  Place place;
};

using places = testing::Types<files, simulations>;
TYPED_TEST_SUITE(witness_test, places);

TYPED_TEST(witness_test, a_record_that_does_not_exist_is_empty) {
  const auto one = this->place.make();
  EXPECT_EQ(this->read(*one), membership{});
  const membership wrong{1, 1, a, {a}};
  EXPECT_EQ(this->replace(*one, wrong, {2, 2, a, {a}}), membership{});
}

TYPED_TEST(witness_test, only_a_change_of_the_present_record_is_made) {
  const auto one = this->place.make();
  const auto other = this->place.make();
  const membership first{1, 1, a, {a}};
  EXPECT_EQ(this->replace(*one, {}, first), first);
  EXPECT_EQ(this->replace(*other, {}, {1, 2, b, {b}}), first);
  const membership second{2, 2, b, {a, b}};
  EXPECT_EQ(this->replace(*other, first, second), second);
  EXPECT_EQ(this->replace(*one, first, {2, 1, a, {a}}), second);
  // Each part of the record counts.
  for (const auto& from : std::vector<membership>{
           {3, 2, b, {a, b}}, {2, 3, b, {a, b}}, {2, 2, a, {a, b}}, {2, 2, b, {b}}}) {
    EXPECT_EQ(this->replace(*one, from, {9, 9, a, {a}}), second);
  }
}

TYPED_TEST(witness_test, one_of_two_changes_at_a_time_is_made) {
  const auto one = this->place.make();
  const auto other = this->place.make();
  std::optional<typename TestFixture::answer> of_one;
  std::optional<typename TestFixture::answer> of_other;
  const membership to_one{1, 1, a, {a}};
  const membership to_other{1, 2, b, {b}};
  this->ask(*one, {}, to_one, of_one);
  this->ask(*other, {}, to_other, of_other);
  this->place.until([&] { return of_one && of_other; });
  const auto now = this->read(*one);
  EXPECT_TRUE(now == membership{} || now == to_one || now == to_other);
  for (const auto& each : {of_one, of_other}) {
    if (each && !each->ec) {
      EXPECT_EQ(each->now, now);
    }
  }
}

TYPED_TEST(witness_test, the_record_outlives_what_made_it) {
  const membership record{1, 1, a, {a, b}};
  {
    const auto one = this->place.make();
    EXPECT_EQ(this->replace(*one, {}, record), record);
  }
  EXPECT_EQ(this->read(*this->place.make()), record);
}

TYPED_TEST(witness_test, a_watch_shows_the_record_and_then_each_last_change) {
  const auto one = this->place.make();
  const auto other = this->place.make();
  const membership first{1, 1, a, {a}};
  EXPECT_EQ(this->replace(*one, {}, first), first);
  std::vector<membership> shown;
  other->watch([&](const membership& now) { shown.push_back(now); });
  EXPECT_TRUE(shown.empty()) << "called inside the call";
  this->place.until([&] { return !shown.empty() && shown.back() == first; });
  const membership second{2, 1, a, {a, b}};
  EXPECT_EQ(this->replace(*one, first, second), second);
  this->place.until([&] { return shown.back() == second; });
}

TYPED_TEST(witness_test, nothing_is_called_after_its_end) {
  auto one = this->place.make();
  bool is_called = false;
  one->watch([&](const membership&) { is_called = true; });
  one->replace({}, {1, 1, a, {a}}, [&](error_code, const membership&) { is_called = true; });
  one.reset();
  const auto other = this->place.make();
  const membership last{2, 2, b, {b}};
  // Time passes.
  for (int i = 0; i < 5; ++i) {
    static_cast<void>(this->read(*other));
  }
  EXPECT_FALSE(is_called);
}

using file_witness_test = witness_test<files>;

TEST_F(file_witness_test, a_lost_file_is_an_empty_record) {
  const auto one = place.make();
  EXPECT_EQ(replace(*one, {}, {1, 1, a, {a}}), (membership{1, 1, a, {a}}));
  std::filesystem::remove(place.folder.path("record"));
  EXPECT_EQ(read(*one), membership{});
  EXPECT_EQ(replace(*one, {1, 1, a, {a}}, {2, 2, a, {a}}), membership{});
}

TEST_F(file_witness_test, an_unreachable_file_is_not_changed) {
  file_witness one{place.executor(), place.folder.path("record")};
  std::optional<answer> got;
  one.set_reachable(false);
  ask(one, {}, {1, 1, a, {a}}, got);
  place.until([&] { return got.has_value(); });
  EXPECT_TRUE(got->ec);
  one.set_reachable(true);
  EXPECT_EQ(read(one), membership{});
}

TEST_F(file_witness_test, a_change_whose_answer_is_lost_was_made) {
  file_witness one{place.executor(), place.folder.path("record")};
  std::optional<answer> got;
  one.lose_next_answer();
  ask(one, {}, {1, 1, a, {a}}, got);
  place.until([&] { return got.has_value(); });
  EXPECT_TRUE(got->ec);
  EXPECT_EQ(read(one), (membership{1, 1, a, {a}}));
}

// Adds 1 to the revision this many times, in a context of its own.
void count(const std::string& path, std::uint64_t times) {
  boost::asio::io_context context;
  file_witness one{context.get_executor(), path};
  membership seen;
  while (times != 0) {
    auto to = seen;
    ++to.revision;
    to.active = static_cast<member_id>(::getpid());
    one.replace(seen, to, [&](error_code, const membership& now) {
      times -= now == to ? 1 : 0;
      seen = now;
    });
    context.restart();
    context.run();
  }
}

TEST_F(file_witness_test, no_change_of_a_concurrent_process_is_lost) {
  const auto path = place.folder.path("record");
  const auto child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    count(path, 300);
    ::_exit(0);
  }
  count(path, 300);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(read(*place.make()).revision, 600U);
}

}  // namespace
}  // namespace chp::simulation
