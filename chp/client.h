#pragma once
// A client of the clustered hashmap (12/CHP) for applications: a copy of the map, or of a subtree, kept up to
// date, and updates that are known to be committed. The decisions are client_state's.

#include "chp/client_actions.h"
#include "chp/client_options.h"
#include "chp/client_status.h"
#include "chp/error.h"
#include "chp/server_address.h"
#include "chp/watcher.h"
#include "zmtp/socket/completion_handler.h"
#include "zmtp/socket/deadline.h"

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

class client_state;

// What is known of how an update ended.
enum class outcome {
  committed,  // it is in the map, and so after a failover (see docs/chp.md for what servers that is of)
  not_made,  // it is not in the map, and will not be
  unknown,   // it may be in the map, or come into it
};
// Of what client::async_set() or async_erase() completed with.
[[nodiscard]] outcome outcome_of(const boost::system::error_code& ec) noexcept;

struct set_options {
  // The server erases the key so long after. A second at least.
  std::optional<std::chrono::seconds> ttl{};
  // When to give up. Absent: it is sent until it is committed.
  zmtp::deadline until{};
};

// Follows one of its servers, and the next where that one is gone or says nothing. Reading is from memory;
// what is read is what the servers said last, in the order of the servers, also while none can be reached.
//
// Thread safety: distinct objects safe, one object not; its executor must be serial.
class client {
public:
  // Called for each event, in the executor. What it throws reaches who runs the context.
  using event_handler = std::function<void(const client_event&)>;

  // Throws boost::system::system_error: errc::bad_endpoint of zmtp where there is no server, or one that
  // cannot be connected to; malformed_subtree.
  client(boost::asio::any_io_executor executor, const std::vector<server_address>& servers,
         const client_options& options = {}, event_handler on_event = {});
  client(const client&) = delete;
  client& operator=(const client&) = delete;
  // Stops.
  ~client();

  // Closes all connections; operations complete with operation_aborted, later ones too. What was read
  // last can still be read.
  void stop();

  // Waits until there is a map: a first snapshot has come.
  // Completes with error_code. Cancellation: terminal, partial, total.
  // Errors: errc::timed_out of zmtp, operation_aborted.
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

  // The value of a key; nothing if there is none in the subtree.
  [[nodiscard]] std::optional<std::string> get(std::string_view key) const;
  // Visits what begins with `subtree`, in the order of keys: visit(key, value). Views hold for the call,
  // which must not call the client.
  void for_each(
      std::string_view subtree,
      const std::function<void(std::string_view key, std::string_view value)>& visit) const;
  // Receives what changes from now on in keys that begin with `subtree`. One that is made before the map is
  // there receives that first.
  [[nodiscard]] watcher watch(std::string_view subtree = {});

  // Sets a key of whatever subtree, and waits until that is committed. Updates of one client are carried
  // out in their order, and each once. The map has it when this has completed.
  // Completes with error_code: none when it is committed; see outcome_of().
  // Cancellation: terminal, partial, total; one that was sent may be committed all the same.
  // Errors: errc::not_sent, unconfirmed (set_options::until), key_empty, key_too_long, key_with_zero,
  // key_reserved, value_empty (but in kvsimple), value_too_long, ttl_too_short, not_in_kvsimple;
  // what a server of ours refuses it for: too_many_keys, too_many_octets, value_too_long, refused;
  // operation_aborted.
  template <boost::asio::completion_token_for<void(boost::system::error_code)> Token =
                boost::asio::deferred_t>
  [[nodiscard]] auto async_set(std::string key, std::string value, const set_options& how,
                               Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
        [this](done_handler h, std::string&& name, std::string&& what, const set_options& with) {
          start_set(std::move(name), std::move(what), with, std::move(h));
        },
        token, std::move(key), std::move(value), how);
  }
  template <boost::asio::completion_token_for<void(boost::system::error_code)> Token =
                boost::asio::deferred_t>
  [[nodiscard]] auto async_set(std::string key, std::string value, Token&& token = {}) {
    return async_set(std::move(key), std::move(value), set_options{}, std::forward<Token>(token));
  }
  // Erases a key, which need not be there. As async_set(). In kvsimple: errc::not_in_kvsimple.
  template <boost::asio::completion_token_for<void(boost::system::error_code)> Token =
                boost::asio::deferred_t>
  [[nodiscard]] auto async_erase(std::string key, zmtp::deadline until, Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
        [this](done_handler h, std::string&& name, zmtp::deadline when) {
          start_erase(std::move(name), when, std::move(h));
        },
        token, std::move(key), until);
  }
  template <boost::asio::completion_token_for<void(boost::system::error_code)> Token =
                boost::asio::deferred_t>
  [[nodiscard]] auto async_erase(std::string key, Token&& token = {}) {
    return async_erase(std::move(key), zmtp::deadline{}, std::forward<Token>(token));
  }

  [[nodiscard]] client_status status() const;

private:
  class core;
  using done_handler = zmtp::completion_handler<void(boost::system::error_code)>;

  void start_wait_ready(zmtp::deadline until, done_handler&& handler);
  void start_set(std::string&& key, std::string&& value, const set_options& how,
                 done_handler&& handler);
  void start_erase(std::string&& key, zmtp::deadline until, done_handler&& handler);
  void give(std::string&& key, std::string&& value, const set_options& how, done_handler&& handler);

  boost::asio::any_io_executor executor_;
  std::size_t watched_changes_;
  form how_;
  std::weak_ptr<core> core_;  // gone with the context
  std::shared_ptr<client_state> state_;
};

}  // namespace chp
