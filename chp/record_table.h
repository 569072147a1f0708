#pragma once
// A table of a store: records under keys, each with a checksum. Calls block.

#include "zmtp/storage/sqlite_database.h"

#include <boost/system/error_code.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace chp {

// The number of rows, and the sum of their checksums. So missing and outdated rows are detected.
struct record_totals {
  std::uint64_t rows = 0;
  std::uint64_t digest = 0;
  friend bool operator==(const record_totals&, const record_totals&) = default;
};

class record_table {
public:
  explicit record_table(std::string name) : name_{std::move(name)} {}

  // The SQL that creates the table.
  [[nodiscard]] std::string sql() const;
  [[nodiscard]] boost::system::error_code prepare(const zmtp::sqlite_database& in);

  // Change the table, and the totals with it.
  [[nodiscard]] boost::system::error_code put(std::string_view key, std::string_view record,
                                              record_totals& all);
  [[nodiscard]] boost::system::error_code remove(std::string_view key, record_totals& all);
  // The totals of the table go with it.
  [[nodiscard]] boost::system::error_code clear() { return clear_.run(); }

  // Calls `visit(std::string_view record) -> error_code` for each row, and adds the rows to `all`.
  // Errors: store_damaged if a row is not as it was written, and those of `visit`.
  template <class Visit>
  [[nodiscard]] boost::system::error_code visit(record_totals& all, Visit&& visit) {
    boost::system::error_code ec;
    std::string_view record;
    while (next(record, all, ec)) {
      ec = visit(record);
      if (ec) {
        break;
      }
    }
    all_.reset();
    return ec;
  }

private:
  // Returns the row of a key, or 0, and takes it out of the totals.
  [[nodiscard]] std::uint64_t find(std::string_view key, record_totals& all,
                                   boost::system::error_code& ec);
  [[nodiscard]] bool next(std::string_view& record, record_totals& all,
                          boost::system::error_code& ec);
  [[nodiscard]] std::uint64_t checksum(std::string_view key, std::string_view record) const;

  std::string name_;
  zmtp::sqlite_statement find_;
  zmtp::sqlite_statement add_;
  zmtp::sqlite_statement change_;
  zmtp::sqlite_statement remove_;
  zmtp::sqlite_statement clear_;
  zmtp::sqlite_statement all_;
};

}  // namespace chp
