#include "zmtp/pattern/held_request.h"

#include "zmtp/error.h"
#include "zmtp/pattern/call_error.h"

namespace zmtp {

boost::system::error_code held_request::reply(message answer) {
  if (answer.empty()) {
    return errc::bad_message;
  }
  const auto holder = holder_.lock();
  return holder ? holder->reply(id_, std::move(answer)) : make_error_code(call_errc::no_request);
}

}  // namespace zmtp
