#pragma once
// A server of the clustered hashmap (12/CHP) that is alone. The decisions are server_state's.

#include "chp/command.h"
#include "chp/map_store.h"
#include "chp/server_actions.h"
#include "chp/server_core.h"
#include "chp/server_options.h"
#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/routing/socket_state.h"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <string_view>

namespace chp {

// Called in the server's executor. What they throw reaches who runs the context. Each may be absent.
struct server_handlers {
  // An epoch above all that this server had, since the numbers of the last one are nearly used up; or nothing, and
  // it is asked again a heartbeat later. Without it, or if it has none in time, no update is accepted in the end. With
  // a store there is one without it, which is behind the last.
  std::function<std::optional<std::uint64_t>()> next_epoch{};
  // For people.
  std::function<void(server_event)> on_event{};
  // Likewise: how it stands, after each turn of its work, also while it is constructed.
  std::function<void(const server_status&)> on_turn{};
};

// Serves from the first bind until it is stopped or destroyed, clients of 12/CHP and, with other options,
// those of the Guide's earlier models.
//
// Without epochs (server_options::epoch) it counts as the Guide's servers do, and has numbers for ever; but where
// sequences have four octets (form::kvsimple_4) the 2^31st update is refused (server_event::epoch_used_up).
//
// Without a store the map is in memory, and a crash of the server loses all of it. With one what is
// committed is on the disk first, and it goes on with what it finds there. See replicated_server also.
//
// It may outlive its context, which ends what it does; with a store it must go before.
//
// Thread safety: distinct objects safe, one object not; its executor must be serial.
class server {
public:
  explicit server(boost::asio::any_io_executor executor, const server_options& options = {},
                  server_handlers handlers = {});
  // Has what was found in the store, and writes to it. The store was made for the same executor; what it was
  // given it still writes when the server stops.
  // Throws boost::system::system_error: errc::too_many_keys, too_many_octets, value_too_long if what was
  // found is more than the options let the map have; malformed_register.
  server(boost::asio::any_io_executor executor, const server_options& options, loaded_map from,
         server_handlers handlers = {});
  server(const server&) = delete;
  server& operator=(const server&) = delete;
  // Stops.
  ~server();

  // Snapshots at tcp://address:P, the publisher at P + 1 and the collector at P + 2, as 12/CHP has it. With
  // port 0 or * the system chooses P. Returns where they are.
  // Errors: as zmtp::socket::bind, of either of the three, and then none is bound; zmtp::errc::bad_endpoint
  // if it is not of TCP; socket_closed once it is stopped.
  server_endpoints bind(std::string_view at);
  server_endpoints bind(std::string_view at, zmtp::error_code& ec);
  // Each by itself, wherever. As zmtp::socket::bind.
  zmtp::endpoint bind_snapshots(std::string_view at, zmtp::error_code& ec);
  zmtp::endpoint bind_publisher(std::string_view at, zmtp::error_code& ec);
  zmtp::endpoint bind_collector(std::string_view at, zmtp::error_code& ec);

  // An update of its own, as in models 1 and 2 of the Guide: it gets the next number, and is applied and published, as one
  // of a client's. In kvmsg an empty value erases. False, and nothing has changed: it was refused, which the status
  // counts by its errc, or the server has no context any more.
  bool set(std::string_view key, std::string_view value);

  // Closes the sockets: what is queued for peers is written, for the linger time, while the context runs.
  void stop();

  [[nodiscard]] server_status status() const;
  // Of the publisher: among others who was too slow. All zero once it is stopped.
  [[nodiscard]] zmtp::socket_counters connections() const;

private:
  void start(const boost::asio::any_io_executor& executor, const server_options& options,
             const std::shared_ptr<server_state>& state, server_handlers handlers);

  std::shared_ptr<map_store> store_;
  std::weak_ptr<server_core> core_;  // of what goes with the context
  std::shared_ptr<const server_state> state_;
  form how_ = form::kvmsg;
};

}  // namespace chp
