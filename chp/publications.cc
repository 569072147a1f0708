#include "chp/publications.h"

#include "chp/properties.h"
#include "chp/subtree.h"

namespace chp {

void publications::add(const log_entry& e, bool changed, zmtp::message_batch& out) {
  if (!changed) {
    return;
  }
  properties_.clear();
  if (how_ == form::kvmsg) {
    if (e.key.front() == '/') {
      append_directory_counts(properties_, counts_.add(e.key));
    }
    // A client reads the first property of a name. So one of the writer's own does not count.
    if (e.number != last_ + 1 || properties{e.properties}.find(property_name::previous)) {
      append_property(properties_, property_name::previous, last_);
    }
  }
  properties_.append(e.properties);
  last_ = e.number;
  append(e, out);
}

void publications::add_missed(const log_entry& e, zmtp::message_batch& out) {
  properties_ = e.properties;
  append(e, out);
}

void publications::append(const log_entry& e, zmtp::message_batch& out) {
  // An update without an id gets one here. The Guide's passive servers need it.
  const auto id = e.id.empty() ? update_id::of_random(random_(), random_()) : e.id;
  append_publication(out, how_, e.key, e.number, id, properties_, e.value);
}

}  // namespace chp
