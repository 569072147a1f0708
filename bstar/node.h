#pragma once
// A node of a Binary Star pair: exchanges state messages with its peer, and is active or passive.
// state_machine makes the decisions.

#include "bstar/error.h"
#include "bstar/options.h"
#include "bstar/state_machine.h"
#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/options.h"
#include "zmtp/peer.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/any_io_executor.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace bstar {

// Options of a node.
struct node_options {
  pair_options pair{};
  // File that stores the epoch. The file must belong to this node alone, and its folder must exist.
  // Empty: the epoch is not stored, so a node that restarts may use an epoch again.
  std::string epoch_file{};
  // Options of the sockets that bind, for the peer and for requests, security included. The node
  // sets reconnect, heartbeat, limit.handshake_time, linger, extensions, announce_peers and xpub of
  // the sockets for the state messages itself.
  zmtp::socket_options socket{};
  // The same for the socket that connects to the peer. With CURVE, server_key names the peer, and
  // only the owner of this key can send its state messages.
  zmtp::socket_options peer_socket{};
  // The peer's public key. State messages from connections with another key, or without CURVE, are
  // counted and do not count as messages of the peer. Absent: every connection is the peer's.
  std::optional<zmtp::curve_public_key> peer_key{};
};

// Handlers of a node. They run in the node's executor, some of them inside vote() or renew_epoch(),
// and may call the node. An exception that they throw propagates out of `io_context::run()`. Each
// handler may be empty.
struct node_handlers {
  // The node becomes active and must serve. An active node can become active again with a later
  // epoch, without becoming passive: after a pause, or after renew_epoch(). Called before vote()
  // accepts a request.
  std::function<void(epoch)> on_active{};
  // The node becomes passive and must not serve.
  std::function<void(passive_reason)> on_passive{};
  // An event for the log.
  std::function<void(event)> on_event{};
  // A state message of the peer. The node acts on it after this call, by what set_position() and the
  // like have said.
  std::function<void(const peer_report&)> on_peer{};
  // The epoch could not be written. The node does not become active, and tries again.
  std::function<void(boost::system::error_code)> on_error{};
  // Grants an epoch, which is stored already, before the node becomes active with it. Must call
  // `done` once, in the node's executor and not inside this call. If the epoch is not granted, the
  // node tries again later. Empty: every epoch is granted.
  std::function<void(epoch, std::function<void(bool is_granted)> done)> acquire{};
};

// Status and counters of a node.
struct node_status {
  role as = role::primary;
  state now = state::primary;
  epoch current = 0;  // see state_machine::current_epoch()
  bool peer_alive = false;
  bool data_lost = false;             // the node waits for its peer; see set_data_lost()
  std::optional<peer_report> peer{};  // the last report
  std::uint64_t states_received = 0;  // states received
  std::uint64_t states_refused = 0;   // not from the owner of node_options::peer_key
  std::array<std::uint64_t, errc_count> bad_messages{};  // invalid state messages, by errc
  std::uint64_t requests_accepted = 0;
  std::uint64_t requests_rejected = 0;
};

// A node of a Binary Star pair. State messages leave by a PUB and arrive by a SUB, as in the
// Guide's bstar. Zinc's nodes announce `bstar` to each other, and add an account to the Guide's
// digit.
//
// Security: a program that can send state messages for the peer decides which node is active. Use
// CURVE, or a network for the state endpoints that other programs cannot reach.
//
// Lifetime: the node may outlive its execution context. It then does nothing.
// Thread safety: distinct objects are safe, one object is not. The executor must be serial: an
// io_context that one thread runs, or a strand.
class node {
public:
  // Called in the node's executor for each accepted request. Send the reply on `on`, to
  // `request.peer`. The content of a REQ's request starts with an empty part, which the reply needs
  // as well.
  using voter = std::function<void(zmtp::routed_message request, zmtp::router_socket& on)>;

  // Starts the countdown of the expiry.
  // Throws: boost::system::system_error with errc::bad_option, errc::bad_epoch_file, or a system
  // error of the epoch file.
  node(boost::asio::any_io_executor executor, const node_options& options,
       node_handlers handlers = {});
  node(const node&) = delete;
  node& operator=(const node&) = delete;
  // Calls stop().
  ~node();

  // Binds the endpoint at which the peer receives this node's state, or connects to the peer's
  // endpoint. Same as zmtp::socket::bind and connect.
  // Errors: also errc::node_stopped.
  zmtp::endpoint bind(std::string_view at);
  zmtp::endpoint bind(std::string_view at, zmtp::error_code& ec);
  void connect(std::string_view to);
  void connect(std::string_view to, zmtp::error_code& ec);

  // Binds a ROUTER for the requests of clients. Each request is a vote. Accepted requests go to
  // `handler`, and the node drops the others. A node has at most one voter. Same as
  // zmtp::socket::bind.
  // Errors: also errc::voter_taken and errc::node_stopped.
  zmtp::endpoint bind_voter(std::string_view at, voter handler);
  zmtp::endpoint bind_voter(std::string_view at, voter handler, zmtp::error_code& ec);

  // Must be called for each request that another socket receives, before the request is processed.
  // Returns whether to serve the request. If not, drop it without a reply, so that the client tries
  // the other server.
  [[nodiscard]] bool vote();
  // Takes note of the time. Call it before work that only an active node may do. If the process was
  // paused, handlers are then called inside this call.
  void check_pause();

  // Sets the position of this node's data; see state_machine::set_position(). `of` is the epoch of
  // the data, or 0 if unknown; see state_machine::on_data_of().
  void set_position(std::uint64_t position, epoch of = 0);
  // Reports that this node has lost its data, or has copied the data of its peer; see
  // state_machine::set_data_lost(). Report a loss before the context runs. A node that has had an
  // epoch (status().current) has had data.
  void set_data_lost(bool lost);

  // See state_machine::set_declines() and hand_over().
  void set_declines(bool declines);
  void hand_over();

  // Requests a new epoch, because the numbers of the current one are almost used up. on_active is
  // called with the new epoch, perhaps inside this call. Does nothing if the node is not active. If
  // the epoch cannot be written, on_error is called.
  void renew_epoch();

  [[nodiscard]] node_status status() const;

  // Closes the sockets. No handler is called from then on.
  void stop();

private:
  class core;
  std::weak_ptr<core> core_;  // empty once the context has destroyed its coroutines
  struct shown;
  std::shared_ptr<const shown> shown_;
};

}  // namespace bstar
