#pragma once
// A single server of the clustered hashmap (12/CHP). server_state makes the decisions.

#include "chp/command.h"
#include "chp/loaded_log.h"
#include "chp/log_store.h"
#include "chp/server_actions.h"
#include "chp/server_core.h"
#include "chp/server_options.h"
#include "zmtp/counters.h"
#include "zmtp/endpoint.h"
#include "zmtp/error.h"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <string_view>

namespace chp {

// Handlers of a server. They run in its executor, some of them inside the constructor, set() or
// change_access(), and must not throw. Each may be empty.
struct server_handlers {
  // Returns an epoch above all earlier ones of this server, because the numbers of the current
  // epoch are almost used up. If it returns nothing, the server asks again after a heartbeat.
  // Without a new epoch, the server finally rejects updates. A server with a store does not need
  // this handler: it takes the next epoch after the last stored one.
  std::function<std::optional<std::uint64_t>()> next_epoch{};
  // An event for the log.
  std::function<void(server_event)> on_event{};
  // The first refusal of a right to a principal, by server_options::access. For the log.
  std::function<void(const access_refusal&)> on_refused{};
  // Called with the status after each turn and inside the constructor. The status has no sync_time,
  // which status() returns.
  std::function<void(const server_status&)> on_turn{};
};

// Serves clients of 12/CHP from the first bind until it is stopped or destroyed. Other options
// serve the Guide's earlier models.
//
// Without epochs (server_options::epoch) the server numbers updates as the Guide's servers do. Its
// numbers are not used up, except in form::kvsimple_4: sequences of four bytes end at update 2^31,
// which is rejected (server_event::epoch_used_up).
//
// Without a store, the map is in memory, and a crash loses it. With a store, an update is committed
// when it is on the disk, and the server starts with the stored map. For two servers see
// replicated_server.
//
// Lifetime: the server may outlive its execution context. It then does nothing. A server with a
// store must be destroyed before its context.
// Thread safety: distinct objects are safe, one object is not. The executor must be serial: an
// io_context that one thread runs, or a strand.
class server {
public:
  // Creates a server with an empty map.
  // Throws: boost::system::system_error with errc::sequence_too_large if the epoch is above
  // max_epoch.
  explicit server(boost::asio::any_io_executor executor, const server_options& options = {},
                  server_handlers handlers = {});
  // Creates a server with what load_log() has found, and writes changes to that store. Submitted
  // writes complete after the server stops. Throws: as above.
  server(boost::asio::any_io_executor executor, const server_options& options, loaded_log from,
         server_handlers handlers = {});
  server(const server&) = delete;
  server& operator=(const server&) = delete;
  // Calls stop().
  ~server();

  // Binds snapshots at tcp://address:P, the publisher at P + 1 and the collector at P + 2, as in
  // 12/CHP, or all three at ws:// with one path. With port 0 or * the operating system chooses P.
  // Returns the bound endpoints. Can be called again for a further address.
  // Errors: zmtp::errc::bad_endpoint if the transport is neither TCP nor ws, zmtp::errc::socket_closed once
  // stopped, and those of zmtp::socket::bind for any of the three ports. After an error no port is
  // bound.
  server_endpoints bind(std::string_view at);
  server_endpoints bind(std::string_view at, zmtp::error_code& ec);
  // Bind one port to any endpoint. Same as zmtp::socket::bind.
  zmtp::endpoint bind_snapshots(std::string_view at, zmtp::error_code& ec);
  zmtp::endpoint bind_publisher(std::string_view at, zmtp::error_code& ec);
  zmtp::endpoint bind_collector(std::string_view at, zmtp::error_code& ec);

  // Makes an update of the server's own, as in models 1 and 2 of the Guide: the update gets the
  // next number, and is applied and published. With a store, that waits for the disk. In kvmsg an
  // empty value erases the key. Returns false if the update was rejected, or if the context was
  // destroyed. The status counts rejected updates by errc, and those without a number as deferred.
  bool set(std::string_view key, std::string_view value);

  // Replaces server_options::access. Connections and what they may still read stay. Does nothing if
  // the server has no rules from the start.
  void change_access(zmtp::access_rules rules);

  // Closes the sockets. Queued messages are still written while the context runs, for at most the
  // linger time.
  void stop();

  [[nodiscard]] server_status status() const;
  // Returns the counters of the publisher, such as slow subscribers. All are zero once the server's
  // coroutines have ended.
  [[nodiscard]] zmtp::socket_counters connections() const;

private:
  void start(const boost::asio::any_io_executor& executor, const server_options& options,
             const std::shared_ptr<server_state>& state, server_handlers handlers);

  std::shared_ptr<log_store> store_;
  std::weak_ptr<server_core> core_;  // empty once its coroutines have ended
  std::shared_ptr<const server_state> state_;
  form how_ = form::kvmsg;
};

}  // namespace chp
