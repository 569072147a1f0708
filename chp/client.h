#pragma once
// A client of the clustered hashmap (12/CHP): a copy of the map, or of a subtree, and updates that
// complete when they are committed. client_state makes the decisions.

#include "chp/client_actions.h"
#include "chp/client_options.h"
#include "chp/client_status.h"
#include "chp/error.h"
#include "chp/server_address.h"
#include "chp/truth.h"
#include "chp/watcher.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/runtime/timer.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chp {

class client_core;
class client_state;

// The outcome of an update, as far as the client knows it.
enum class outcome {
  committed,  // in the map, also after a failover; docs/chp.md lists the conditions
  not_made,   // not in the map, and never will be; the conditions are there too
  unknown,    // may be in the map, now or later
};
// Returns the outcome for an error code from `async_set()` or `async_erase()`.
[[nodiscard]] outcome outcome_of(const boost::system::error_code& ec) noexcept;

// The servers that must have an update before its operation completes without an error.
enum class required {
  one,   // as many as the servers require to commit it
  both,  // both servers of a pair; their disks, if they have stores
};

// Settings of one update.
struct set_options {
  // Time after which the server erases the key. At least one second.
  std::optional<std::chrono::seconds> ttl{};
  // Deadline of the operation. Absent: the client resends the update until it is committed.
  zmtp::deadline until{};
  required require = required::one;
};
// Settings of one erasure.
struct erase_options {
  zmtp::deadline until{};
  required require = required::one;
};

// Follows one server. Switches to the next server in the list if the current one disconnects or
// becomes unresponsive. Reads come from memory: they return what the servers published last, also
// while no server can be reached.
//
// Lifetime: the client may outlive its execution context. Reads then return the last copy, and no
// operation may be started.
// Thread safety: distinct objects are safe, one object is not. The executor must be serial: an
// io_context that one thread runs, or a strand.
// Handlers: a completion handler runs in its associated executor, by default in the client's
// executor. No handler runs inside the call that starts or ends its operation.
class client {
public:
  // Called in the client's executor for each event. An exception that the handler throws propagates
  // out of `io_context::run()`.
  using event_handler = std::function<void(const client_event&)>;
  using lost_handler = std::function<void(const lost_update&)>;

  // Starts to connect.
  // Throws: boost::system::system_error with zmtp::errc::bad_endpoint if `servers` is empty or an
  // endpoint cannot be connected to, with an error of zmtp::endpoint::parse, or with
  // errc::malformed_subtree.
  client(boost::asio::any_io_executor executor, const std::vector<server_address>& servers,
         const client_options& options = {}, event_handler on_event = {});
  client(const client&) = delete;
  client& operator=(const client&) = delete;
  // Calls stop().
  ~client();

  // Closes all connections. Operations in progress and later operations complete with
  // operation_aborted. Updates that were sent are still written while the context runs, for at most
  // the linger time. The copy can still be read.
  void stop();

  // Sets what is called, like the event handler, for each update of this client that one server had
  // committed and that is lost with the history of that server. The application decides whether it
  // still applies. client_counters::lost_unlisted counts those that the client no longer knew.
  void on_lost(lost_handler handler);

