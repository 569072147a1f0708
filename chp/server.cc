#include "chp/server.h"

#include "zmtp/runtime/runtime.h"

#include <cstdint>
#include <string>
#include <utility>

namespace chp {

namespace asio = boost::asio;

namespace {

std::shared_ptr<server_state> make_state(const asio::any_io_executor& executor,
                                         const server_options& options, loaded_state found) {
  return std::make_shared<server_state>(options, server_state::kind::alone,
                                        zmtp::runtime::of(executor).random<std::uint64_t>(),
                                        std::move(found));
}

void activate(server_core& core, std::uint64_t epoch) {
  core.act([epoch](server_state& s, server_core::clock::time_point now, server_actions& out) {
    s.activate(epoch, now, out);
  });
}

}  // namespace

server::server(asio::any_io_executor executor, const server_options& options,
               server_handlers handlers) {
  start(executor, options, make_state(executor, options, {}), std::move(handlers));
}

server::server(asio::any_io_executor executor, const server_options& options, loaded_log from,
               server_handlers handlers)
    : store_{std::move(from.store)} {
  start(executor, options, make_state(executor, options, std::move(from.found)),
        std::move(handlers));
}

void server::start(const asio::any_io_executor& executor, const server_options& options,
                   const std::shared_ptr<server_state>& state, server_handlers handlers) {
  how_ = options.wire_format;
  const auto first = state->next_epoch(options.epoch);
  if (!first) {
    throw boost::system::system_error{make_error_code(first.error()),
                                      "no epoch is left for a server of the map"};
  }
  const auto of = std::make_shared<std::weak_ptr<server_core>>();
  server_core::hooks others;
  others.on_event = std::move(handlers.on_event);
  others.on_refused = std::move(handlers.on_refused);
  others.on_turn = std::move(handlers.on_turn);
  others.rest = [of, next_epoch = std::move(handlers.next_epoch),
                 weak = std::weak_ptr{state}](server_actions& out) {
    const auto core = of->lock();
    const auto s = weak.lock();
    if (core && s && std::exchange(out.renew_epoch, false)) {
      const auto wanted = next_epoch ? next_epoch() : std::nullopt;
      if (const auto epoch = s->next_epoch(wanted.value_or(0)); epoch && *epoch != 0) {
        activate(*core, *epoch);
      }
    }
  };
  const auto core =
      std::make_shared<server_core>(executor, state, options, std::move(others), store_);
  *of = core;
  state_ = state;
  core_ = core;
  core->start();
  activate(*core, *first);
}

server::~server() { stop(); }

server_endpoints server::bind(std::string_view at) {
  return call_or_throw("cannot bind " + std::string{at},
                       [&](zmtp::error_code& ec) { return bind(at, ec); });
}

server_endpoints server::bind(std::string_view at, zmtp::error_code& ec) {
  return call_core(core_, ec, [&](server_core& core) { return core.bind(at, ec); });
}

zmtp::endpoint server::bind_snapshots(std::string_view at, zmtp::error_code& ec) {
  return call_core(core_, ec, [&](server_core& core) { return core.bind_snapshots(at, ec); });
}

zmtp::endpoint server::bind_publisher(std::string_view at, zmtp::error_code& ec) {
  return call_core(core_, ec, [&](server_core& core) { return core.bind_publisher(at, ec); });
}

zmtp::endpoint server::bind_collector(std::string_view at, zmtp::error_code& ec) {
  return call_core(core_, ec, [&](server_core& core) { return core.bind_collector(at, ec); });
}

bool server::set(std::string_view key, std::string_view value) {
  const auto core = core_.lock();
  if (!core) {
    return false;
  }
  const auto before = state_->number();
  core->act([&](server_state& s, server_core::clock::time_point, server_actions&) {
    s.on_update(make_set(how_, key, {}, {}, value));
  });
  return state_->number() != before;
}

void server::change_access(zmtp::access_rules rules) {
  if (const auto core = core_.lock()) {
    core->change_access(std::move(rules));
  }
}

void server::stop() {
  if (const auto core = core_.lock()) {
    core->stop();
  }
}

server_status server::status() const {
  auto now = state_->status();
  if (store_) {
    now.sync_time = store_->sync_times();
  }
  return now;
}

zmtp::socket_counters server::connections() const {
  const auto core = core_.lock();
  return core ? core->publisher_counters() : zmtp::socket_counters{};
}

}  // namespace chp
