#include "mdp/titanic/salvage.h"

#include "mdp/titanic/slot_writer.h"
#include "zmtp/storage/error.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace mdp::titanic {

using boost::system::error_code;

namespace {

error_code copy_what_remains(const std::string& from, const std::string& to,
                             salvage_report& report) {
  slot_file damaged{{.path = from, .reserve_bytes = 0}};
  slot_file whole{{.path = to, .reserve_bytes = 0}};
  std::vector<stored_request> none;
  if (const auto ec = whole.open(none)) {
    return ec;
  }
  slot_writer writer{whole, none};
  error_code failed;
  const auto ec = damaged.salvage(
      [&](whole_slot&& one) {
        if (!failed) {
          failed = writer.put(std::move(one));
        }
      },
      report);
  if (ec || failed) {
    return ec ? ec : failed;
  }
  const auto flushed = writer.flush();
  // The rename moves the file without its log.
  return flushed ? flushed : whole.empty_log();
}

// Syncs the names in the folder to the disk.
error_code sync_folder_of(const std::string& path) {
  const auto folder = std::filesystem::path{path}.parent_path();
  const auto opened =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const auto synced = opened >= 0 && ::fsync(opened) == 0;
  const auto why = synced ? 0 : errno;
  if (opened >= 0) {
    ::close(opened);
  }
  return {why, boost::system::system_category()};
}

}  // namespace

error_code salvage(const std::string& path, salvage_report& report) {
  namespace fs = std::filesystem;
  const auto damaged = path + ".damaged";
  const auto salvaged = path + ".salvaged";
  if (!fs::exists(path)) {
    return make_error_code(boost::system::errc::no_such_file_or_directory);
  }
  std::error_code different;
  if (fs::exists(damaged) && fs::equivalent(path, damaged, different)) {
    // An earlier call ended between the two renames.
    fs::remove(damaged, different);
  }
  if (fs::exists(damaged)) {
    return make_error_code(boost::system::errc::file_exists);
  }
  std::error_code ec;
  fs::remove(salvaged, ec);
  fs::remove(salvaged + "-wal", ec);
  if (const auto failed = copy_what_remains(path, salvaged, report)) {
    fs::remove(salvaged, ec);
    return failed;
  }
  // SQLite would apply this log to the new store.
  if (const auto log = fs::file_size(path + "-wal", ec); !ec && log != 0) {
    return zmtp::storage_errc::store_failed;
  }
  if (const auto failed = sync_folder_of(path)) {
    return failed;
  }
  fs::create_hard_link(path, damaged, ec);
  if (!ec) {
    fs::rename(salvaged, path, ec);
  }
  return ec ? error_code{ec} : sync_folder_of(path);
}

}  // namespace mdp::titanic
