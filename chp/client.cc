#include "chp/client.h"

#include "chp/client_core.h"
#include "chp/client_state.h"
#include "chp/subtree.h"
#include "chp/update_id.h"
#include "chp/watch_queue.h"
#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/runtime/completion.h"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>

#include <cstdint>
#include <utility>

namespace chp {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

void expect_connectable(const server_address& server, const client_options& options) {
  for (const auto* const at : {&server.snapshot, &server.publisher, &server.collector}) {
    const bool is_needed = at == &server.snapshot
                               ? options.snapshots != snapshot_kind::none
                               : at == &server.publisher || !server.collector.empty();
    if (!is_needed) {
      continue;
    }
    if (const auto to = zmtp::endpoint::parse(*at); !to || !to->connectable()) {
      throw boost::system::system_error{to ? zmtp::errc::bad_endpoint : to.error(),
                                        "cannot connect to " + *at};
    }
  }
}

}  // namespace

outcome outcome_of(const error_code& ec) noexcept {
  if (!ec) {
    return outcome::committed;
  }
  if (ec == errc::not_on_both) {
    return outcome::committed;
  }
  return ec == errc::unconfirmed || ec == errc::session_forgotten ||
                 ec == asio::error::operation_aborted
             ? outcome::unknown
             : outcome::not_made;
}

client::client(asio::any_io_executor executor, const std::vector<server_address>& servers,
               const client_options& options, event_handler on_event)
    : executor_{std::move(executor)},
      watched_changes_{options.watched_changes},
      watched_bytes_{options.watched_bytes} {
  if (servers.empty()) {
    throw boost::system::system_error{zmtp::errc::bad_endpoint, "a client without a server"};
  }
  for (const auto& server : servers) {
    expect_connectable(server, options);
  }
  if (!is_subtree(options.subtree)) {
    throw boost::system::system_error{errc::malformed_subtree, options.subtree};
  }
  auto& chance = zmtp::runtime::of(executor_);
  const auto session = update_id::make_session(chance.random<std::uint64_t>());
  state_ = std::make_shared<client_state>(servers.size(), options, session,
                                          chance.random<std::uint64_t>());
  const auto own = std::make_shared<client_core>(executor_, servers, options, session,
                                                 std::move(on_event), state_);
  own->start();
  core_ = own;
}

client::~client() { stop(); }

void client::stop() {
  if (const auto own = core_.lock()) {
    own->stop();
  }
}

void client::on_lost(lost_handler handler) {
  if (const auto own = core_.lock()) {
    own->report_lost_to(std::move(handler));
  }
}

void client::start_wait_ready(zmtp::deadline until, done_handler&& handler) {
  if (const auto own = core_.lock()) {
    own->wait_ready(until, std::move(handler));
  } else {
    zmtp::complete_later(executor_, std::move(handler), asio::error::operation_aborted);
  }
}

void client::start_set(std::string&& key, std::string&& value, const set_options& how,
                       set_handler&& handler) {
  add_update(std::move(key), std::move(value), how, std::move(handler));
}

void client::start_erase(std::string&& key, const erase_options& how, set_handler&& handler) {
  add_update(std::move(key), std::nullopt, {.until = how.until, .require = how.require},
             std::move(handler));
}

void client::add_update(std::string&& key, std::optional<std::string>&& value,
                        const set_options& how, set_handler&& handler) {
  if (const auto own = core_.lock()) {
    own->add_update(std::move(key), std::move(value), how, std::move(handler));
  } else {
    zmtp::complete_later(executor_, std::move(handler), asio::error::operation_aborted,
                         truth::unknown);
  }
}

std::optional<std::string> client::get(std::string_view key) const {
  const auto* const found = state_->map().find(key);
  return found == nullptr ? std::nullopt : std::optional{std::string{found->value()}};
}

void client::for_each(
    std::string_view subtree,
    const std::function<void(std::string_view key, std::string_view value)>& visit) const {
  state_->map().for_each(subtree, [&](const store::entry& e) {
    visit(e.key(), e.value());
    return true;
  });
}

watcher client::watch(std::string_view subtree) {
  auto queue = std::make_shared<watch_queue>(executor_, std::string{subtree}, watched_changes_,
                                             watched_bytes_);
  if (const auto own = core_.lock()) {
    own->add_watcher(queue);
  } else {
    queue->end();
  }
  return watcher{std::move(queue)};
}

client_status client::status() const { return state_->status(); }

}  // namespace chp
