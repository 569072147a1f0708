// Tests of every request_database.

#include "mdp/titanic/sqlite_request_database.h"
#include "test/mdp/titanic/memory_request_database.h"
#include "test/mdp/titanic/request_ids.h"
#include "test/support/network_test.h"
#include "test/support/scratch_folder.h"
#include "zmtp/storage/sqlite_file.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mdp::titanic {
namespace {

using namespace std::chrono_literals;
using test::id_of;

// Makes a store, and after it another one of the same content.
struct memory_maker {
  std::unique_ptr<request_database> make(const boost::asio::any_io_executor& executor) const {
    return std::make_unique<memory_request_database>(executor, contents);
  }
  std::shared_ptr<memory_request_database::contents> contents =
      std::make_shared<memory_request_database::contents>();
};

struct sqlite_maker {
  std::unique_ptr<request_database> make(const boost::asio::any_io_executor& executor) const {
    return std::make_unique<sqlite_request_database>(
        executor, sqlite_options{.path = folder.path("store"), .reserve_bytes = 100'000});
  }
  zmtp::test::scratch_folder folder;
};

template <class Maker>
class store_test : public zmtp::test::network_test {
protected:
  ~store_test() override { store_.reset(); }

  std::vector<stored_request> open() {
    store_.reset();
    store_ = maker_.make(executor());
    std::optional<std::vector<stored_request>> found;
    store_->open(
        [&](boost::system::error_code ec, std::vector<stored_request> slots) {
          EXPECT_FALSE(ec) << ec.message();
          found = std::move(slots);
        },
        [this](std::vector<store_result> results) {
          EXPECT_FALSE(within_) << "called from within a call";
          std::move(results.begin(), results.end(), std::back_inserter(results_));
        });
    run_until([&] { return found.has_value(); });
    return *found;
  }
  void submit(std::vector<store_operation> batch) {
    within_ = true;
    store_->submit(std::move(batch));
    within_ = false;
  }
  std::vector<store_result> results(std::size_t count) {
    run_until([&] { return results_.size() >= count; });
    return std::exchange(results_, {});
  }
  store_result result(store_operation one) {
    std::vector<store_operation> batch;
    batch.push_back(std::move(one));
    submit(std::move(batch));
    return results(1).at(0);
  }
  store_operation accept(std::uint64_t number, std::uint8_t accepted,
                         zmtp::message body = {"body"}) {
    return {.what = operation::accept,
            .number = number,
            .accepted = accepted,
            .id = id_of(accepted),
            .service = "echo",
            .body = std::move(body)};
  }

  Maker maker_;
  std::unique_ptr<request_database> store_;
  std::vector<store_result> results_;
  bool within_ = false;
};

using makers = testing::Types<memory_maker, sqlite_maker>;
TYPED_TEST_SUITE(store_test, makers);

TYPED_TEST(store_test, a_new_store_is_empty) { EXPECT_TRUE(this->open().empty()); }

TYPED_TEST(store_test, stored_requests_survive_a_restart) {
  this->open();
  const zmtp::message request{"", "a part", std::string(100'000, 'x'), std::string("\0\xff", 2),
                              ""};
  const zmtp::message reply{std::string(70'000, 'y'), ""};
  EXPECT_FALSE(this->result(this->accept(1, 1, request)).ec);
  EXPECT_FALSE(
      this->result({.what = operation::count_attempt, .number = 1, .id = id_of(1), .attempts = 3})
          .ec);
  EXPECT_FALSE(this->result(this->accept(2, 2)).ec);
  EXPECT_FALSE(this->result({.what = operation::answer,
                             .number = 2,
                             .id = id_of(2),
                             .attempts = 1,
                             .body = reply})
                   .ec);
  EXPECT_FALSE(this->result(this->accept(3, 3)).ec);
  EXPECT_FALSE(
      this->result({.what = operation::give_up, .number = 3, .id = id_of(3), .attempts = 5}).ec);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(this->result({.what = operation::read_request, .number = 1}).body, request);
    EXPECT_EQ(this->result({.what = operation::read_reply, .number = 2}).body, reply);
    const auto slots = this->open();
    ASSERT_EQ(slots.size(), 3U);
    for (std::size_t n = 0; n < 3; ++n) {
      EXPECT_EQ(slots[n].number, n + 1);
      EXPECT_EQ(slots[n].accepted, n + 1);
      EXPECT_EQ(slots[n].id, id_of(static_cast<std::uint8_t>(n + 1)));
      EXPECT_EQ(slots[n].service, "echo");
    }
    EXPECT_EQ(slots[0].state, outcome::pending);
    EXPECT_EQ(slots[0].attempts, 3U);
    EXPECT_EQ(slots[1].state, outcome::answered);
    EXPECT_EQ(slots[2].state, outcome::given_up);
    EXPECT_EQ(slots[2].attempts, 5U);
  }
}

TYPED_TEST(store_test, a_slot_that_is_closed_is_empty_and_used_again) {
  this->open();
  EXPECT_FALSE(this->result(this->accept(1, 1)).ec);
  EXPECT_FALSE(
      this->result({.what = operation::answer, .number = 1, .id = id_of(1), .body = {"old"}}).ec);
  EXPECT_FALSE(this->result({.what = operation::close, .number = 1}).ec);
  EXPECT_EQ(this->result({.what = operation::read_request, .number = 1}).ec,
            zmtp::storage_errc::row_damaged);
  auto slots = this->open();
  ASSERT_EQ(slots.size(), 1U);
  EXPECT_EQ(slots[0].accepted, 0U);
  EXPECT_FALSE(this->result(this->accept(1, 2, {"new"})).ec);
  EXPECT_EQ(this->result({.what = operation::read_request, .number = 1}).body,
            zmtp::message{"new"});
  EXPECT_EQ(this->result({.what = operation::read_reply, .number = 1}).ec,
            zmtp::storage_errc::row_damaged);
  slots = this->open();
  ASSERT_EQ(slots.size(), 1U);
  EXPECT_EQ(slots[0].id, id_of(2));
  EXPECT_EQ(slots[0].state, outcome::pending);
}

TYPED_TEST(store_test, a_read_before_a_close_succeeds) {
  this->open();
  EXPECT_FALSE(this->result(this->accept(1, 1)).ec);
  EXPECT_FALSE(
      this->result({.what = operation::answer, .number = 1, .id = id_of(1), .body = {"reply"}}).ec);
  std::vector<store_operation> batch;
  batch.push_back({.what = operation::read_reply, .number = 1});
  batch.push_back({.what = operation::close, .number = 1});
  batch.push_back({.what = operation::read_reply, .number = 1});
  this->submit(std::move(batch));
  const auto results = this->results(3);
  EXPECT_FALSE(results[0].ec);
  EXPECT_EQ(results[0].body, zmtp::message{"reply"});
  EXPECT_FALSE(results[1].ec);
  EXPECT_EQ(results[2].ec, zmtp::storage_errc::row_damaged);
}

TYPED_TEST(store_test, slots_that_are_skipped_are_empty) {
  this->open();
  EXPECT_FALSE(this->result(this->accept(4, 1)).ec);
  const auto slots = this->open();
  ASSERT_EQ(slots.size(), 4U);
  for (std::size_t n = 0; n < 4; ++n) {
    EXPECT_EQ(slots[n].number, n + 1);
    EXPECT_EQ(slots[n].accepted, n == 3 ? 1U : 0U);
  }
}

TYPED_TEST(store_test, results_come_in_order_one_for_each) {
  this->open();
  std::vector<std::uint64_t> expected;
  for (std::uint64_t n = 1; n <= 200; ++n) {
    std::vector<store_operation> batch;
    batch.push_back(this->accept(n, static_cast<std::uint8_t>(n), {std::to_string(n)}));
    batch.back().ticket = 2 * n;
    batch.push_back({.what = operation::read_request, .ticket = 2 * n + 1, .number = n});
    expected.insert(expected.end(), {2 * n, 2 * n + 1});
    this->submit(std::move(batch));
  }
  const auto all = this->results(400);
  ASSERT_EQ(all.size(), 400U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_FALSE(all[i].ec);
    EXPECT_EQ(all[i].ticket, expected[i]);
    if (i % 2 == 1) {
      EXPECT_EQ(all[i].body, zmtp::message{std::to_string(i / 2 + 1)});
    }
  }
}

class sqlite_request_database_test : public zmtp::test::network_test {
protected:
  ~sqlite_request_database_test() override { store_.reset(); }

  boost::system::error_code open() {
    store_.reset();
    store_.emplace(executor(), sqlite_options{.path = path_, .reserve_bytes = 0});
    std::optional<boost::system::error_code> end;
    store_->open(
        [&](boost::system::error_code ec, const std::vector<stored_request>&) { end = ec; },
        [](const std::vector<store_result>&) {});
    run_until([&] { return end.has_value(); });
    return *end;
  }

  zmtp::test::scratch_folder folder_;
  std::string path_ = folder_.path("store");
  std::optional<sqlite_request_database> store_;
};

TEST_F(sqlite_request_database_test, a_second_store_cannot_open_the_file) {
  ASSERT_FALSE(open());
  slot_file other{{.path = path_, .reserve_bytes = 0}};
  std::vector<stored_request> slots;
  EXPECT_EQ(other.open(slots), zmtp::storage_errc::store_in_use);
}

TEST_F(sqlite_request_database_test, does_not_change_a_file_that_is_not_a_store) {
  zmtp::sqlite_database foreign;
  ASSERT_FALSE(foreign.open(path_.c_str(), nullptr));
  ASSERT_FALSE(foreign.execute("CREATE TABLE theirs (value); PRAGMA application_id = 7"));
  foreign.close();
  EXPECT_EQ(open(), zmtp::storage_errc::not_a_store);
  store_.reset();
  std::int64_t tables = 0;
  ASSERT_FALSE(foreign.open(path_.c_str(), nullptr));
  ASSERT_FALSE(foreign.number_of("SELECT count(*) FROM sqlite_schema", tables));
  EXPECT_EQ(tables, 1);
  EXPECT_FALSE(std::filesystem::exists(path_ + "-wal"));

  path_ = folder_.path("text");
  std::FILE* const text = std::fopen(path_.c_str(), "w");
  ASSERT_NE(text, nullptr);
  std::fprintf(text, "%s", std::string(5000, 't').c_str());
  std::fclose(text);
  EXPECT_EQ(open(), zmtp::storage_errc::not_a_store);
  path_ = "/nowhere/store";
  EXPECT_EQ(open(), zmtp::storage_errc::store_failed);
}

TEST_F(sqlite_request_database_test, does_not_change_a_store_of_another_version) {
  ASSERT_FALSE(open());
  store_.reset();
  zmtp::sqlite_database later;
  ASSERT_FALSE(later.open(path_.c_str(), nullptr));
  ASSERT_FALSE(later.execute("PRAGMA user_version = 4"));
  later.close();
  EXPECT_EQ(open(), zmtp::storage_errc::store_version);
}

// Tests with a clock of their own.
class dated_store_test : public sqlite_request_database_test {
protected:
  std::vector<stored_request> at(std::chrono::sys_seconds now,
                                 const std::vector<store_operation>& batch) {
    now_ = now;
    slot_file file{{.path = path_, .reserve_bytes = 0, .clock = [this] { return now_; }}};
    std::vector<stored_request> slots;
    EXPECT_FALSE(file.open(slots));
    std::vector<store_result> results;
    file.carry_out(batch, results);
    for (const auto& one : results) {
      EXPECT_FALSE(one.ec);
    }
    return slots;
  }
  store_operation accept(std::uint64_t number) {
    return {.what = operation::accept,
            .number = number,
            .accepted = number,
            .id = id_of(static_cast<std::uint8_t>(number)),
            .service = "echo",
            .body = {"body"}};
  }
  store_operation answer(std::uint64_t number) {
    return {.what = operation::answer,
            .number = number,
            .id = id_of(static_cast<std::uint8_t>(number)),
            .attempts = 1,
            .body = {"reply"}};
  }

  static constexpr std::chrono::sys_days day{std::chrono::year{2026} / 3 / 1};
  std::chrono::sys_seconds now_{};
};

TEST_F(dated_store_test, the_age_of_an_outcome_survives_a_restart) {
  at(day, {accept(1), accept(2)});
  at(day + 100s, {answer(2)});
  const auto slots = at(day + 250s, {});
  ASSERT_EQ(slots.size(), 2U);
  EXPECT_EQ(slots[0].age, 250s);
  EXPECT_EQ(slots[1].age, 150s);
}

TEST_F(dated_store_test, a_date_in_the_future_counts_as_new) {
  at(day, {accept(1), answer(1)});
  EXPECT_EQ(at(day - 1'000h, {}).at(0).age, 0s);
  EXPECT_EQ(at(day + 5s, {}).at(0).age, 5s);
}

TEST_F(dated_store_test, an_altered_date_is_detected) {
  at(day, {accept(1), answer(1)});
  zmtp::sqlite_database vandal;
  ASSERT_FALSE(vandal.open(path_.c_str(), nullptr));
  ASSERT_FALSE(vandal.execute("UPDATE outcomes SET since = since - 1"));
  vandal.close();
  EXPECT_EQ(open(), zmtp::storage_errc::store_damaged);
}

// Version 2 has no principal, also not in the checksum.
void make_one_of_version_2(const std::string& path) {
  zmtp::sqlite_database file;
  ASSERT_FALSE(file.open(path.c_str(), nullptr));
  ASSERT_FALSE(file.execute(
      "CREATE TABLE old (number INTEGER PRIMARY KEY, accepted INTEGER NOT NULL, id BLOB NOT NULL,"
      " service BLOB NOT NULL, body BLOB NOT NULL, crc INTEGER NOT NULL);"
      "INSERT INTO old SELECT number, accepted, id, service, body, crc FROM requests;"
      "DROP TABLE requests; ALTER TABLE old RENAME TO requests; PRAGMA user_version = 2"));
  zmtp::sqlite_statement rows;
  ASSERT_FALSE(rows.prepare(file, "SELECT number, accepted, id, service, body FROM requests"));
  std::string sums;
  boost::system::error_code ec;
  while (rows.step(ec)) {
    zmtp::row_checksum sum{'r'};
    sum << rows.number(0) << rows.number(1) << rows.bytes(2) << rows.bytes(3) << rows.bytes(4);
    sums += "UPDATE requests SET crc = " + std::to_string(sum.value()) +
            " WHERE number = " + std::to_string(rows.number(0)) + ";";
  }
  rows.reset();
  ASSERT_FALSE(file.execute(sums.c_str()));
}

// Version 1 has no date, also not in the checksum.
void make_one_of_version_1(const std::string& path) {
  make_one_of_version_2(path);
  zmtp::sqlite_database file;
  ASSERT_FALSE(file.open(path.c_str(), nullptr));
  ASSERT_FALSE(file.execute(
      "CREATE TABLE old (number INTEGER PRIMARY KEY, id BLOB NOT NULL, state INTEGER NOT NULL,"
      " attempts INTEGER NOT NULL, body BLOB NOT NULL, crc INTEGER NOT NULL);"
      "INSERT INTO old SELECT number, id, state, attempts, body, crc FROM outcomes;"
      "DROP TABLE outcomes; ALTER TABLE old RENAME TO outcomes; PRAGMA user_version = 1"));
  zmtp::sqlite_statement rows;
  ASSERT_FALSE(rows.prepare(file, "SELECT number, id, state, attempts, body FROM outcomes"));
  std::string sums;
  boost::system::error_code ec;
  while (rows.step(ec)) {
    zmtp::row_checksum sum{'o'};
    sum << rows.number(0) << rows.bytes(1) << rows.number(2) << rows.number(3) << rows.bytes(4);
    sums += "UPDATE outcomes SET crc = " + std::to_string(sum.value()) +
            " WHERE number = " + std::to_string(rows.number(0)) + ";";
  }
  rows.reset();
  ASSERT_FALSE(file.execute(sums.c_str()));
}

TEST_F(dated_store_test, a_store_of_version_1_is_converted) {
  at(day, {accept(1), answer(1), accept(2)});
  make_one_of_version_1(path_);
  const auto first = at(day + 1'000s, {answer(2)});
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].state, outcome::answered);
  EXPECT_EQ(first[0].age, 0s);
  const auto second = at(day + 3'000s, {});
  EXPECT_EQ(second[0].age, 2'000s) << "since the conversion";
  EXPECT_EQ(second[1].age, 2'000s);
  EXPECT_EQ(second[1].state, outcome::answered);
  // Rows of version 1 keep their checksum.
  zmtp::sqlite_database vandal;
  ASSERT_FALSE(vandal.open(path_.c_str(), nullptr));
  ASSERT_FALSE(vandal.execute("UPDATE outcomes SET attempts = 7 WHERE number = 1"));
  vandal.close();
  EXPECT_EQ(open(), zmtp::storage_errc::store_damaged);
}

TEST_F(dated_store_test, the_principal_of_a_request_survives_a_restart) {
  auto by_alice = accept(1);
  by_alice.principal = "alice";
  at(day, {by_alice, accept(2), answer(1)});
  const auto slots = at(day, {});
  ASSERT_EQ(slots.size(), 2U);
  EXPECT_EQ(slots[0].principal, "alice");
  EXPECT_EQ(slots[1].principal, "");
}

TEST_F(dated_store_test, an_altered_principal_is_detected) {
  for (const auto* const name : {"mallory", ""}) {
    path_ = folder_.path(std::string{"store of "} + name);
    auto by_alice = accept(1);
    by_alice.principal = "alice";
    at(day, {by_alice});
    zmtp::sqlite_database vandal;
    ASSERT_FALSE(vandal.open(path_.c_str(), nullptr));
    ASSERT_FALSE(vandal.execute(
        (std::string{"UPDATE requests SET principal = CAST('"} + name + "' AS BLOB)").c_str()));
    vandal.close();
    EXPECT_EQ(open(), zmtp::storage_errc::store_damaged) << name;
    store_.reset();
  }
}

TEST_F(dated_store_test, requests_of_version_2_are_of_an_anonymous_principal) {
  at(day, {accept(1), answer(1), accept(2)});
  make_one_of_version_2(path_);
  auto by_alice = accept(3);
  by_alice.principal = "alice";
  const auto first = at(day + 1'000s, {by_alice, answer(2)});
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].age, 1'000s);
  const auto second = at(day + 3'000s, {});
  ASSERT_EQ(second.size(), 3U);
  EXPECT_EQ(second[0].principal, "");
  EXPECT_EQ(second[0].state, outcome::answered);
  EXPECT_EQ(second[1].state, outcome::answered);
  EXPECT_EQ(second[2].principal, "alice");
  // A principal that was added to a request of version 2 is detected.
  zmtp::sqlite_database vandal;
  ASSERT_FALSE(vandal.open(path_.c_str(), nullptr));
  ASSERT_FALSE(vandal.execute("UPDATE requests SET principal = x'61' WHERE number = 1"));
  vandal.close();
  EXPECT_EQ(open(), zmtp::storage_errc::store_damaged);
}

TEST_F(sqlite_request_database_test, detects_missing_and_altered_rows) {
  for (const auto* const damage :
       {"DELETE FROM requests WHERE number = 2", "DELETE FROM requests WHERE number = 3",
        "DELETE FROM outcomes WHERE number = 3", "DELETE FROM outcomes WHERE number = 1",
        "DELETE FROM requests WHERE number = 3; DELETE FROM outcomes WHERE number = 3",
        "DELETE FROM extent", "UPDATE extent SET slots = 2",
        "UPDATE requests SET accepted = 0 WHERE number = 1",
        "UPDATE requests SET service = 'other' WHERE number = 1",
        "UPDATE requests SET body = zeroblob(9) WHERE number = 1",
        "UPDATE requests SET id = zeroblob(16) WHERE number = 1",
        "UPDATE requests SET number = 4 WHERE number = 3",
        "UPDATE outcomes SET state = 0 WHERE number = 2",
        "UPDATE outcomes SET attempts = 9 WHERE number = 2",
        "UPDATE outcomes SET body = x'' WHERE number = 2"}) {
    path_ = folder_.path(std::to_string(std::hash<std::string>{}(damage)));
    {
      slot_file file{{.path = path_, .reserve_bytes = 0}};
      std::vector<stored_request> slots;
      ASSERT_FALSE(file.open(slots));
      std::vector<store_operation> batch;
      for (std::uint8_t n = 1; n <= 3; ++n) {
        batch.push_back({.what = operation::accept,
                         .number = n,
                         .accepted = n,
                         .id = id_of(n),
                         .service = "echo",
                         .body = {"body"}});
      }
      batch.push_back({.what = operation::answer,
                       .number = 2,
                       .id = id_of(2),
                       .attempts = 1,
                       .body = {"reply"}});
      std::vector<store_result> results;
      file.carry_out(batch, results);
    }
    EXPECT_FALSE(open());
    store_.reset();
    zmtp::sqlite_database vandal;
    ASSERT_FALSE(vandal.open(path_.c_str(), nullptr));
    ASSERT_FALSE(vandal.execute(damage));
    vandal.close();
    EXPECT_EQ(open(), zmtp::storage_errc::store_damaged) << damage;
  }
}

}  // namespace
}  // namespace mdp::titanic
