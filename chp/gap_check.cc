#include "chp/gap_check.h"

#include "chp/subtree.h"

namespace chp {

void gap_check::begin(sequence at, std::string_view properties, bool server_of_ours) {
  last_ = at;
  ours_ = server_of_ours;
  gapless_ = false;
  count_ = find_directory_count(properties, subtree_);
}

bool gap_check::follows(sequence number, std::string_view properties) {
  if (epoch_of(number) != epoch_of(last_)) {
    return false;
  }
  if (subtree_.empty()) {
    const bool very_next = number == last_ + 1;
    const bool expected = ours_ || gapless_;
    gapless_ = very_next;
    return very_next || !expected;
  }
  const auto count = ours_ ? find_directory_count(properties, subtree_) : std::nullopt;
  const bool missing = count && count_ && *count != *count_ + 1;
  count_ = count;
  return !missing;
}

gap_check::verdict gap_check::look(sequence number, std::string_view properties) {
  if (number <= last_) {
    return verdict::old;
  }
  if (!follows(number, properties)) {
    return verdict::gap;
  }
  last_ = number;
  return verdict::next;
}

}  // namespace chp
