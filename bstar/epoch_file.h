#pragma once
// Where a node keeps its epoch, so that it outlives a crash of the node and of its machine.

#include "bstar/state_message.h"

#include <boost/system/error_code.hpp>

#include <string>
#include <utility>

namespace bstar {

// One number in decimal, and a line feed. Of one node: the two of a pair never share one.
class epoch_file {
public:
  // An empty path: nothing is kept.
  explicit epoch_file(std::string path) : path_{std::move(path)} {}

  // The number in the file; 0 if there is no file. Errors: errc::bad_epoch_file, the system's.
  [[nodiscard]] epoch load(boost::system::error_code& ec) const;
  // When it returns, the number is on the disk, or the old one still is. It writes another file beside
  // it, which takes its place. Errors: the system's.
  void store(epoch which, boost::system::error_code& ec) const;

private:
  std::string path_;
};

}  // namespace bstar
