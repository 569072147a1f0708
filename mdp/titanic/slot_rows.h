#pragma once
// What a slot is in the tables of a slot_file: a row in `requests` and one in `outcomes`, each with a
// checksum, and in `extent` how many slots there are. Calls block.

#include "mdp/titanic/request_store.h"
#include "zmtp/storage/sqlite_database.h"

#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mdp::titanic {

// What a slot is made of, wherever it comes from.
struct whole_slot {
  kept_request about;
  zmtp::message request;
  zmtp::message reply;  // none unless it is answered
};

// Goes before its database.
class slot_rows {
public:
  // The SQL by which the tables are made, empty.
  [[nodiscard]] static std::string tables();
  // The SQL that changes tables of version 1 to version 2. Existing outcomes get the date `now`.
  [[nodiscard]] static std::string upgrade(std::chrono::sys_seconds now);

  // Before anything else.
  [[nodiscard]] boost::system::error_code prepare(const zmtp::sqlite_database& in);

  // Writes, each a row, or two, of this slot.
  [[nodiscard]] boost::system::error_code put_request(std::uint64_t number, std::uint64_t accepted,
                                                      const request_id& id,
                                                      std::string_view service,
                                                      const zmtp::message& body);
  [[nodiscard]] boost::system::error_code put_outcome(std::uint64_t number, const request_id& id,
                                                      outcome state, std::uint32_t attempts,
                                                      const zmtp::message& body,
                                                      std::chrono::sys_seconds since);
  [[nodiscard]] boost::system::error_code put_empty(std::uint64_t number);
  [[nodiscard]] boost::system::error_code put_extent(std::uint64_t slots);

  // First the request of a slot, then its outcome.
  // Errors: row_damaged, the row is not there or not what was written; read_failed.
  [[nodiscard]] boost::system::error_code read_request(std::uint64_t number, whole_slot& into,
                                                       bool with_body);
  [[nodiscard]] boost::system::error_code read_outcome(std::uint64_t number, whole_slot& into,
                                                       bool with_body);
  // All of them by number, without their bodies. Errors: store_damaged, read_failed, and what SQLite has.
  [[nodiscard]] static boost::system::error_code read_all(const zmtp::sqlite_database& in,
                                                          std::chrono::sys_seconds now,
                                                          std::vector<kept_request>& slots);

private:
  zmtp::sqlite_statement put_request_;
  zmtp::sqlite_statement put_outcome_;
  zmtp::sqlite_statement put_extent_;
  zmtp::sqlite_statement get_request_;
  zmtp::sqlite_statement get_outcome_;
  std::vector<std::byte> octets_;  // of the body that is being written
};

}  // namespace mdp::titanic
