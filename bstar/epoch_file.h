#pragma once
// The file in which a node stores its epoch, so that the epoch survives a crash of the node and of
// its machine.

#include "bstar/state_message.h"

#include <boost/system/error_code.hpp>

#include <string>
#include <utility>

namespace bstar {

// A file with one decimal number and a line feed. Each node must have its own file.
//
// A spare file, `path`.new, keeps its bytes on the disk. store() writes into the spare and exchanges
// the two. So a full disk prevents no takeover, on file systems that write in place.
class epoch_file {
public:
  // If the path is empty, nothing is stored.
  explicit epoch_file(std::string path) : path_{std::move(path)}, spare_{path_ + ".new"} {}

  // Returns the number in the file, or 0 if the file does not exist.
  // Errors: errc::bad_epoch_file, system errors.
  [[nodiscard]] epoch load(boost::system::error_code& ec) const;
  // Makes the spare file, if there is none. Without it, store() makes it and needs space on the disk.
  // Errors: system errors.
  void make_spare(boost::system::error_code& ec) const;
  // Stores the number. The disk has the old or the new number at each moment, and the new one when
  // the call returns without an error.
  // Errors: system errors.
  void store(epoch which, boost::system::error_code& ec) const;

private:
  std::string path_;
  std::string spare_;
};

}  // namespace bstar
