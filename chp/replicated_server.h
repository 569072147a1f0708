#pragma once
// A server of a pair of the clustered hashmap. If the active server is lost, the other server takes
// over with all acknowledged updates. server_state and bstar::state_machine make the decisions.

#include "bstar/node.h"
#include "chp/loaded_log.h"
#include "chp/log_store.h"
#include "chp/server_actions.h"
#include "chp/server_core.h"
#include "chp/server_options.h"
#include "chp/witness.h"
#include "zmtp/endpoint.h"
#include "zmtp/error.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/system/error_code.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace chp {

// Options of a server of a pair.
struct replicated_server_options {
  // The form must be kvmsg. `epoch` has no effect, because the node of the pair counts epochs.
  server_options server{};
  // `peer_socket` is also for the connections to the map of the peer.
  bstar::node_options pair{};
  // Folder for the files of lost updates. If it is empty, the current folder.
  std::string lost_folder{};
  // Decides which server may become active and commit alone, so that nothing that was acknowledged is
  // lost while a server that has it is left. Both servers need one with the same record. Empty: none.
  std::shared_ptr<chp::witness> witness{};
  // The operator's decision after server_event::stopped: this server may drop what both servers had,
  // once.
  bool discard_own_data = false;
};

// Handlers of a server of a pair. They run in its executor, some of them inside the constructor,
// and must not throw. Each may be empty.
struct replicated_server_handlers {
  // Same as in bstar::node_handlers. Called after the server has changed its role.
  std::function<void(bstar::epoch)> on_active{};
  std::function<void(bstar::passive_reason)> on_passive{};
  std::function<void(boost::system::error_code)> on_pair_error{};
  // An event for the log.
  std::function<void(server_event)> on_event{};
  std::function<void(const access_refusal&)> on_refused{};  // as in server_handlers
  // Called with the status after each turn. The status has no sync_time, which status() returns.
  std::function<void(const server_status&)> on_turn{};
  std::function<void(bstar::event)> on_pair_event{};
  // The file of lost updates is on the disk. The server takes them out of its history when it also
  // has a complete copy of the active server's. If it loses that server before, it writes the file
  // again. After an error it takes nothing out, and tries again. A file whose dialogue is lost is
  // not finished: its name ends with `.new`, and it is not reported.
  std::function<void(const std::string& path, boost::system::error_code)> on_lost{};
};

// Status of the server and its node.
struct replicated_server_status {
  server_status server;
  bstar::node_status pair;
};

// The endpoints of the other server.
struct server_peer {
  std::string state;      // the state publisher of its node
  std::string snapshots;  // its port P
  std::string publisher;  // its port P + 1; empty: the port after that of `snapshots`
};

// A server that replicates its map with the other server of a pair. Clients connect to both. The
// server starts passive: it follows the active server, stores the updates of clients, and treats
// each snapshot request as a vote. A vote makes it active if the other server is lost.
//
// If its map is empty but its epoch file shows that it had data, the server does not become active
// before it has met the other server. It waits like a single backup, or until promote_alone_after.
//
// A server of the Guide (clonesrv6) does not say which updates it has. Beside one, updates are
// acknowledged as one_server or one_disk at most.
//
// With a store, an update is committed when both disks have it. If both servers are killed, the one
// with more on its disk becomes active. There is no merge: the other server writes the updates that
// only it has to a file in `lost_folder`, and copies the map of the active server.
//
// Lifetime: the server may outlive its execution context. It then does nothing. A server with a
// store must be destroyed before its context.
// Thread safety: distinct objects are safe, one object is not. The executor must be serial: an
// io_context that one thread runs, or a strand.
class replicated_server {
public:
  // Creates a server with an empty map.
  // Throws: boost::system::system_error with an error of bstar::node, or with
  // zmtp::errc::bad_option if the form is not kvmsg.
  replicated_server(boost::asio::any_io_executor executor, const replicated_server_options& options,
                    replicated_server_handlers handlers = {});
  // Creates a server with the content of a store; see server::server().
  // Throws: also the errors of the first constructor.
  replicated_server(boost::asio::any_io_executor executor, const replicated_server_options& options,
                    loaded_log from, replicated_server_handlers handlers = {});
  replicated_server(const replicated_server&) = delete;
  replicated_server& operator=(const replicated_server&) = delete;
  // Calls stop().
  ~replicated_server();

  // Same as server::bind.
  server_endpoints bind(std::string_view at);
  server_endpoints bind(std::string_view at, zmtp::error_code& ec);
  // Binds the endpoint at which the other server receives this node's state. Same as
  // zmtp::socket::bind.
  // Errors: also bstar::errc::node_stopped.
  zmtp::endpoint bind_state(std::string_view at);
  zmtp::endpoint bind_state(std::string_view at, zmtp::error_code& ec);
  // Connects to the other server. Call it once. Same as zmtp::socket::connect.
  // Errors: also bstar::errc::node_stopped. After an error, destroy the server.
  void connect(const server_peer& to);
  void connect(const server_peer& to, zmtp::error_code& ec);

  // As in chp::server.
  void change_access(zmtp::access_rules rules);

  // Closes the sockets. Queued messages are still written while the context runs, for at most the
  // linger time.
  void stop();

  [[nodiscard]] replicated_server_status status() const;
  // Returns the map of this server.
  [[nodiscard]] const store& map() const noexcept;

private:
  class core;
  void start(const boost::asio::any_io_executor& executor, const replicated_server_options& options,
             const std::shared_ptr<server_state>& state, replicated_server_handlers handlers);

  std::shared_ptr<log_store> store_;
  std::weak_ptr<core> core_;  // empty once its coroutines have ended
  std::shared_ptr<const server_state> state_;
  std::shared_ptr<const bstar::node> node_;
};

}  // namespace chp
