#pragma once
// The file of a sqlite_map_database: the entries, the applied updates and the highest sequence. Calls
// block.

#include "chp/map_database.h"
#include "chp/update_register.h"
#include "zmtp/storage/sqlite_database.h"
#include "zmtp/storage/sqlite_file.h"

#include <boost/system/error_code.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chp {

// Options of the file.
struct map_file_options {
  zmtp::sqlite_file_options file{};
  register_limits applied{};
  // Bytes of applied ids that are appended before they are packed: when they exceed twice the
  // packed size plus this value.
  std::size_t applied_bytes = 1024 * 1024;
};

// Stores a map. Each row has a checksum. One row has the number of rows of each kind and the sum of
// the checksums of all entries. So missing, altered and outdated rows are detected.
//
// Thread safety: not safe; one thread at a time.
class map_file {
public:
  explicit map_file(map_file_options options);

  // Opens or creates the file, and reads and checks all rows. Call it once.
  // Errors: those of map_database::load.
  [[nodiscard]] boost::system::error_code open(stored_map& found);
  // Carries out the writes, with one sync if they all fit. `results` has one entry for each write,
  // in order, as in map_database::write.
  void write(const std::vector<std::vector<map_change>>& writes,
             std::vector<boost::system::error_code>& results);
  // Moves the content of a long log into the file. Call it between two writes.
  void tidy();

private:
  struct extent {
    sequence number = 0;
    std::uint64_t keys = 0;
    std::uint64_t digest = 0;   // sum of the checksums of entries
    std::uint64_t applied = 0;  // number of rows, numbered from 1
    std::string server_record{};
    std::size_t applied_bytes = 0;
    std::size_t packed_bytes = 0;  // bytes of the packed rows
  };
  enum class kind : std::uint8_t { ids, piece, refusal };
  enum class trust : std::uint8_t {
    whole,    // it contains everything it was given
    refused,  // a write was rejected; only a whole map is accepted
    failed,   // nothing is accepted
  };

  [[nodiscard]] static std::string tables();
  [[nodiscard]] static std::uint64_t checksum_of(const extent& all);
  [[nodiscard]] boost::system::error_code prepare();
  [[nodiscard]] boost::system::error_code read_extent();
  [[nodiscard]] boost::system::error_code read_entries(stored_map& found);
  [[nodiscard]] boost::system::error_code read_applied();

  // Carries out `count` writes from `first`, in one transaction.
  [[nodiscard]] boost::system::error_code transact(
      const std::vector<std::vector<map_change>>& writes, std::size_t first, std::size_t count);
  [[nodiscard]] boost::system::error_code put(const map_change& change, std::string& ids);
  [[nodiscard]] boost::system::error_code find_entry(std::string_view key,
                                                     std::optional<std::uint64_t>& row);
  [[nodiscard]] boost::system::error_code put_entry(const map_change& change);
  [[nodiscard]] boost::system::error_code remove_entry(std::string_view key);
  [[nodiscard]] boost::system::error_code put_ids(std::string& ids);
  [[nodiscard]] boost::system::error_code put_applied(kind which, std::string_view bytes);
  [[nodiscard]] boost::system::error_code put_extent();
  [[nodiscard]] boost::system::error_code pack_applied();
  [[nodiscard]] boost::system::error_code clear();
  void note(const map_change& change);

  map_file_options options_;
  zmtp::sqlite_file file_;
  zmtp::sqlite_statement add_entry_;
  zmtp::sqlite_statement change_entry_;
  zmtp::sqlite_statement find_entry_;
  zmtp::sqlite_statement remove_entry_;
  zmtp::sqlite_statement put_applied_;
  zmtp::sqlite_statement put_extent_;
  zmtp::sqlite_statement clear_entries_;
  zmtp::sqlite_statement clear_applied_;
  extent all_;
  std::unique_ptr<update_register> applied_;  // committed ids
  trust trust_ = trust::whole;
};

}  // namespace chp
