#pragma once
// Joins the parts of a reply to one attempt. Pure.

#include "zmtp/message.h"

#include <boost/system/error_code.hpp>

namespace mdp::titanic {

class gathered_reply {
public:
  // Adds a part that is not the last.
  void add(const zmtp::message& part);
  // Adds the last part, and returns the whole reply in `last`.
  // Errors: mdp::errc::reply_too_large.
  [[nodiscard]] boost::system::error_code finish(zmtp::message& last);

private:
  zmtp::message parts_;
  bool too_large_ = false;  // `parts_` exceeded the limit and were dropped
};

}  // namespace mdp::titanic
