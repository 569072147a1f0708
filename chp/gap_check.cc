#include "chp/gap_check.h"

#include "chp/properties.h"
#include "chp/subtree.h"

namespace chp {

void gap_check::begin(sequence at, std::string_view properties, bool server_has_log) {
  last_ = at;
  has_log_ = server_has_log;
  gapless_ = false;
  count_ = find_directory_count(properties, subtree_);
}

bool gap_check::follows_in_log(sequence number, std::string_view frame) {
  if (!subtree_.empty()) {
    const auto count = find_directory_count(frame, subtree_);
    const bool missing = count && count_ && *count != *count_ + 1;
    count_ = count;
    return !missing;
  }
  if (number == last_ + 1) {
    return true;
  }
  const auto previous = properties{frame}.find(property_name::previous);
  return (previous ? parse_number(*previous).value_or(number) : number - 1) <= last_;
}

bool gap_check::follows(sequence number, std::string_view properties) {
  if (has_log_) {
    return follows_in_log(number, properties);
  }
  if (epoch_of(number) != epoch_of(last_)) {
    return false;
  }
  if (!subtree_.empty()) {
    return true;
  }
  const bool very_next = number == last_ + 1;
  const bool expected = gapless_;
  gapless_ = very_next;
  return very_next || !expected;
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
