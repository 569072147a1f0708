#pragma once
// The file of a sqlite_map_store: the entries, which updates are applied, and how far it is. Calls block,
// and are made by one thread at a time.

#include "chp/map_store.h"
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

struct map_file_options {
  zmtp::sqlite_file_options file{};
  register_limits applied{};
  // Ids of updates are written one behind the other, and replaced by what they come to when they are so
  // many octets more than twice that.
  std::size_t applied_octets = 1024 * 1024;
};

// Each row has a checksum, and one row says how many there are of each kind and what the checksums of all
// entries add up to: a row that is missing is seen, and so is one that was altered or is an older one.
class map_file {
public:
  explicit map_file(map_file_options options);

  // Makes the file if there is none; reads and checks everything. Once.
  // Errors: as map_store::load.
  [[nodiscard]] boost::system::error_code open(kept_map& found);
  // With one sync if there is room for all. `results` has one for each, in order, as map_store::write.
  void write(const std::vector<std::vector<map_change>>& writes,
             std::vector<boost::system::error_code>& results);
  // Moves what is in the log to its place when there is much of it. Between two calls of write().
  void tidy();

private:
  struct extent {
    sequence number = 0;
    std::uint64_t keys = 0;
    std::uint64_t digest = 0;   // the sum of the checksums of entries
    std::uint64_t applied = 0;  // rows, by numbers from 1
    std::string memo{};
    std::size_t applied_octets = 0;
    std::size_t packed_octets = 0;  // of them, those that are packed
  };
  enum class kind : std::uint8_t { ids, piece, refusal };
  enum class trust : std::uint8_t {
    whole,    // everything it was given is there
    refused,  // something is not: only a whole map is taken
    failed,   // nothing is
  };

  [[nodiscard]] static std::string tables();
  [[nodiscard]] static std::uint64_t checksum_of(const extent& all);
  [[nodiscard]] boost::system::error_code prepare();
  [[nodiscard]] boost::system::error_code read_extent();
  [[nodiscard]] boost::system::error_code read_entries(kept_map& found);
  [[nodiscard]] boost::system::error_code read_applied();

  // Of writes from `first` on, so many, in one transaction.
  [[nodiscard]] boost::system::error_code transact(
      const std::vector<std::vector<map_change>>& writes, std::size_t first, std::size_t count);
  [[nodiscard]] boost::system::error_code put(const map_change& change, std::string& ids);
  [[nodiscard]] boost::system::error_code find_entry(std::string_view key,
                                                     std::optional<std::uint64_t>& row);
  [[nodiscard]] boost::system::error_code put_entry(const map_change& change);
  [[nodiscard]] boost::system::error_code remove_entry(std::string_view key);
  [[nodiscard]] boost::system::error_code put_ids(std::string& ids);
  [[nodiscard]] boost::system::error_code put_applied(kind which, std::string_view octets);
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
  std::unique_ptr<update_register> applied_;  // what has been committed
  trust trust_ = trust::whole;
};

}  // namespace chp
