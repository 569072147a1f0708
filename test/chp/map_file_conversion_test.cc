// A store of version 1, which had no log, is converted when it is opened.

#include "chp/log_file.h"
#include "chp/old_updates.h"
#include "test/chp/log_file_fixture.h"
#include "test/zmtp/storage/faulty_disk.h"
#include "zmtp/storage/sqlite_database.h"

#include <gtest/gtest.h>

#include <string>

namespace chp::test {
namespace {

using boost::system::error_code;
using zmtp::storage_errc;
using zmtp::test::faulty_disk;
using verdict = sessions::verdict;

// The dump of a file that version 1 wrote. It has a packed register, a refusal and ids, and the
// record of an erased key.
constexpr const char* version_1 = R"(BEGIN;
CREATE TABLE applied (row INTEGER PRIMARY KEY, kind INTEGER NOT NULL, octets BLOB NOT NULL,
  crc INTEGER NOT NULL);
INSERT INTO applied VALUES(1,1,X'5311112222333384440000000000000005005211112222333384440000000000000000010000000000000003000000000000000301535555666677778888000000000000000301000000000000000200000000000000024F00000000000040058000000000000006',1995768342);
INSERT INTO applied VALUES(2,2,X'5555666677778888800000000000000402',4013167074);
INSERT INTO applied VALUES(3,0,X'00000000000040078000000000000008',1897999918);
CREATE TABLE entries (key BLOB PRIMARY KEY NOT NULL, number INTEGER NOT NULL, id BLOB NOT NULL,
  ttl INTEGER NOT NULL, value BLOB NOT NULL, crc INTEGER NOT NULL);
INSERT INTO entries VALUES(X'61',52776558133249,X'11112222333384448000000000000001',0,X'31',3667638715);
INSERT INTO entries VALUES(X'62',52776558133250,X'11112222333384448000000000000002',700,X'32',627655448);
INSERT INTO entries VALUES(X'63',52776558133256,X'00000000000040078000000000000008',0,X'38',2538565660);
INSERT INTO entries VALUES(X'64',52776558133252,X'55556666777788888000000000000001',0,X'34',1594156802);
INSERT INTO entries VALUES(X'66',52776558133254,X'11112222333384448000000000000004',0,X'',1712369793);
CREATE TABLE extent (one INTEGER PRIMARY KEY, number INTEGER NOT NULL, keys INTEGER NOT NULL,
  digest INTEGER NOT NULL, applied INTEGER NOT NULL, memo BLOB NOT NULL, crc INTEGER NOT NULL);
INSERT INTO extent VALUES(1,52776558133256,5,10140386418,3,X'6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D',2436284513);
PRAGMA application_id = 1514358864; PRAGMA user_version = 1;
COMMIT)";
constexpr sequence last_number = make_sequence(3, 8);

void write_version_1(const faulty_disk& disk, const char* then = "") {
  zmtp::sqlite_database file;
  ASSERT_FALSE(file.open("map", disk.name()));
  ASSERT_FALSE(file.execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL"));
  ASSERT_FALSE(file.execute(version_1));
  ASSERT_FALSE(file.execute(then)) << then;
}

struct opened {
  explicit opened(const faulty_disk& disk)
      : file{{.path = "map", .vfs = disk.name()}}, ec{file.open(past, log_file_start, numbers)} {}

  verdict decide(std::uint64_t session, std::uint64_t counter,
                 entry_outcome* known = nullptr) const {
    const auto found = past.clients().decide(update_id::of_session(session, counter), 1, 0);
    if (known != nullptr) {
      *known = found.known;
    }
    return found.what;
  }

  history past{{}, 5};
  state_numbers numbers;
  log_file file;
  error_code ec;
};

constexpr auto first_session = update_id::make_session(0x1111'2222'3333'4444);
constexpr auto second_session = update_id::make_session(0x5555'6666'7777'8888);

void expect_converted(const opened& found) {
  ASSERT_FALSE(found.ec) << found.ec.message();
  EXPECT_EQ(found.numbers, (state_numbers{.start = last_number,
                                          .end = last_number,
                                          .published = last_number,
                                          .commit = last_number}));
  ASSERT_EQ(found.past.reigns().rows().size(), 1U);
  EXPECT_EQ(found.past.reigns().last().epoch, 3U);
  EXPECT_EQ(found.past.reigns().last().last, last_number);
  EXPECT_EQ(found.past.log().entries(), 0U);
  std::string keys;
  found.past.map().for_each("", [&](const store::entry& e) {
    ((keys += e.key()) += '=') += e.value();
    keys += '@' + std::to_string(position_of(e.number())) + ' ';
    return true;
  });
  EXPECT_EQ(keys, "a=1@1 b=2@2 c=8@8 d=4@4 ");
  EXPECT_EQ(found.past.map().find("b")->ttl(), std::chrono::milliseconds{700});
  EXPECT_EQ(found.past.map().find("a")->id(), update_id::of_session(first_session, 1));
}

TEST(map_file_conversion, the_files_of_a_pair_have_a_common_point) {
  const faulty_disk primary;
  const faulty_disk backup;
  write_version_1(primary);
  write_version_1(backup);
  const opened one{primary};
  const opened other{backup};
  ASSERT_FALSE(one.ec || other.ec);
  EXPECT_EQ(common_point(one.past.reigns(), other.past.reigns()), last_number);
}

TEST(map_file_conversion, converts_map_and_numbers_into_a_history_of_one_reign) {
  const faulty_disk disk;
  write_version_1(disk);
  expect_converted(opened{disk});
  // The second opening converts nothing.
  expect_converted(opened{disk});
}

TEST(map_file_conversion, an_update_that_was_made_or_refused_is_not_made_again) {
  const faulty_disk disk;
  write_version_1(disk);
  const opened found{disk};
  ASSERT_FALSE(found.ec);
  entry_outcome known;
  for (const std::uint64_t counter : {1U, 2U, 3U, 4U, 5U}) {
    EXPECT_EQ(found.decide(first_session, counter, &known), verdict::known) << counter;
    EXPECT_EQ(known.why, counter == 3 ? errc::too_many_keys : errc{}) << counter;
    EXPECT_LE(known.number, last_number);
  }
  EXPECT_EQ(found.decide(first_session, 6), verdict::execute);
  // The second one was not made. No outcome of the new store says so.
  EXPECT_EQ(found.decide(second_session, 1), verdict::unknown);
  EXPECT_EQ(found.decide(second_session, 2), verdict::unknown);
  EXPECT_EQ(found.decide(second_session, 3, &known), verdict::known);
  EXPECT_EQ(known.why, errc{});
  EXPECT_EQ(found.decide(second_session, 4, &known), verdict::known);
  EXPECT_EQ(known.why, errc::too_many_bytes);
  EXPECT_EQ(found.decide(second_session, 5), verdict::execute);
  EXPECT_TRUE(found.past.ids().contains(update_id::of_random(5, 6)));
  EXPECT_TRUE(found.past.ids().contains(update_id::of_random(7, 8)));
  EXPECT_EQ(found.past.ids().size(), 2U);
}

TEST(map_file_conversion, a_power_failure_at_any_step_leaves_one_of_both_versions) {
  std::size_t begin = 0;
  std::size_t end = 0;
  {
    const faulty_disk disk;
    write_version_1(disk);
    begin = disk.steps();
    const opened found{disk};
    end = disk.steps();
  }
  ASSERT_GT(end, begin);
  for (auto step = begin + 1; step <= end; ++step) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      faulty_disk disk;
      write_version_1(disk);
      disk.switch_off_at(step);
      { const opened failed{disk}; }
      disk.switch_on(seed);
      SCOPED_TRACE("step " + std::to_string(step));
      expect_converted(opened{disk});
    }
  }
}

TEST(map_file_conversion, a_full_disk_leaves_the_old_file_as_it_is) {
  faulty_disk disk;
  write_version_1(disk);
  disk.limit(disk.content("map").size() + 1);
  EXPECT_EQ(opened{disk}.ec, storage_errc::store_full);
  disk.limit(SIZE_MAX);
  expect_converted(opened{disk});
}

TEST(map_file_conversion, an_empty_file_becomes_an_empty_one) {
  const faulty_disk disk;
  write_version_1(disk,
                  "DELETE FROM entries; DELETE FROM applied;"
                  "UPDATE extent SET number = 0, keys = 0, digest = 0, applied = 0, memo = x'',"
                  " crc = 2507261980");
  const opened found{disk};
  ASSERT_FALSE(found.ec) << found.ec.message();
  EXPECT_TRUE(found.past.reigns().empty());
  EXPECT_EQ(found.numbers, state_numbers{});
}

TEST(map_file_conversion, rejects_a_damaged_file) {
  for (const auto* const damage :
       {"UPDATE entries SET value = x'33' WHERE key = x'61'",
        "DELETE FROM entries WHERE key = x'61'", "DELETE FROM applied WHERE row = 3",
        "UPDATE applied SET octets = x'00' WHERE row = 2", "DELETE FROM extent",
        "UPDATE extent SET number = number - 1"}) {
    const faulty_disk disk;
    write_version_1(disk, damage);
    EXPECT_EQ(opened{disk}.ec, storage_errc::store_damaged) << damage;
  }
}

TEST(map_file_conversion, rejects_other_versions_and_names_what_to_do) {
  const faulty_disk newer;
  write_version_1(newer, "PRAGMA user_version = 3");
  const auto refused = opened{newer}.ec;
  EXPECT_EQ(refused, storage_errc::store_version);
  EXPECT_NE(refused.message().find("use the program that wrote it"), std::string::npos);
  const faulty_disk other;
  write_version_1(other, "PRAGMA application_id = 5");
  EXPECT_EQ(opened{other}.ec, storage_errc::not_a_store);
}

TEST(old_updates, joins_ranges_from_all_kinds_of_rows) {
  old_session s;
  s.add(1, 3);
  s.add(7, 9);
  s.add(5, 5);
  EXPECT_EQ(s.done, (std::map<std::uint64_t, std::uint64_t>{{1, 3}, {5, 5}, {7, 9}}));
  s.add(4, 6);
  EXPECT_EQ(s.done, (std::map<std::uint64_t, std::uint64_t>{{1, 9}}));
  s.add(2, 12);
  EXPECT_EQ(s.done, (std::map<std::uint64_t, std::uint64_t>{{1, 12}}));
  EXPECT_TRUE(s.has(12));
  EXPECT_FALSE(s.has(13));
}

TEST(old_updates, rejects_rows_that_are_cut_or_unknown) {
  const auto id = std::string{update_id::of_session(first_session, 1).bytes()};
  const std::string head = 'S' + id.substr(0, 8) + std::string(7, '\0') + '\5';
  const auto valid = head + '\1' + std::string(7, '\0') + '\2' + std::string(7, '\0') + '\3';
  EXPECT_TRUE(old_updates{}.add_piece(valid));
  for (std::size_t size = 1; size < valid.size(); ++size) {
    EXPECT_FALSE(old_updates{}.add_piece(valid.substr(0, size))) << size;
  }
  EXPECT_FALSE(old_updates{}.add_piece("X"));
  EXPECT_FALSE(old_updates{}.add_piece('R' + valid.substr(1))) << "refusals of an unknown session";
  EXPECT_FALSE(old_updates{}.add_ids(id.substr(1)));
  EXPECT_FALSE(old_updates{}.add_refusal(id));
  // An update that was made stays made.
  old_updates made;
  EXPECT_TRUE(made.add_ids(id));
  EXPECT_TRUE(made.add_refusal(id + '\1'));
  EXPECT_TRUE(made.sessions().at(first_session).refused.empty());
}

}  // namespace
}  // namespace chp::test