  // Waits for the first snapshot. From then on the client has a copy of the map.
  //
  // Lifetime: destroying the client completes the operation with operation_aborted.
  // Completes with: error_code.
  // Errors:
  // - zmtp::errc::timed_out: the deadline passed first.
  // - errc::subtree_forbidden: a Zinc server does not allow this client to read its whole subtree.
  //   The client still tries its servers, so that a later call completes without an error if the
  //   rules have changed.
  // - operation_aborted: the operation was cancelled, or the client stopped.
  // Cancellation: terminal, partial, total. Cancelling has no other effect.
  template <boost::asio::completion_token_for<void(boost::system::error_code)> Token =
                boost::asio::deferred_t>
  [[nodiscard]] auto async_wait_ready(zmtp::deadline until, Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
        [this](done_handler h, zmtp::deadline when) { start_wait_ready(when, std::move(h)); },
        token, until);
  }
  template <boost::asio::completion_token_for<void(boost::system::error_code)> Token =
                boost::asio::deferred_t>
  [[nodiscard]] auto async_wait_ready(Token&& token = {}) {
    return async_wait_ready(zmtp::deadline{}, std::forward<Token>(token));
  }

  // Returns the value of a key, or nothing if the copy does not have the key.
  [[nodiscard]] std::optional<std::string> get(std::string_view key) const;
  // Calls visit(key, value) for each key that begins with `subtree`, in the order of keys. The
  // views are valid during the call, which must not call the client.
  void for_each(
      std::string_view subtree,
      const std::function<void(std::string_view key, std::string_view value)>& visit) const;
  // Returns a watcher of all further changes to keys that begin with `subtree`. A watcher that is
  // created before the client has a map receives the whole map first.
  [[nodiscard]] watcher watch(std::string_view subtree = {});

  // Sets a key of any subtree, and waits until the update is committed. The servers apply the
  // updates of one client in the order of the calls, and each one once. An update in the client's
  // subtree is in its copy when the operation has completed without an error.
  //
  // Lifetime: the arguments are moved. Destroying the client completes the operation with
  // operation_aborted.
  // Completes with: error_code, see outcome_of(), and truth: which servers had the update then. It
  // is truth::unknown for errors other than errc::not_on_both, and for servers that are not Zinc's.
  // Errors:
  // - errc::not_sent: the deadline passed before the update was sent.
  // - errc::unconfirmed: the deadline passed after the update was sent. The client still resends it
  //   until it is committed.
  // - errc::key_empty, key_too_long, key_with_zero, key_reserved, value_empty (not in kvsimple),
  //   value_too_long, ttl_too_short, not_in_kvsimple: invalid arguments.
  // - errc::too_many_keys, too_many_bytes, value_too_long, forbidden, refused: a Zinc server refused
  //   the update.
  // - errc::not_on_both: with required::both, one server has the update, and the deadline passed
  //   before the other had it, or too many updates wait, or the server cannot tell.
  // - errc::lost: with required::both, the only server that had the update has lost it.
  // - errc::session_forgotten: the servers have forgotten this client. The update may be made.
  // - operation_aborted: the operation was cancelled, or the client stopped.
  // Cancellation: terminal, partial, total. An update that was sent may still be committed. Any
  // other update is withdrawn.
  template <boost::asio::completion_token_for<void(boost::system::error_code, truth)> Token =
                boost::asio::deferred_t>
  [[nodiscard]] auto async_set(std::string key, std::string value, const set_options& how,
                               Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, truth)>(
        [this](set_handler h, std::string&& name, std::string&& what, const set_options& with) {
          start_set(std::move(name), std::move(what), with, std::move(h));
        },
        token, std::move(key), std::move(value), how);
  }
  template <boost::asio::completion_token_for<void(boost::system::error_code, truth)> Token =
                boost::asio::deferred_t>
  [[nodiscard]] auto async_set(std::string key, std::string value, Token&& token = {}) {
    return async_set(std::move(key), std::move(value), set_options{}, std::forward<Token>(token));
  }
  // Erases a key, which need not exist. Otherwise the same as async_set(). In kvsimple:
  // errc::not_in_kvsimple.
  template <boost::asio::completion_token_for<void(boost::system::error_code, truth)> Token =
                boost::asio::deferred_t>
  [[nodiscard]] auto async_erase(std::string key, const erase_options& how, Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, truth)>(
        [this](set_handler h, std::string&& name, const erase_options& with) {
          start_erase(std::move(name), with, std::move(h));
        },
        token, std::move(key), how);
  }
  template <boost::asio::completion_token_for<void(boost::system::error_code, truth)> Token =
                boost::asio::deferred_t>
  [[nodiscard]] auto async_erase(std::string key, Token&& token = {}) {
    return async_erase(std::move(key), erase_options{}, std::forward<Token>(token));
  }

  [[nodiscard]] client_status status() const;

private:
  using done_handler = zmtp::completion_handler<void(boost::system::error_code)>;
  using set_handler = zmtp::completion_handler<void(boost::system::error_code, truth)>;

  void start_wait_ready(zmtp::deadline until, done_handler&& handler);
  void start_set(std::string&& key, std::string&& value, const set_options& how,
                 set_handler&& handler);
  void start_erase(std::string&& key, const erase_options& how, set_handler&& handler);
  void add_update(std::string&& key, std::optional<std::string>&& value, const set_options& how,
                  set_handler&& handler);

  boost::asio::any_io_executor executor_;
  std::size_t watched_changes_;
  std::size_t watched_bytes_;
  std::weak_ptr<client_core> core_;  // empty once its coroutines have ended
  std::shared_ptr<client_state> state_;
};

}  // namespace chp
