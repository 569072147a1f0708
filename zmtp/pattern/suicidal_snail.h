#pragma once
// Suicidal Snail: a subscriber that ends itself when it cannot keep up, rather than to work on what is
// stale. Shell of zmtp/pattern/snail_state.h.

#include "zmtp/endpoint.h"
#include "zmtp/message.h"
#include "zmtp/options.h"
#include "zmtp/pattern/snail_state.h"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <string_view>

namespace zmtp {

struct snail_report {
  snail_verdict why = snail_verdict::keeps_up;
  std::chrono::milliseconds delay{0};  // of the message that it fell over
  std::uint64_t missed = 0;            // before it
};

struct snail_handlers {
  // Reads the stamp out of a message; views into it.
  std::function<snail_stamp(const message&)> stamp_of;
  // A message that is in time. What this takes is what makes a snail.
  std::function<void(const message&)> on_message;
  // It did not keep up, and has closed its socket: nothing else is called any more.
  std::function<void(const snail_report&)> on_end;
};

// Receives through a SUB of its own and judges each message when it is its turn, by the system's clock in
// milliseconds since the Unix epoch, as publishers stamp them.
//
// Lifetime: destroying it, which its handlers may do, closes the socket.
//
// Thread safety: distinct objects safe, one object not; call its members in its executor.
class suicidal_snail {
public:
  // Throws boost::system::system_error with errc::bad_option.
  suicidal_snail(const boost::asio::any_io_executor& executor, const snail_options& options,
                 snail_handlers handlers, const socket_options& socket = {});
  suicidal_snail(const suicidal_snail&) = delete;
  suicidal_snail& operator=(const suicidal_snail&) = delete;
  ~suicidal_snail();

  // As sub_socket's. Throw boost::system::system_error.
  void subscribe(std::string_view topic);
  void connect(std::string_view publisher);
  endpoint bind(std::string_view at);
  void stop();

private:
  class core;
  std::shared_ptr<core> core_;
};

}  // namespace zmtp
