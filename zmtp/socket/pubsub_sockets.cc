#include "zmtp/socket/pubsub_sockets.h"

#include "zmtp/engine/socket_core.h"
#include "zmtp/routing/pub_state.h"
#include "zmtp/routing/subscriber_state.h"
#include "zmtp/routing/xpub_state.h"

#include <utility>

namespace zmtp {

pub_socket::pub_socket(asio::any_io_executor executor)
    : pub_socket{std::move(executor), socket_options{}} {}

pub_socket::pub_socket(asio::any_io_executor executor, const socket_options& options)
    : publishing<sending<socket>>{make_core<pub_state>(std::move(executor), options)} {}

sub_socket::sub_socket(asio::any_io_executor executor)
    : sub_socket{std::move(executor), socket_options{}} {}

sub_socket::sub_socket(asio::any_io_executor executor, const socket_options& options)
    : subscribing<receiving_from<receiving<socket>>>{
          make_core<sub_state>(std::move(executor), options)} {}

namespace {

error_code manual_change_fault(const socket_options& options, bool there) noexcept {
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
  ec = manual_change_fault(options(), options().xpub.manual && state_->subscribe(peer, topic));
  core_->schedule();
}

void xpub_socket::cancel(peer_id peer, std::string_view topic, error_code& ec) {
  const serial_check::scope alone{core_->serial()};
  ec = manual_change_fault(options(), options().xpub.manual && state_->cancel(peer, topic));
}

const last_values* xpub_socket::last_values() const noexcept { return state_->kept(); }

xsub_socket::xsub_socket(asio::any_io_executor executor)
    : xsub_socket{std::move(executor), socket_options{}} {}

xsub_socket::xsub_socket(asio::any_io_executor executor, const socket_options& options)
    : sending<subscribing<receiving_from<receiving<socket>>>>{
          make_core<xsub_state>(std::move(executor), options)} {}

}  // namespace zmtp
