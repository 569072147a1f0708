#include "chp/server.h"

#include <boost/system/system_error.hpp>

#include <random>
#include <string>

namespace chp {

namespace asio = boost::asio;

namespace {

std::uint64_t random_seed() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

void activate(server_core& core, std::uint64_t epoch) {
  core.act([epoch](server_state& s, server_core::clock::time_point now, server_actions& out) {
    s.activate(epoch, now, out);
  });
}

}  // namespace

server::server(asio::any_io_executor executor, const server_options& options,
               server_handlers handlers) {
  const auto state =
      std::make_shared<server_state>(options, server_state::kind::alone, random_seed());
  const auto of = std::make_shared<std::weak_ptr<server_core>>();
  server_core::pair_hooks hooks;
  hooks.rest = [of, own = std::move(handlers)](server_actions& out) {
    if (const auto core = of->lock();
        core && std::exchange(out.renew_epoch, false) && own.next_epoch) {
      if (const auto epoch = own.next_epoch()) {
        activate(*core, *epoch);
      }
    }
    for (const auto event : std::exchange(out.events, {})) {
      if (own.on_event) {
        own.on_event(event);
      }
    }
  };
  const auto core = std::make_shared<server_core>(executor, state, options, std::move(hooks));
  *of = core;
  state_ = state;
  core_ = core;
  core->start();
  activate(*core, options.epoch);
}

server::~server() { stop(); }

server_endpoints server::bind(std::string_view at) {
  zmtp::error_code ec;
  auto bound = bind(at, ec);
  if (ec) {
    throw boost::system::system_error{ec, "bind " + std::string{at}};
  }
  return bound;
}

server_endpoints server::bind(std::string_view at, zmtp::error_code& ec) {
  if (const auto core = core_.lock()) {
    return core->bind(at, ec);
  }
  ec = zmtp::errc::socket_closed;
  return {};
}

zmtp::endpoint server::bind_snapshots(std::string_view at, zmtp::error_code& ec) {
  if (const auto core = core_.lock()) {
    return core->bind_snapshots(at, ec);
  }
  ec = zmtp::errc::socket_closed;
  return {};
}

zmtp::endpoint server::bind_publisher(std::string_view at, zmtp::error_code& ec) {
  if (const auto core = core_.lock()) {
    return core->bind_publisher(at, ec);
  }
  ec = zmtp::errc::socket_closed;
  return {};
}

zmtp::endpoint server::bind_collector(std::string_view at, zmtp::error_code& ec) {
  if (const auto core = core_.lock()) {
    return core->bind_collector(at, ec);
  }
  ec = zmtp::errc::socket_closed;
  return {};
}

void server::stop() {
  if (const auto core = core_.lock()) {
    core->stop();
  }
}

server_status server::status() const { return state_->status(); }

zmtp::socket_counters server::connections() const {
  const auto core = core_.lock();
  return core ? core->publisher_counters() : zmtp::socket_counters{};
}

}  // namespace chp
