#pragma once
// A client of the clustered hashmap for code that runs no event loop: calls that return when they are done. The
// Guide's multithreaded clone class.

#include "chp/client.h"
#include "zmtp/blocking/context.h"
#include "zmtp/socket/deadline.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/system/error_code.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chp::blocking {

// chp::watcher in the thread of a context, which must outlive it.
//
// Thread safety: one call at a time; not from the context's own thread.
class watcher {
public:
  watcher(watcher&&) noexcept = default;
  watcher& operator=(watcher&&) = delete;
  // No call may be under way.
  ~watcher();

  // Sleeps until something has changed, and takes all that has, which replaces what `batch` held. False, and
  // nothing was taken, if the deadline passed or the client has stopped.
  [[nodiscard]] bool receive(std::vector<change>& batch, zmtp::deadline until = {});

private:
  friend class client;
  watcher(boost::asio::any_io_executor executor, std::unique_ptr<chp::watcher> held) noexcept;

  boost::asio::any_io_executor executor_;
  std::unique_ptr<chp::watcher> watcher_;  // belongs to the context's thread
};

// chp::client in the thread of a context, which must outlive it.
//
// Thread safety: calls may come from several threads at once; not from the context's own thread, which
// calls the event handler.
class client {
public:
  // Throws what chp::client throws.
  client(zmtp::blocking::context& in, const std::vector<server_address>& servers,
         const client_options& options = {}, chp::client::event_handler on_event = {});
  client(const client&) = delete;
  client& operator=(const client&) = delete;
  // Stops. No call may be under way.
  ~client();

  // Sleeps until there is a map.
  // Errors: those of chp::client::async_wait_ready; thrown as boost::system::system_error by the first form.
  void wait_ready(zmtp::deadline until = {});
  void wait_ready(zmtp::deadline until, boost::system::error_code& ec);

  [[nodiscard]] std::optional<std::string> get(std::string_view key) const;
  // What begins with `subtree`, in the order of keys, as it is at one moment.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> entries(
      std::string_view subtree = {}) const;
  [[nodiscard]] watcher watch(std::string_view subtree = {});

  // Sleeps until the update is committed; the map has it then.
  // Errors: those of chp::client::async_set; thrown as boost::system::system_error by the first form. See
  // outcome_of().
  void set(std::string key, std::string value, const set_options& how = {});
  void set(std::string key, std::string value, const set_options& how,
           boost::system::error_code& ec);
  void erase(std::string key, zmtp::deadline until = {});
  void erase(std::string key, zmtp::deadline until, boost::system::error_code& ec);

  [[nodiscard]] client_status status() const;
  // Ends calls under way with operation_aborted, and later ones.
  void stop();

private:
  boost::asio::any_io_executor executor_;
  std::unique_ptr<chp::client> client_;  // belongs to the context's thread
};

}  // namespace chp::blocking
