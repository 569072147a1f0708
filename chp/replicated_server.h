#pragma once
// One of a pair of servers of the clustered hashmap: when the active one is lost, the other one goes on
// with everything that it had acknowledged. The decisions are server_state's and the pair's machine's.

#include "bstar/node.h"
#include "chp/map_store.h"
#include "chp/server_actions.h"
#include "chp/server_core.h"
#include "chp/server_options.h"
#include "zmtp/endpoint.h"
#include "zmtp/error.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/system/error_code.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace chp {

struct replicated_server_options {
  // `epoch` is of no account: the pair's node counts epochs. Only kvmsg can be replicated.
  server_options server{};
  bstar::node_options pair{};
};

// Each may be absent.
struct replicated_server_handlers {
  // As bstar::node_handlers has them; the server has become so already.
  std::function<void(bstar::epoch)> on_active{};
  std::function<void(bstar::passive_reason)> on_passive{};
  std::function<void(boost::system::error_code)> on_pair_error{};
  // For people.
  std::function<void(server_event)> on_event{};
  // Likewise: how it stands, after each turn of its work, also while it is constructed.
  std::function<void(const server_status&)> on_turn{};
  std::function<void(bstar::event)> on_pair_event{};
};

struct replicated_server_status {
  server_status server;
  bstar::node_status pair;
};

// Where the other one is.
struct server_peer {
  std::string state;      // where its node tells its state
  std::string snapshots;  // its P
  std::string publisher;  // its P + 1; empty: the port behind that of `snapshots`
};

// Clients connect to both. It is passive until its node knows better: then it follows the other one, keeps
// what clients send, and counts each client's question for a snapshot as the vote that lets it become
// active when the other one is lost.
//
// One that was started again with an empty map, which its epoch file tells, does not become active before it
// has met the other one: as a lone backup it waits, or for promote_alone_after.
//
// Against a peer of the Guide (clonesrv6) it does the same without epochs and without acknowledgements of
// its own: then nobody knows what the other one has.
//
// With a store what is committed is on the disks of both first, and when both have been killed the one whose
// disk has more becomes active. What this one had accepted and the other had not, it offers after that, too.
//
// It may outlive its context, which ends what it does; with a store it must go before.
//
// Thread safety: distinct objects safe, one object not; its executor must be serial.
class replicated_server {
public:
  // Throws boost::system::system_error: as bstar::node; zmtp::errc::bad_option if it is not of kvmsg.
  replicated_server(boost::asio::any_io_executor executor, const replicated_server_options& options,
                    replicated_server_handlers handlers = {});
  // As server, of its store; and as above.
  replicated_server(boost::asio::any_io_executor executor, const replicated_server_options& options,
                    loaded_map from, replicated_server_handlers handlers = {});
  replicated_server(const replicated_server&) = delete;
  replicated_server& operator=(const replicated_server&) = delete;
  // Stops.
  ~replicated_server();

  // As server::bind.
  server_endpoints bind(std::string_view at);
  server_endpoints bind(std::string_view at, zmtp::error_code& ec);
  // Where the other one hears our state. As zmtp::socket::bind.
  zmtp::endpoint bind_state(std::string_view at);
  zmtp::endpoint bind_state(std::string_view at, zmtp::error_code& ec);
  // Once. As zmtp::socket::connect.
  void connect(const server_peer& to);
  void connect(const server_peer& to, zmtp::error_code& ec);

  // Closes the sockets: what is queued for peers is written, for the linger time, while the context runs.
  void stop();

  [[nodiscard]] replicated_server_status status() const;
  // What it has, in the order of keys.
  [[nodiscard]] const store& map() const noexcept;

private:
  class core;
  void start(const boost::asio::any_io_executor& executor, const replicated_server_options& options,
             const std::shared_ptr<server_state>& state, replicated_server_handlers handlers);

  std::shared_ptr<map_store> store_;
  std::weak_ptr<core> core_;  // of what goes with the context
  std::shared_ptr<const server_state> state_;
  std::shared_ptr<const bstar::node> node_;
};

}  // namespace chp
