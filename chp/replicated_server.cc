#include "chp/replicated_server.h"

#include "chp/pair_core.h"
#include "zmtp/runtime/runtime.h"

#include <boost/system/system_error.hpp>

#include <cstdint>
#include <utility>

namespace chp {

namespace asio = boost::asio;

namespace {

// Throws if the form or the options are invalid.
std::shared_ptr<server_state> make_state(const asio::any_io_executor& executor,
                                         const replicated_server_options& options,
                                         loaded_state found) {
  if (options.server.wire_format != form::kvmsg) {
    throw boost::system::system_error{make_error_code(zmtp::errc::bad_option), "replicated_server"};
  }
  return std::make_shared<server_state>(
      options.server, options.witness ? server_state::kind::witnessed : server_state::kind::paired,
      zmtp::runtime::of(executor).random<std::uint64_t>(), std::move(found),
      options.discard_own_data);
}

}  // namespace

replicated_server::replicated_server(asio::any_io_executor executor,
                                     const replicated_server_options& options,
                                     replicated_server_handlers handlers) {
  start(executor, options, make_state(executor, options, {}), std::move(handlers));
}

replicated_server::replicated_server(asio::any_io_executor executor,
                                     const replicated_server_options& options, loaded_log from,
                                     replicated_server_handlers handlers)
    : store_{std::move(from.store)} {
  start(executor, options, make_state(executor, options, std::move(from.found)),
        std::move(handlers));
}

void replicated_server::start(const asio::any_io_executor& executor,
                              const replicated_server_options& options,
                              const std::shared_ptr<server_state>& state,
                              replicated_server_handlers handlers) {
  const auto own = std::make_shared<core>(executor, options, std::move(handlers), state);
  own->start(options, store_);
  core_ = own;
  state_ = state;
  node_ = own->shared_node();
}

replicated_server::~replicated_server() { stop(); }

server_endpoints replicated_server::bind(std::string_view at) {
  return call_or_throw("cannot bind " + std::string{at},
                       [&](zmtp::error_code& ec) { return bind(at, ec); });
}

server_endpoints replicated_server::bind(std::string_view at, zmtp::error_code& ec) {
  return call_core(core_, ec, [&](core& own) { return own.server().bind(at, ec); });
}

zmtp::endpoint replicated_server::bind_state(std::string_view at) {
  return call_or_throw("cannot bind " + std::string{at},
                       [&](zmtp::error_code& ec) { return bind_state(at, ec); });
}

zmtp::endpoint replicated_server::bind_state(std::string_view at, zmtp::error_code& ec) {
  return call_core(core_, ec, [&](core& own) { return own.node().bind(at, ec); });
}

void replicated_server::connect(const server_peer& to) {
  zmtp::error_code ec;
  connect(to, ec);
  if (ec) {
    throw boost::system::system_error{ec, "cannot connect to " + to.snapshots};
  }
}

void replicated_server::connect(const server_peer& to, zmtp::error_code& ec) {
  call_core(core_, ec, [&](core& own) { own.connect(to, ec); });
}

void replicated_server::change_access(zmtp::access_rules rules) {
  if (const auto own = core_.lock()) {
    own->server().change_access(std::move(rules));
  }
}

void replicated_server::stop() {
  if (const auto own = core_.lock()) {
    own->stop();
  }
}

replicated_server_status replicated_server::status() const {
  replicated_server_status now{.server = state_->status(), .pair = node_->status()};
  if (store_) {
    now.server.sync_time = store_->sync_times();
  }
  return now;
}

const store& replicated_server::map() const noexcept { return state_->map(); }

}  // namespace chp
