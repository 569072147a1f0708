#include "zmtp/socket/xpub_socket.h"

#include "zmtp/routing/xpub_state.h"
#include "zmtp/socket/socket_core.h"

#include <utility>

namespace zmtp {

namespace {

error_code judge(const socket_options& options, bool there) noexcept {
  if (!options.xpub.manual) {
    return errc::bad_option;
  }
  return there ? error_code{} : errc::host_unreachable;
}

}  // namespace

xpub_socket::xpub_socket(asio::any_io_executor executor)
    : xpub_socket{std::move(executor), socket_options{}} {}

xpub_socket::xpub_socket(asio::any_io_executor executor, const socket_options& options)
    : sending{make_core<xpub_state>(std::move(executor), options)},
      state_{&static_cast<xpub_state&>(core_->state())} {}

void xpub_socket::subscribe(peer_id peer, std::string_view topic, error_code& ec) {
  const serial_check::scope alone{core_->serial()};
  ec = judge(options(), options().xpub.manual && state_->subscribe(peer, topic));
  core_->schedule();
}

void xpub_socket::cancel(peer_id peer, std::string_view topic, error_code& ec) {
  const serial_check::scope alone{core_->serial()};
  ec = judge(options(), options().xpub.manual && state_->cancel(peer, topic));
}

const last_values* xpub_socket::last_values() const noexcept { return state_->kept(); }

}  // namespace zmtp
