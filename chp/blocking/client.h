#pragma once
// A client of the clustered hashmap for code without an event loop, like the Guide's multithreaded
// clone class. Each call returns when it is done.

#include "chp/client.h"
#include "zmtp/blocking/context.h"
#include "zmtp/runtime/timer.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/system/error_code.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chp::blocking {

// A blocking chp::watcher that runs in the thread of a context. The context must outlive it.
//
// Thread safety: one call at a time. The context's own thread must not call it, because it would
// wait for itself.
class watcher {
public:
  watcher(watcher&&) noexcept = default;
  watcher& operator=(watcher&&) = delete;
  // No other call may be in progress.
  ~watcher();

  // Waits for changes and replaces the content of `batch` with all of them. Returns false, without
  // changes, if the deadline passed or the client has stopped.
  [[nodiscard]] bool receive(std::vector<change>& batch, zmtp::deadline until = {});

private:
  friend class client;
  watcher(boost::asio::any_io_executor executor, std::unique_ptr<chp::watcher> held) noexcept;

  boost::asio::any_io_executor executor_;
  std::unique_ptr<chp::watcher> watcher_;  // used only in the context's thread
};

// A blocking chp::client that runs in the thread of a context. The context must outlive it.
//
// Thread safety: several threads may call one object at once. The context's own thread calls the
// event handler. It must not call this object, because it would wait for itself.
class client {
public:
  // Throws: see chp::client.
  client(zmtp::blocking::context& in, const std::vector<server_address>& servers,
         const client_options& options = {}, chp::client::event_handler on_event = {});
  client(const client&) = delete;
  client& operator=(const client&) = delete;
  // Calls stop(). No other call may be in progress.
  ~client();

  // Waits for the first snapshot.
  // Errors: those of chp::client::async_wait_ready. The first form throws them as
  // boost::system::system_error.
  void wait_ready(zmtp::deadline until = {});
  void wait_ready(zmtp::deadline until, boost::system::error_code& ec);

  [[nodiscard]] std::optional<std::string> get(std::string_view key) const;
  // Returns the entries whose keys begin with `subtree`, in the order of keys, as they are at one
  // moment.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> entries(
      std::string_view subtree = {}) const;
  [[nodiscard]] watcher watch(std::string_view subtree = {});

  // See chp::client::on_lost(). The context's own thread calls the handler.
  void on_lost(chp::client::lost_handler handler);

  // Set or erase a key, and wait until the update is committed, and in the copy of its subtree.
  // They return which servers have it; see chp::client::async_set.
  // Errors: those of chp::client::async_set and async_erase; see outcome_of(). The first form
  // throws them as boost::system::system_error.
  truth set(std::string key, std::string value, const set_options& how = {});
  truth set(std::string key, std::string value, const set_options& how,
            boost::system::error_code& ec);
  truth erase(std::string key, const erase_options& how = {});
  truth erase(std::string key, const erase_options& how, boost::system::error_code& ec);

  [[nodiscard]] client_status status() const;
  // Ends calls in progress and later calls with operation_aborted.
  void stop();

private:
  boost::asio::any_io_executor executor_;
  std::unique_ptr<chp::client> client_;  // used only in the context's thread
};

}  // namespace chp::blocking
