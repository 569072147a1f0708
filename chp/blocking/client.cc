#include "chp/blocking/client.h"

#include "zmtp/blocking/operations.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/system/system_error.hpp>

#include <future>

namespace chp::blocking {

namespace asio = boost::asio;
using boost::system::error_code;
using zmtp::blocking::run_in;

namespace {

// Starts an operation in the context's thread, and sleeps until it is over.
template <class Start>
error_code finish(const asio::any_io_executor& executor, Start&& start) {
  std::promise<error_code> over;
  auto end = over.get_future();
  run_in(executor, [&] { start([&over](error_code ec) { over.set_value(ec); }); });
  return end.get();
}

// The same for an update, whose truth it returns.
template <class Start>
truth finish_update(const asio::any_io_executor& executor, error_code& ec, Start&& start) {
  std::promise<std::pair<error_code, truth>> over;
  auto end = over.get_future();
  run_in(executor, [&] {
    start([&over](error_code how, truth says) { over.set_value({how, says}); });
  });
  const auto [how, says] = end.get();
  ec = how;
  return says;
}

void throw_if(error_code ec, const char* what) {
  if (ec) {
    throw boost::system::system_error{ec, what};
  }
}

}  // namespace

watcher::watcher(asio::any_io_executor executor, std::unique_ptr<chp::watcher> held) noexcept
    : executor_{std::move(executor)}, watcher_{std::move(held)} {}

watcher::~watcher() {
  if (watcher_) {
    run_in(executor_, [&] { watcher_.reset(); });
  }
}

bool watcher::receive(std::vector<change>& batch, zmtp::deadline until) {
  // The thread sleeps by the operating system's clock.
  const auto limit = until.at(zmtp::runtime::system());
  std::promise<error_code> over;
  auto end = over.get_future();
  asio::cancellation_signal give_up;
  run_in(executor_, [&] {
    watcher_->async_receive(
        batch, asio::bind_cancellation_slot(
                   give_up.slot(), [&](error_code ec, std::size_t) { over.set_value(ec); }));
  });
  if (limit && end.wait_until(*limit) == std::future_status::timeout) {
    // If changes arrived at the same moment, the receive has completed, and cancelling has no
    // effect.
    run_in(executor_, [&] { give_up.emit(asio::cancellation_type::total); });
  }
  return !end.get();
}

client::client(zmtp::blocking::context& in, const std::vector<server_address>& servers,
               const client_options& options, chp::client::event_handler on_event)
    : executor_{in.get_executor()} {
  run_in(executor_, [&] {
    client_ = std::make_unique<chp::client>(executor_, servers, options, std::move(on_event));
  });
}

client::~client() {
  run_in(executor_, [&] { client_.reset(); });
}

void client::wait_ready(zmtp::deadline until) {
  error_code ec;
  wait_ready(until, ec);
  throw_if(ec, "wait for the map");
}

void client::wait_ready(zmtp::deadline until, error_code& ec) {
  ec = finish(executor_, [&](auto done) { client_->async_wait_ready(until, std::move(done)); });
}

std::optional<std::string> client::get(std::string_view key) const {
  return run_in(executor_, [&] { return client_->get(key); });
}

std::vector<std::pair<std::string, std::string>> client::entries(std::string_view subtree) const {
  return run_in(executor_, [&] {
    std::vector<std::pair<std::string, std::string>> all;
    client_->for_each(subtree, [&](std::string_view key, std::string_view value) {
      all.emplace_back(key, value);
    });
    return all;
  });
}

watcher client::watch(std::string_view subtree) {
  return run_in(executor_, [&] {
    return watcher{executor_, std::make_unique<chp::watcher>(client_->watch(subtree))};
  });
}

void client::on_lost(chp::client::lost_handler handler) {
  run_in(executor_, [&] { client_->on_lost(std::move(handler)); });
}

truth client::set(std::string key, std::string value, const set_options& how) {
  error_code ec;
  const auto says = set(std::move(key), std::move(value), how, ec);
  throw_if(ec, "set");
  return says;
}

truth client::set(std::string key, std::string value, const set_options& how, error_code& ec) {
  return finish_update(executor_, ec, [&](auto done) {
    client_->async_set(std::move(key), std::move(value), how, std::move(done));
  });
}

truth client::erase(std::string key, const erase_options& how) {
  error_code ec;
  const auto says = erase(std::move(key), how, ec);
  throw_if(ec, "erase");
  return says;
}

truth client::erase(std::string key, const erase_options& how, error_code& ec) {
  return finish_update(executor_, ec, [&](auto done) {
    client_->async_erase(std::move(key), how, std::move(done));
  });
}

client_status client::status() const {
  return run_in(executor_, [&] { return client_->status(); });
}

void client::stop() {
  run_in(executor_, [&] { client_->stop(); });
}

}  // namespace chp::blocking
