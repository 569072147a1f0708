#pragma once
// The rows of a slot in the tables of a slot_file: one in `requests` and one in `outcomes`, each
// with a checksum. The table `extent` has the number of slots. Calls block.

#include "mdp/titanic/request_database.h"
#include "zmtp/storage/sqlite_database.h"

#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mdp::titanic {

// A slot with its bodies, from any source.
struct whole_slot {
  stored_request about;
  zmtp::message request;
  zmtp::message reply;  // empty unless answered
};

// Statements for the rows of slots. Must be destroyed before the database.
class slot_rows {
public:
  // Returns the SQL that creates the empty tables.
  [[nodiscard]] static std::string tables();
  // The SQL that changes tables of version 1 to version 2, and those to version 3. Outcomes of
  // version 1 get the date `now`. Requests of version 2 are of an anonymous principal.
  [[nodiscard]] static std::vector<std::string> upgrades(std::chrono::sys_seconds now);

  // Must be the first call.
  [[nodiscard]] boost::system::error_code prepare(const zmtp::sqlite_database& in);

  // Each call writes one row of this slot, or two.
  [[nodiscard]] boost::system::error_code put_request(std::uint64_t number, std::uint64_t accepted,
                                                      const request_id& id,
                                                      std::string_view service,
                                                      std::string_view principal,
                                                      const zmtp::message& body);
  [[nodiscard]] boost::system::error_code put_outcome(std::uint64_t number, const request_id& id,
                                                      outcome state, std::uint32_t attempts,
                                                      const zmtp::message& body,
                                                      std::chrono::sys_seconds since);
  [[nodiscard]] boost::system::error_code put_empty(std::uint64_t number);
  [[nodiscard]] boost::system::error_code put_extent(std::uint64_t slots);

  // Read the request of a slot, then its outcome.
  // Errors: row_damaged if the row is missing or altered; read_failed.
  [[nodiscard]] boost::system::error_code read_request(std::uint64_t number, whole_slot& into,
                                                       bool with_body);
  [[nodiscard]] boost::system::error_code read_outcome(std::uint64_t number, whole_slot& into,
                                                       bool with_body);
  // Reads all slots by number, without bodies.
  // Errors: store_damaged, read_failed, and those of SQLite.
  [[nodiscard]] static boost::system::error_code read_all(const zmtp::sqlite_database& in,
                                                          std::chrono::sys_seconds now,
                                                          std::vector<stored_request>& slots);

private:
  zmtp::sqlite_statement put_request_;
  zmtp::sqlite_statement put_outcome_;
  zmtp::sqlite_statement put_extent_;
  zmtp::sqlite_statement get_request_;
  zmtp::sqlite_statement get_outcome_;
  std::vector<std::byte> bytes_;  // the body to write
};

}  // namespace mdp::titanic
