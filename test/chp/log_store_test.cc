// Tests of every log_store.

#include "chp/sqlite_log_store.h"
#include "test/chp/log_file_fixture.h"
#include "test/chp/memory_log_store.h"
#include "test/support/network_test.h"
#include "test/support/scratch_folder.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace chp::test {
namespace {

using boost::system::error_code;
using zmtp::storage_errc;

// Makes a store, and after it another one of the same content.
struct memory_maker {
  std::unique_ptr<log_store> make(const boost::asio::any_io_executor& executor) const {
    return std::make_unique<memory_log_store>(executor, content);
  }
  std::shared_ptr<stored_state> content = std::make_shared<stored_state>();
};

struct sqlite_maker {
  std::unique_ptr<log_store> make(const boost::asio::any_io_executor& executor) const {
    return std::make_unique<sqlite_log_store>(
        executor, zmtp::sqlite_file_options{.path = folder.path("log")});
  }
  zmtp::test::scratch_folder folder;
};

template <class Maker>
class log_store_test : public zmtp::test::network_test {
protected:
  ~log_store_test() override { store_.reset(); }

  loaded_state open() {
    store_.reset();
    store_ = maker_.make(executor());
    std::optional<loaded_state> found;
    bool within = true;
    store_->load(small_history(), log_file_start, [&](error_code ec, loaded_state all) {
      EXPECT_FALSE(within) << "called from within the call";
      EXPECT_FALSE(ec) << ec.message();
      found = std::move(all);
    });
    within = false;
    run_until([&] { return found.has_value(); });
    return *std::move(found);
  }
  // All of them are submitted at once.
  std::vector<error_code> write(const std::vector<state_write>& writes) {
    std::vector<error_code> results;
    bool within = true;
    for (auto each : writes) {
      store_->write(std::move(each), [&](error_code ec) {
        EXPECT_FALSE(within) << "called from within the call";
        results.push_back(ec);
      });
    }
    within = false;
    std::size_t before = 0;
    run_until([&] {
      EXPECT_LE(results.size(), before + 1) << "other work of the executor has to wait";
      before = results.size();
      return before == writes.size();
    });
    return results;
  }

  Maker maker_;
  std::unique_ptr<log_store> store_;
};

using makers = testing::Types<memory_maker, sqlite_maker>;
TYPED_TEST_SUITE(log_store_test, makers);

TYPED_TEST(log_store_test, a_new_store_leaves_the_history_empty) {
  const auto found = this->open();
  EXPECT_TRUE(found.past->reigns().empty());
  EXPECT_EQ(found.numbers, state_numbers{});
  EXPECT_EQ(text_of(*found.past, found.numbers), text_of(*small_history(), {}));
}

TYPED_TEST(log_store_test, gives_a_replica_back_after_any_transaction) {
  const replica_script script;
  this->open();
  std::size_t before = 0;
  for (const auto end : script.ends()) {
    std::vector<state_write> writes;
    for (auto i = before; i != end; ++i) {
      writes.push_back(script.writes[i]);
    }
    before = end;
    for (const auto ec : this->write(writes)) {
      EXPECT_FALSE(ec) << ec.message();
    }
    const auto found = this->open();
    EXPECT_TRUE(text_of(*found.past, found.numbers) == text_after(script.writes, end)) << end;
  }
}

TYPED_TEST(log_store_test, a_replica_goes_on_with_the_store_that_it_began_with) {
  const replica_script script;
  this->open();
  this->write(script.writes);
  auto found = this->open();
  replica state{small_replica(), 9, std::move(found.past), found.numbers};
  EXPECT_EQ(state.durable(), state.end());
  EXPECT_EQ(state.both(), found.numbers.both);
  for (int i = 0; i < 20; ++i) {
    state.append({.number = state.end() + 1, .key = "more", .value = std::to_string(i)});
    state.publish(state.end(), log_file_start, [](const log_entry&, bool) {});
    state.trim(state.end(), trimmed_to::half);
    std::vector<state_write> turn;
    state.take_writes(log_file_start, turn);
    for (const auto ec : this->write(turn)) {
      state.on_written(ec, log_file_start);
    }
  }
  EXPECT_EQ(state.durable(), state.end());
  const auto again = this->open();
  EXPECT_EQ(again.past->end(), state.end());
  EXPECT_EQ(again.past->reigns(), state.past().reigns());
  EXPECT_EQ(again.past->map().find("more")->value(), "19");
  EXPECT_EQ(again.past->ids().size(), state.past().ids().size());
}

// Counts how often it is copied.
struct counted_handler {
  explicit counted_handler(bool& done) : called{&done} {}
  counted_handler(const counted_handler& other) : called{other.called}, copies{other.copies} {
    ++*copies;
  }
  counted_handler(counted_handler&&) = default;
  counted_handler& operator=(const counted_handler&) = delete;
  counted_handler& operator=(counted_handler&&) = delete;
  ~counted_handler() = default;
  void operator()(error_code, const loaded_state&) const { *called = true; }

