// Tests of every map_database, and of the damage that the durable store detects.

#include "chp/error.h"
#include "chp/sqlite_map_database.h"
#include "test/chp/memory_map_database.h"
#include "test/chp/stored_map_of.h"
#include "test/support/network_test.h"
#include "test/support/scratch_folder.h"
#include "zmtp/storage/sqlite_database.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace chp {
namespace {

using namespace std::chrono_literals;
using boost::system::error_code;

// Makes a store, and after it another one of the same content.
struct memory_maker {
  std::unique_ptr<map_database> make(const boost::asio::any_io_executor& executor) const {
    return std::make_unique<memory_map_database>(executor, contents);
  }
  std::shared_ptr<memory_map_database::contents> contents =
      std::make_shared<memory_map_database::contents>();
};

struct sqlite_maker {
  std::unique_ptr<map_database> make(const boost::asio::any_io_executor& executor) const {
    // Ids are packed again and again.
    return std::make_unique<sqlite_map_database>(
        executor, map_file_options{.file = {.path = folder.path("map")}, .applied_bytes = 40});
  }
  zmtp::test::scratch_folder folder;
};

template <class Maker>
class map_database_test : public zmtp::test::network_test {
protected:
  ~map_database_test() override { store_.reset(); }

  stored_map open(error_code expected = {}) {
    store_.reset();
    store_ = maker_.make(executor());
    std::optional<stored_map> found;
    store_->load([&](error_code ec, stored_map all) {
      EXPECT_EQ(ec, expected) << ec.message();
      found = std::move(all);
    });
    run_until([&] { return found.has_value(); });
    return std::move(*found);
  }
  // The results come later, in order.
  void give(std::vector<map_change> changes) {
    bool within = true;
    store_->write(std::move(changes), [this, &within](error_code ec) {
      EXPECT_FALSE(within) << "called from within the call";
      results_.push_back(ec);
    });
    within = false;
    ++given_;
    run_until([&] { return results_.size() == given_; });
  }
  error_code write(std::vector<map_change> changes) {
    give(std::move(changes));
    return results_.back();
  }

