#include "chp/publications.h"

#include "chp/properties.h"
#include "chp/subtree.h"

namespace chp {

std::uint64_t publications::next_random() noexcept {
  random_ += 0x9e37'79b9'7f4a'7c15;
  auto bits = random_;
  bits = (bits ^ bits >> 30) * 0xbf58'476d'1ce4'e5b9;
  bits = (bits ^ bits >> 27) * 0x94d0'49bb'1331'11eb;
  return bits ^ bits >> 31;
}

void publications::add(const log_entry& e, bool changed, std::vector<zmtp::message>& out) {
  if (!changed) {
    return;
  }
  properties_.clear();
  if (how_ == form::kvmsg) {
    if (e.key.front() == '/') {
      append_directory_counts(properties_, counts_.add(e.key));
    }
    if (e.number != last_ + 1) {
      append_property(properties_, property_name::previous, last_);
    }
  }
  last_ = e.number;
  // An update without an id gets one here. The Guide's passive servers need it.
  const auto id = e.id.empty() ? update_id::of_random(next_random(), next_random()) : e.id;
  out.push_back(make_publication(how_, update{how_, e.key, 0, {}, e.properties, e.value}, id,
                                 e.number, properties_));
}

}  // namespace chp
