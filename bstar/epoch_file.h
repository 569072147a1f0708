#pragma once
// The file in which a node stores its epoch, so that the epoch survives a crash of the node and of
// its machine.

#include "bstar/state_message.h"

#include <boost/system/error_code.hpp>

#include <string>
#include <utility>

namespace bstar {

// A file with one decimal number and a line feed. Each node must have its own file.
class epoch_file {
public:
  // If the path is empty, nothing is stored.
  explicit epoch_file(std::string path) : path_{std::move(path)} {}

  // Returns the number in the file, or 0 if the file does not exist.
  // Errors: errc::bad_epoch_file, system errors.
  [[nodiscard]] epoch load(boost::system::error_code& ec) const;
  // Stores the number. The number is written to `path`.new, which then replaces the file. So the
  // disk has the old or the new number at each moment, and the new one when the call returns
  // without an error.
  // Errors: system errors.
  void store(epoch which, boost::system::error_code& ec) const;

private:
  std::string path_;
};

}  // namespace bstar
