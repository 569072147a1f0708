#pragma once
// The file into which a server writes the updates that it takes out of its history.

#include "chp/log_actions.h"

#include <boost/system/error_code.hpp>

#include <string>
#include <string_view>

namespace chp {

// `lost-EPOCH-TAG.jsonl` in a folder. It appears under this name when it is complete and on the disk.
// An incomplete file has another name, which ends with `.new`.
class lost_file {
public:
  lost_file(const std::string& folder, const lost_updates& what);
  lost_file(const lost_file&) = delete;
  lost_file& operator=(const lost_file&) = delete;
  ~lost_file();

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  void write(std::string_view lines);
  // Ends the file. Returns the first error of all calls.
  [[nodiscard]] boost::system::error_code finish();

private:
  [[nodiscard]] std::string unfinished() const { return path_ + ".new"; }
  void check(bool done) noexcept;

  std::string folder_;
  std::string path_;
  int handle_;
  boost::system::error_code ec_;
};

}  // namespace chp
