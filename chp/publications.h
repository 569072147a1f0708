#pragma once
// The KVPUB of each published entry. Pure.

#include "chp/command.h"
#include "chp/directory_counters.h"
#include "chp/log_entry.h"
#include "chp/random_numbers.h"
#include "chp/sequence.h"
#include "zmtp/message_batch.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace chp {

// Entries without an effect on the map have numbers too. So a publication whose number is not the
// last one plus 1 carries prev=<the number of the publication before>.
class publications {
public:
  publications(form how, std::uint64_t random, std::size_t directories)
      : how_{how}, random_{random}, counts_{random, directories} {}

  // Continues above this number. Directories are counted from zero.
  void begin(sequence published) {
    last_ = published;
    counts_.clear();
  }
  void add(const log_entry& e, bool changed, zmtp::message_batch& out);
  // Publishes an entry of an earlier reign. The counts begin with this one.
  void add_missed(const log_entry& e, zmtp::message_batch& out);

  [[nodiscard]] const directory_counters& counts() const noexcept { return counts_; }
  // Frees a part of old counters. Returns true when none are left.
  bool tidy(std::size_t most) noexcept { return counts_.tidy(most); }

private:
  void append(const log_entry& e, zmtp::message_batch& out);

  form how_;
  random_numbers random_;
  directory_counters counts_;
  sequence last_ = 0;
  std::string properties_;  // a member, so that its memory is reused
};

}  // namespace chp
