#include "zmtp/socket/sub_socket.h"

#include "zmtp/routing/sub_state.h"
#include "zmtp/socket/socket_core.h"

#include <boost/system/system_error.hpp>

#include <utility>

namespace zmtp {

sub_socket::sub_socket(asio::any_io_executor executor)
    : sub_socket{std::move(executor), socket_options{}} {}

sub_socket::sub_socket(asio::any_io_executor executor, const socket_options& options)
    : receiving<socket>{make_core<sub_state>(std::move(executor), options)},
      state_{&static_cast<sub_state&>(core_->state())} {}

void sub_socket::subscribe(std::string_view topic) {
  error_code ec;
  subscribe(topic, ec);
  if (ec) {
    throw boost::system::system_error{ec, "subscribe"};
  }
}

void sub_socket::subscribe(std::string_view topic, error_code& ec) {
  const serial_check::scope alone{core_->serial()};
  if (topic.size() > core_->options().limit.topic_size) {
    ec = errc::topic_too_long;
    return;
  }
  ec = {};
  if (state_->subscribe(topic)) {
    core_->tell_publishers(true, topic);
  }
}

void sub_socket::unsubscribe(std::string_view topic) {
  const serial_check::scope alone{core_->serial()};
  if (state_->unsubscribe(topic)) {
    core_->tell_publishers(false, topic);
  }
}

}  // namespace zmtp
