#pragma once
// A node of a Binary Star pair: tells its peer its state, hears the peer's, and is active or passive. The
// decisions are state_machine's.

#include "bstar/error.h"
#include "bstar/options.h"
#include "bstar/state_machine.h"
#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/routing/routed_message.h"
#include "zmtp/socket/router_socket.h"

#include <boost/asio/any_io_executor.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace bstar {

struct node_options {
  pair_options pair{};
  // Where the epoch outlives a crash: a file of this node's own, whose folder exists. Empty: nowhere. A
  // node that comes back may then take an epoch again that it had before.
  std::string epoch_file{};
};

// Called in the node's executor, the first two perhaps within vote(). May call the node. What they throw
// reaches who runs the context. Each may be absent.
struct node_handlers {
  // Serve: the peer does not. Of an active that stood still or asked for it, also without a passive in between,
  // with a later epoch. Before the request that it was for.
  std::function<void(epoch)> on_active{};
  // Serve no more, or not yet: the peer does.
  std::function<void(passive_reason)> on_passive{};
  // For people.
  std::function<void(event)> on_event{};
  // The epoch could not be written: the node is not active and tries again.
  std::function<void(boost::system::error_code)> on_error{};
};

struct node_status {
  role as = role::primary;
  state now = state::primary;
  epoch current = 0;  // see state_machine::current_epoch()
  bool peer_alive = false;
  bool data_lost = false;             // and so it waits for its peer; see set_data_lost()
  std::optional<peer_report> peer{};  // what it said last
  std::uint64_t states_heard = 0;     // of the peer
  std::array<std::uint64_t, errc_count> bad_messages{};  // that were no states, by errc
  std::uint64_t requests_accepted = 0;
  std::uint64_t requests_rejected = 0;
};

// State goes out by a PUB and comes in by a SUB, as the Guide's bstar has it. Nodes of this project
// announce `bstar` to each other, and tell each other more than the digit.
//
// The peer's address should be on a network that strangers cannot reach: whoever can speak for the peer
// decides who is active.
//
// It may outlive its context, which ends what it does.
//
// Thread safety: distinct objects safe, one object not; its executor must be serial.
class node {
public:
  // What is to be done with a client's request. `on` is where it came from and where the answer goes
  // (to `request.peer`); of a REQ the content has an empty part in front, which its answer needs too.
  using voter = std::function<void(zmtp::routed_message request, zmtp::router_socket& on)>;

  // Begins to count the expiry. Throws boost::system::system_error: errc::bad_option, bad_epoch_file,
  // the system's for the epoch file.
  node(boost::asio::any_io_executor executor, const node_options& options,
       node_handlers handlers = {});
  node(const node&) = delete;
  node& operator=(const node&) = delete;
  // Stops.
  ~node();

  // Where the peer hears our state, and where we hear the peer's. As zmtp::socket::bind and connect.
  // Errors: also errc::node_stopped.
  zmtp::endpoint bind(std::string_view at);
  zmtp::endpoint bind(std::string_view at, zmtp::error_code& ec);
  void connect(std::string_view to);
  void connect(std::string_view to, zmtp::error_code& ec);

  // Clients' requests come to a ROUTER there. Each is a vote; those that are accepted are given to
  // `handler`, others are dropped. One for a node. As zmtp::socket::bind.
  // Errors: also errc::voter_taken, node_stopped.
  zmtp::endpoint bind_voter(std::string_view at, voter handler);
  zmtp::endpoint bind_voter(std::string_view at, voter handler, zmtp::error_code& ec);

  // For whoever receives clients' requests by himself: ask for each, before anything is done with it.
  // True: serve it. False: drop it, without an answer, so that the client tries the other node.
  [[nodiscard]] bool vote();

  // How far the data of this node are; see state_machine::set_position().
  // `of`: the epoch that they are of, 0 if they know none; see state_machine::on_data_of().
  void set_position(std::uint64_t position, epoch of = 0);
  // The data that this node had are gone, or it has those of its peer instead; see
  // state_machine::set_data_lost(). That they are gone is to be said before the context runs: a node that has
  // had an epoch (status().current) has had data.
  void set_data_lost(bool lost);

  // The numbers of the epoch in which it is active are used up, or nearly so: on_active is called with the next
  // one, perhaps before this returns; unless it is not active, or the epoch cannot be written (on_error).
  void renew_epoch();

  [[nodiscard]] node_status status() const;

  // Closes its sockets, and is neither active nor passive any more: no handler is called.
  void stop();

private:
  class core;
  std::weak_ptr<core> core_;  // which goes with the context
  struct shown;
  std::shared_ptr<const shown> shown_;
};

}  // namespace bstar
