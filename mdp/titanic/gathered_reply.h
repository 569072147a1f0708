#pragma once
// The reply to an attempt that may come in parts: it is kept as one. Pure.

#include "zmtp/message.h"

#include <boost/system/error_code.hpp>

namespace mdp::titanic {

class gathered_reply {
public:
  // Another, which is not the last.
  void add(const zmtp::message& part);
  // With `last`, which becomes the whole. Errors: mdp::errc::reply_too_large.
  [[nodiscard]] boost::system::error_code finish(zmtp::message& last);

private:
  zmtp::message parts_;
  bool too_large_ = false;  // to be kept: they are dropped
};

}  // namespace mdp::titanic
