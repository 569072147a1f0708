#include "mdp/titanic/salvage.h"

#include "mdp/titanic/slot_writer.h"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace mdp::titanic {

using boost::system::error_code;

namespace {

error_code copy_what_remains(const std::string& from, const std::string& to,
                             salvage_report& report) {
  slot_file damaged{{.path = from, .reserve_octets = 0}};
  slot_file whole{{.path = to, .reserve_octets = 0}};
  std::vector<kept_request> none;
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
  return ec ? ec : failed ? failed : writer.flush();
}

}  // namespace

error_code salvage(const std::string& path, salvage_report& report) {
  namespace fs = std::filesystem;
  const auto damaged = path + ".damaged";
  const auto salvaged = path + ".salvaged";
  if (!fs::exists(path)) {
    return make_error_code(boost::system::errc::no_such_file_or_directory);
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
  fs::rename(path, damaged, ec);
  if (!ec && fs::exists(path + "-wal")) {
    fs::rename(path + "-wal", damaged + "-wal", ec);
  }
  if (!ec) {
    fs::rename(salvaged, path, ec);
  }
  return ec;
}

}  // namespace mdp::titanic
