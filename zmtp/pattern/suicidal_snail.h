#pragma once
// Suicidal Snail: a subscriber that stops when it cannot keep up, instead of processing old
// messages. Shell of zmtp/pattern/snail_state.h.

#include "zmtp/endpoint.h"
#include "zmtp/message_batch.h"
#include "zmtp/options.h"
#include "zmtp/pattern/snail_state.h"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <string_view>

namespace zmtp {

struct snail_report {
  snail_verdict why = snail_verdict::keeps_up;
  std::chrono::milliseconds delay{0};  // age of the message that ended it
  std::uint64_t missed = 0;            // messages missing before that message
};

struct snail_handlers {
  // Reads the stamp of a message. May return views into it.
  std::function<snail_stamp(const message_view&)> stamp_of;
  // Receives a message in time. If this handler is too slow, the subscriber cannot keep up.
  std::function<void(const message_view&)> on_message;
  // Called after the subscriber did not keep up and has closed its socket. No other handler is
  // called after this.
  std::function<void(const snail_report&)> on_end;
};

// Receives through a SUB of its own. Judges each message when it is its turn, by the system clock
// in milliseconds since the Unix epoch, as publishers stamp messages.
//
// Executor: handlers run in the executor of this object.
//
// Lifetime: destroying the object closes the socket. Handlers may destroy it.
//
// Thread safety: distinct objects safe, one object not. Call all members in its executor.
class suicidal_snail {
public:
  // Throws boost::system::system_error: errc::bad_option, with a text that names the option.
  suicidal_snail(const boost::asio::any_io_executor& executor, const snail_options& options,
                 snail_handlers handlers, const socket_options& socket = {});
  suicidal_snail(const suicidal_snail&) = delete;
  suicidal_snail& operator=(const suicidal_snail&) = delete;
  ~suicidal_snail();

  // Work as those of sub_socket. Throw boost::system::system_error.
  void subscribe(std::string_view topic);
  void connect(std::string_view publisher);
  endpoint bind(std::string_view at);
  void stop();

private:
  class core;
  std::shared_ptr<core> core_;
};

}  // namespace zmtp