  Maker maker_;
  std::unique_ptr<map_database> store_;
  std::vector<error_code> results_;
  std::size_t given_ = 0;
};

using makers = testing::Types<memory_maker, sqlite_maker>;
TYPED_TEST_SUITE(map_database_test, makers);

TYPED_TEST(map_database_test, a_new_store_is_empty) {
  const auto found = this->open();
  EXPECT_TRUE(found.entries.empty());
  EXPECT_TRUE(found.applied.empty());
  EXPECT_EQ(found.number, 0U);
}

TYPED_TEST(map_database_test, written_changes_survive_a_restart) {
  const std::string large(200'000, 'x');
  const std::string binary("\0\xff", 2);
  this->open();
  EXPECT_FALSE(this->write({set_of("/a/1", "old", 1), set_of(binary, large, 2)}));
  EXPECT_FALSE(this->write({set_of("/a/1", "new", 3, 1'500ms), set_of("gone", "x", 4)}));
  EXPECT_FALSE(this->write({erase_of("gone", 5), erase_of("never there", 6)}));
  // A note of another epoch.
  EXPECT_FALSE(this->write({note_of(make_sequence(7, 0))}));
  for (int i = 0; i < 2; ++i) {
    const auto found = this->open();
    ASSERT_EQ(found.entries.size(), 2U);
    EXPECT_EQ(found.entries[0],
              (stored_entry{.key = binary, .value = large, .number = 2, .id = kept_id(2)}));
    EXPECT_EQ(found.entries[1],
              (stored_entry{
                  .key = "/a/1", .value = "new", .number = 3, .id = kept_id(3), .ttl = 1'500ms}));
    EXPECT_EQ(found.number, make_sequence(7, 0));
    EXPECT_EQ(register_of(found)->find(kept_session).counter, 6U);
    EXPECT_TRUE(register_of(found)->find(kept_session).gaps.empty());
  }
}

TYPED_TEST(map_database_test, the_last_server_record_survives_a_restart) {
  this->open();
  EXPECT_FALSE(this->write({server_record_of("first"), set_of("buried", "", 1)}));
  EXPECT_FALSE(this->write({server_record_of(std::string("\0last", 5))}));
  EXPECT_EQ(this->open().server_record, std::string("\0last", 5));
  EXPECT_EQ(this->open().entries.at(0).value, "");
  EXPECT_FALSE(this->write({{.what = map_operation::clear}}));
  EXPECT_EQ(this->open().server_record, "");
}

TYPED_TEST(map_database_test, refusals_and_their_reasons_survive_a_restart) {
  this->open();
  const map_change refused{
      .what = map_operation::refuse, .id = kept_id(2), .value = refusal_text(errc::too_many_keys)};
  EXPECT_FALSE(this->write({set_of("a", "1", 1), refused, set_of("b", "2", 3)}));
  for (int i = 0; i < 2; ++i) {
    const auto all = register_of(this->open());
    const auto known = all->find(kept_session);
    EXPECT_EQ(known.counter, 3U);
    EXPECT_TRUE(known.gaps.empty());
    ASSERT_EQ(known.refused.size(), 1U);
    EXPECT_EQ(known.refused[0], (refusal{{2, 2}, errc::too_many_keys}));
  }
}

TYPED_TEST(map_database_test, applied_updates_are_known_after_any_number_of_updates) {
  this->open();
  const auto foreign = update_id::of_random(1, 2);
  EXPECT_FALSE(this->write({note_of(0, foreign)}));
  for (std::uint64_t n = 1; n <= 50; ++n) {
    if (n != 20) {
      EXPECT_FALSE(this->write({note_of(n, kept_id(n))}));
    }
    if (n % 17 == 0) {
      this->open();
    }
  }
  const auto all = register_of(this->open());
  EXPECT_TRUE(all->contains(foreign));
  for (std::uint64_t n = 1; n <= 51; ++n) {
    EXPECT_EQ(all->contains(kept_id(n)), n != 20 && n != 51) << n;
  }
}

TYPED_TEST(map_database_test, a_whole_map_replaces_the_stored_map) {
  this->open();
  EXPECT_FALSE(this->write({set_of("before", "x", 100)}));
  update_register peer;
  peer.insert(kept_id(3));
  auto pieces = peer.pieces();
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_FALSE(this->write({{.what = map_operation::clear},
                            {.what = map_operation::add_applied, .value = pieces.front()},
                            set_of("after", "y", 40)}));
  const auto found = this->open();
  ASSERT_EQ(found.entries.size(), 1U);
  EXPECT_EQ(found.entries[0].key, "after");
  EXPECT_EQ(found.number, 40U);
  EXPECT_TRUE(register_of(found)->contains(kept_id(3)));
  EXPECT_TRUE(register_of(found)->contains(kept_id(40)));
  EXPECT_FALSE(register_of(found)->contains(kept_id(100)));
}

TYPED_TEST(map_database_test, accepts_only_a_whole_map_after_a_refused_write) {
  this->open();
  EXPECT_FALSE(this->write({set_of("a", "1", 1)}));
  EXPECT_EQ(this->write({set_of("b", "2", 2),
                         {.what = map_operation::add_applied, .value = "no register"}}),
            errc::malformed_register);
  EXPECT_EQ(this->write({set_of("c", "3", 3)}), zmtp::storage_errc::store_full);
  EXPECT_EQ(this->open().entries.size(), 1U) << "nothing of the refused change";
  EXPECT_FALSE(this->write({set_of("d", "4", 4)}));
}

TYPED_TEST(map_database_test, accepts_changes_again_after_a_whole_map) {
  this->open();
  EXPECT_TRUE(this->write({{.what = map_operation::add_applied, .value = "no register"}}));
  EXPECT_TRUE(this->write({set_of("a", "1", 1)}));
  EXPECT_FALSE(this->write({{.what = map_operation::clear}, set_of("b", "2", 2)}));
  EXPECT_FALSE(this->write({set_of("c", "3", 3)}));
  EXPECT_EQ(this->open().entries.size(), 2U);
}

using sqlite_map_database_test = map_database_test<sqlite_maker>;

TEST_F(sqlite_map_database_test, the_destructor_writes_the_last_changes) {
  open();
  std::vector<map_change> one;
  one.push_back(set_of("a", "1", 1));
  store_->write(std::move(one), [](error_code) {});
  EXPECT_EQ(open().entries.size(), 1U);
}

TEST_F(sqlite_map_database_test, detects_rows_that_are_missing_altered_or_older) {
  const std::vector<std::string> damages{
      "DELETE FROM entries WHERE number = 1",
      "UPDATE entries SET value = x'00' WHERE number = 1",
      "UPDATE entries SET ttl = 5 WHERE number = 1",
      "UPDATE entries SET number = 9 WHERE number = 1",
      // The whole row of another key, under the first one's.
      "REPLACE INTO entries SELECT x'61', number, id, ttl, value, crc FROM entries "
      "WHERE key = x'62'",
      "DELETE FROM applied WHERE row = 1",
      "UPDATE applied SET octets = zeroblob(16) WHERE row = 1",
      "UPDATE extent SET number = 1",
      "UPDATE extent SET memo = x'00'",
      "DELETE FROM extent",
  };
  for (const auto& damage : damages) {
    store_.reset();
    const sqlite_maker fresh;
    const auto path = fresh.folder.path("map");
    {
      map_file file{{.file = {.path = path}}};
      stored_map nothing;
      ASSERT_FALSE(file.open(nothing));
      std::vector<error_code> results;
      file.write({{set_of("a", "1", 1), set_of("b", "2", 2)}}, results);
      ASSERT_FALSE(results.at(0));
    }
    {
      zmtp::sqlite_database vandal;
      ASSERT_FALSE(vandal.open(path.c_str(), nullptr));
      ASSERT_FALSE(vandal.execute(damage.c_str())) << damage;
    }
    map_file file{{.file = {.path = path}}};
    stored_map found;
    EXPECT_EQ(file.open(found), zmtp::storage_errc::store_damaged) << damage;
  }
}

TEST_F(sqlite_map_database_test, detects_the_replacement_of_a_row_by_an_older_row) {
  const auto path = maker_.folder.path("map");
  const auto vandalize = [&](const char* sql) {
    store_.reset();
    zmtp::sqlite_database vandal;
    ASSERT_FALSE(vandal.open(path.c_str(), nullptr));
    ASSERT_FALSE(vandal.execute(sql)) << sql;
  };
  open();
  EXPECT_FALSE(write({set_of("a", "old", 1)}));
  vandalize("CREATE TABLE past AS SELECT * FROM entries");
  open();
  EXPECT_FALSE(write({set_of("a", "new", 2)}));
  vandalize("DELETE FROM entries; INSERT INTO entries SELECT * FROM past");
  open(zmtp::storage_errc::store_damaged);
}

TEST_F(sqlite_map_database_test, does_not_open_a_file_in_use) {
  open();
  map_file other{{.file = {.path = maker_.folder.path("map")}}};
  stored_map found;
  EXPECT_EQ(other.open(found), zmtp::storage_errc::store_in_use);
}

}  // namespace
}  // namespace chp
