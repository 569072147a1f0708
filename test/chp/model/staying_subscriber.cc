#include "test/chp/model/staying_subscriber.h"

#include "test/chp/model/production_words.h"

namespace chp::model {

void staying_subscriber::take(const chp::update& u) {
  const auto at = number_of(u.number);
  if (at > last_) {
    last_ = at;
    apply(map_, u);
  }
}

void staying_subscriber::on_passive(const kept& server, std::uint64_t now) {
  is_passive_ = true;
  passive_since_ = now;
  left_ = place_of(server.rows, server.published);
}

bool staying_subscriber::check(const kept& server, std::uint64_t now) {
  const bool stayed =
      !is_passive_ || (now - passive_since_ <= stays && contains(server.rows, left_) &&
                       server.first <= left_.at + 1);
  is_passive_ = false;
  const bool is_equal = !joined_ || !stayed || map_ == server.map;
  joined_ = true;
  map_ = server.map;
  last_ = server.published;
  return is_equal;
}

}  // namespace chp::model
