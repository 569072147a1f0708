#include "mdp/titanic/gathered_reply.h"

#include "mdp/error.h"
#include "mdp/options.h"

#include <utility>

namespace mdp::titanic {

namespace {

// Of a reply that comes in parts: so many octets as a broker gathers for a client of MDP/0.1. Of any: so
// many parts that the code still has room in front of them.
constexpr gathering_quota largest_reply{.parts = max_frames - 1};

}  // namespace

void gathered_reply::add(const zmtp::message& part) {
  const auto parts = parts_.part_count() + part.part_count();
  const auto octets = parts_.framed_size() + part.framed_size();
  if (too_large_ || parts > largest_reply.parts || octets > largest_reply.octets) {
    too_large_ = true;
    parts_.clear();
  } else {
    parts_.append(part);
  }
}

boost::system::error_code gathered_reply::finish(zmtp::message& last) {
  if (!too_large_ && parts_.empty() && last.part_count() <= largest_reply.parts) {
    return {};
  }
  add(last);
  last = std::move(parts_);
  return too_large_ ? mdp::errc::reply_too_large : boost::system::error_code{};
}

}  // namespace mdp::titanic