  bool* called;
  std::shared_ptr<int> copies = std::make_shared<int>(0);
};

// A handler often owns the store. A copy that is left in a thread of the store would end the store
// there, which waits for that thread, or would end it after its context.
TYPED_TEST(log_store_test, keeps_no_copy_of_the_load_handler) {
  bool called = false;
  counted_handler counted{called};
  const auto copies = counted.copies;
  log_store::load_handler handler{std::move(counted)};
  const int before = *copies;
  this->store_ = this->maker_.make(this->executor());
  this->store_->load(small_history(), log_file_start, std::move(handler));
  this->run_until([&] { return called; });
  EXPECT_EQ(*copies, before);
}

class sqlite_log_store_test : public log_store_test<sqlite_maker> {};

TEST_F(sqlite_log_store_test, a_second_process_cannot_open_the_file) {
  this->open();
  const auto second = maker_.make(executor());
  std::optional<error_code> result;
  second->load(small_history(), log_file_start, [&](error_code ec, loaded_state found) {
    result = ec;
    EXPECT_FALSE(found.past);
  });
  run_until([&] { return result.has_value(); });
  EXPECT_EQ(*result, storage_errc::store_in_use);
}

TEST_F(sqlite_log_store_test, completes_the_submitted_writes_before_it_is_destroyed) {
  const replica_script script;
  this->open();
  for (auto each : script.writes) {
    store_->write(std::move(each), [](error_code) {});
  }
  const auto found = this->open();
  EXPECT_TRUE(text_of(*found.past, found.numbers) ==
              text_after(script.writes, script.writes.size()));
}

class memory_log_store_test : public log_store_test<memory_maker> {};

TEST_F(memory_log_store_test, a_full_store_rejects_writes_until_one_that_replaces_fits) {
  const replica_script script;
  auto content = std::make_shared<stored_state>();
  auto full = std::make_unique<memory_log_store>(executor(), content);
  auto& disk = *full;
  store_ = std::move(full);
  disk.fail_with(storage_errc::store_full);
  EXPECT_EQ(write({script.writes[0]}).at(0), storage_errc::store_full);
  disk.fail_with({});
  EXPECT_EQ(write({script.writes[1]}).at(0), storage_errc::store_full);
  EXPECT_TRUE(content->empty());
  state_write whole = script.writes[0];
  whole.replaces = true;
  EXPECT_FALSE(write({whole}).at(0));
  EXPECT_FALSE(content->empty());
  disk.fail_with(storage_errc::store_failed);
  EXPECT_EQ(write({script.writes[1]}).at(0), storage_errc::store_failed);
  disk.fail_with({});
  EXPECT_EQ(write({whole}).at(0), storage_errc::store_failed);
}

}  // namespace
}  // namespace chp::test
