#pragma once
// The file of a sqlite_log_store: log, lineage, map, sessions and ids. Calls block.

#include "chp/history.h"
#include "chp/record_table.h"
#include "chp/state_write.h"
#include "zmtp/storage/sqlite_database.h"
#include "zmtp/storage/sqlite_file.h"

#include <boost/system/error_code.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace chp {

// Carries out writes. Each row has a checksum. The log has no gaps, and the other rows are counted,
// so missing, altered and outdated rows are detected.
//
// Thread safety: not safe; one thread at a time.
class log_file {
public:
  explicit log_file(zmtp::sqlite_file_options options);

  // Opens or creates the file, converts one of the version before, and reads it into an empty
  // history. Keeps as many ids as that history. Call it once. Errors: those of log_store::load.
  [[nodiscard]] boost::system::error_code open(history& into, history::time_point now,
                                               state_numbers& numbers);
  // Carries out the writes, with one sync if they all fit. `results` has one entry for each write,
  // in order, as in log_store::write.
  void write(const std::vector<state_write>& writes,
             std::vector<boost::system::error_code>& results);
  // Moves the content of SQLite's long log into the file. Call it between two writes.
  void tidy();

private:
  // The totals of the file.
  struct extent {
    state_numbers numbers{};
    record_totals records{};     // the rows of map, sessions and ids
    std::uint64_t ids = 0;       // number of ids
    std::uint64_t last_ids = 0;  // key of the last row of ids
  };
  enum class trust : std::uint8_t {
    whole,   // it contains everything it was given
    full,    // a write did not fit; only one that replaces everything is accepted
    failed,  // nothing is accepted
  };

  [[nodiscard]] std::string tables() const;
  [[nodiscard]] boost::system::error_code prepare();
  [[nodiscard]] boost::system::error_code convert();
  [[nodiscard]] boost::system::error_code load(history& into, history::time_point now);
  [[nodiscard]] boost::system::error_code load_numbers();
  [[nodiscard]] boost::system::error_code load_ids(history& into, record_totals& found);
  [[nodiscard]] boost::system::error_code load_log(history& into);
  [[nodiscard]] boost::system::error_code load_lineage(lineage& reigns);

  // Carries out writes of the present transaction, or begins one. Commits after the last one if it
  // ends its transaction.
  [[nodiscard]] boost::system::error_code carry_out(std::span<const state_write> some);
  void roll_back();
  [[nodiscard]] boost::system::error_code put(const state_write& w);
  [[nodiscard]] boost::system::error_code put_map(std::string_view records);
  [[nodiscard]] boost::system::error_code put_sessions(const state_write& w);
  [[nodiscard]] boost::system::error_code put_entries(std::string_view records);
  [[nodiscard]] boost::system::error_code put_ids(std::string_view rows);
  [[nodiscard]] boost::system::error_code put_lineage(std::string_view rows);
  [[nodiscard]] boost::system::error_code put_numbers();
  [[nodiscard]] boost::system::error_code trim(sequence start);
  [[nodiscard]] boost::system::error_code clear();

  zmtp::sqlite_file_options options_;
  std::size_t most_ids_ = 0;
  zmtp::sqlite_file file_;
  record_table map_{"map"};
  record_table sessions_{"sessions"};
  zmtp::sqlite_statement add_entries_;
  zmtp::sqlite_statement trim_entries_;
  zmtp::sqlite_statement add_ids_;
  zmtp::sqlite_statement oldest_ids_;
  zmtp::sqlite_statement remove_ids_;
  zmtp::sqlite_statement put_lineage_;
  zmtp::sqlite_statement put_numbers_;
  extent all_;
  extent before_;         // as of the last commit
  bool is_open_ = false;  // a transaction
  trust trust_ = trust::whole;
};

}  // namespace chp
