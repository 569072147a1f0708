#include "mdp/titanic/gathered_reply.h"

#include "mdp/error.h"
#include "mdp/options.h"

#include <utility>

namespace mdp::titanic {

namespace {

// The bytes limit replies in parts, like those that a broker collects for a 0.1 client. The number
// of parts limits all replies, and leaves space for the code in front of them.
constexpr gathering_quota largest_reply{.parts = max_frames - 1};

}  // namespace

void gathered_reply::add(const zmtp::message& part) {
  const auto parts = parts_.size() + part.size();
  const auto bytes = parts_.framed_size() + part.framed_size();
  if (too_large_ || parts > largest_reply.parts || bytes > largest_reply.bytes) {
    too_large_ = true;
    parts_.clear();
  } else {
    parts_.append(part);
  }
}

boost::system::error_code gathered_reply::finish(zmtp::message& last) {
  if (!too_large_ && parts_.empty() && last.size() <= largest_reply.parts) {
    return {};
  }
  add(last);
  last = std::move(parts_);
  return too_large_ ? mdp::errc::reply_too_large : boost::system::error_code{};
}

}  // namespace mdp::titanic
