#pragma once
// Decisions that all socket types share: which peers are attached, and which pipes are readable or
// writable. Each pattern is a derived class. No I/O: the shell reports what happens to connections.

#include "zmtp/buffer/subscription_changes.h"
#include "zmtp/counters.h"
#include "zmtp/error.h"
#include "zmtp/options.h"
#include "zmtp/peer.h"
#include "zmtp/routing/pipe.h"
#include "zmtp/socket_type.h"

#include <boost/circular_buffer.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp {

class socket_state {
public:
  socket_state(socket_type type, const socket_options& options) noexcept
      : type_{type},
        options_{options},
        pipes_{options_, &account_},
        announces_{options.announce_peers && type != socket_type::push &&
                   type != socket_type::pub} {}
  socket_state(const socket_state&) = delete;
  socket_state& operator=(const socket_state&) = delete;
  virtual ~socket_state() = default;

  [[nodiscard]] socket_type type() const noexcept { return type_; }
  [[nodiscard]] const socket_options& options() const noexcept { return options_; }
  [[nodiscard]] const socket_counters& counters() const noexcept { return counters_; }
  [[nodiscard]] pipe* find(peer_id id) const noexcept { return pipes_.find(id); }
  // Number of attached peers.
  [[nodiscard]] std::size_t attached() const noexcept { return attached_; }
  // Applies options that validate_change() accepts. Open pipes keep their marks.
  void change_options(const socket_options& options) {
    const auto announces = options_.announce_peers;
    options_ = options;
    options_.announce_peers &= announces;
  }

  // The memory of all queues.
  [[nodiscard]] memory_account& account() noexcept { return account_; }
  // Call when the memory quota of each queue has changed. Conflating sockets ignore it, because
  // they hold one message per peer.
  void on_quota_changed(std::size_t bytes);

  // Creates the pipe of an endpoint to connect to (durable), or of a connection whose handshake is
  // complete.
  virtual pipe& open_pipe(bool durable);

  // The decision about a peer that wants to attach.
  struct verdict {
    error_code refused;            // if set, close the new connection without ERROR
    std::optional<peer_id> probe;  // … and test whether this peer is alive
    std::optional<peer_id> evict;  // close the connection of this peer first
  };
  // Decides whether a peer with these properties may attach. `id` is the durable pipe that it would
  // attach to, if any.
  [[nodiscard]] virtual verdict on_admission(std::optional<peer_id> id, const peer_info& info);
  // Returns the pipe for a peer that connected to the endpoint of `last`. Usually that is `last`,
  // with its queued messages. If the pattern answers peers, and this peer may be a different one,
  // returns a new pipe. The endpoint belongs to the new pipe from then on, and the last peer
  // has disconnected.
  [[nodiscard]] pipe& pipe_for(pipe& last, const peer_info& who);
  // Call when the conversation on this pipe has completed its handshake. `random` is for generated
  // ids.
  virtual void on_attached(pipe& p, peer_info info, std::uint32_t random);
  // Call when p.in has grown. p.blocked and p.rest describe the undecoded bytes.
  virtual void on_received(pipe& p);
  // Call when the peer subscribes or unsubscribes.
  virtual void on_subscription(pipe&, bool /*subscribe*/, std::string_view /*topic*/) {}
  // Call with the number of subscriptions that were above a limit of the connection.
  void on_refused_subscriptions(std::uint64_t count) noexcept {
    counters_.refused_subscriptions += count;
  }
  // Call when the peer is alive but answers no PING: its application does not read.
  void on_not_reading(pipe& p) noexcept {
    ++counters_.not_reading;
    ++p.counters.not_reading;
  }
  // Count the bytes of a connection: for its pipe, or for a peer without a pipe yet.
  void count_read(peer_counters& of, std::size_t bytes) noexcept {
    counters_.bytes_received += bytes;
    of.bytes_received += bytes;
  }
  void count_written(peer_counters& of, std::size_t bytes) noexcept {
    counters_.bytes_sent += bytes;
    of.bytes_sent += bytes;
  }
  // If true, the shell must read from a peer before it writes to it. The pattern can then
  // distinguish the reply from messages that came before the request.
  [[nodiscard]] bool reads_before_writing() const noexcept { return reads_before_writing_; }
  // Call with the number of unwritten messages that a newer one replaced.
  void on_conflated(std::size_t messages) noexcept { counters_.dropped_conflated += messages; }
  // Call when p.out has shrunk.
  virtual void on_written(pipe& p);
  // Call when nothing can be written to the peer any more. What it has sent is then received in
  // spite of the marks: otherwise a user who waits to send to this peer would never receive, and
  // the end of the connection would never be read.
  void take_rest(pipe& p);
  // Call when the connection has ended. Closes the pipe unless it is durable.
  virtual void on_detached(pipe& p);
  // Call when the endpoint is disconnected and its connection has ended. Drops queued messages. The
  // pipe remains until the user has received its messages.
  virtual void close_pipe(pipe& p);
  // Returns whether sent messages are still queued for any peer.
  [[nodiscard]] bool unwritten() const noexcept;
  // Call when the socket ends. Drops all queued messages.
  void on_closed() noexcept;
  // Call when a connection has ended, before or after its handshake.
  void on_ended(error_code reason) noexcept;
  // Call when a listener pauses because there are no file descriptors or no memory.
  void on_accepting_paused() noexcept { ++counters_.accept_pauses; }

  // The subscriptions to send to each new peer.
  [[nodiscard]] virtual std::vector<std::string_view> topics() const { return {}; }
  // The messages to send to each new peer first.
  [[nodiscard]] std::vector<message> greetings() const;
  // Changes of the local subscriptions that attached peers have not received yet. The shell sends
  // and clears them before it writes, and before another peer attaches and receives topics().
  [[nodiscard]] subscription_changes& unsent_subscriptions() noexcept {
    return unsent_subscriptions_;
  }

  // Moves grouped messages into the queues.
  virtual void end_turn() {}
  // Adds the peer to dirty().
  void touch(pipe& p);
  // Pipes with messages to write, in turn. The shell writes them.
  [[nodiscard]] boost::circular_buffer<peer_id>& dirty() noexcept { return dirty_; }
  // Blocked pipes whose undecoded bytes fit now, because the user has received messages.
  [[nodiscard]] std::vector<peer_id>& resumable() noexcept { return resumable_; }
  // Peers that were too slow. The shell must close their connections
  // (socket_options::disconnect_slow).
  [[nodiscard]] std::vector<peer_id>& too_slow() noexcept { return too_slow_; }

  // Returns whether an item is queued. receive() may still find that the pattern drops it.
  [[nodiscard]] virtual bool readable() const noexcept { return !readable_.empty(); }
  // Takes the next message, fairly from all peers, with its sender. Returns false if there is none.
  // The content of `to` is then unspecified.
  [[nodiscard]] virtual bool receive(routed_message& to);
  // Like the above without the sender, for sockets whose peers are not addressable.
  [[nodiscard]] virtual bool receive(message& to);
  // Like the above with the sender beside the message.
  [[nodiscard]] bool receive_from(routed_message& to);
  // Returns whether a message can be sent at all: it has at least one part, and space for an
  // envelope.
  [[nodiscard]] static bool sendable(const message& m) noexcept {
    return !m.empty() && m.size() <= message::max_parts - largest_envelope;
  }
  // Sends to the peers that the pattern selects. Moves from `m` only if it was queued, or dropped
  // by the pattern.
  [[nodiscard]] virtual send_status send(message&&, if_full) { return send_status::unknown; }
  [[nodiscard]] send_status send(message&& m) { return send(std::move(m), if_full::report); }
  // Sends to this peer. Moves from `m` only if it was queued. Never drops a message.
  [[nodiscard]] virtual send_status send(peer_id, message&&) { return send_status::unknown; }
  // Counts a message that could not be queued for a peer and is dropped.
  void count_drop(peer_id to, send_status why) noexcept;
  // Returns whether a message would be queued.
  [[nodiscard]] virtual bool writable() const noexcept { return false; }
  // Returns whether a message to this peer would be queued.
  [[nodiscard]] bool writable(peer_id to) const noexcept;
  void pause(pipe& p) noexcept;
  void resume(pipe& p);

  template <class Visit>
  void for_each_pipe(Visit&& visit) const {
    pipes_.for_each(visit);
  }

protected:
  // Maximum number of parts that REQ and REP add to a message.
  static constexpr std::size_t largest_envelope = 255;

  void queue(pipe& p, message&& m);
  // Queues a message for this peer, if the peer exists and its queue is not full.
  [[nodiscard]] send_status queue_for(peer_id to, message&& m);
  // Returns the pipe that counts messages from this peer: its own pipe, or the pipe of the next
  // peer at its endpoint.
  [[nodiscard]] pipe& counting(pipe& p) const noexcept;
  // Puts a message into the receive queue of the peer.
  void deliver(pipe& p, message&& m);
  // Returns the next peer to receive from, or nullptr if all queues are empty.
  [[nodiscard]] const pipe* next_readable() const noexcept {
    return readable_.empty() ? nullptr : &pipes_.at(readable_.current());
  }
  // Makes attach and detach part of the receive queues, as messages without parts.
  void announce_to_pattern() noexcept { announces_ = true; }
  // Receives all messages of a peer before the first one of a later peer, instead of fairly from
  // all.
  void receive_in_order() noexcept { in_order_ = true; }
  void read_before_writing() noexcept { reads_before_writing_ = true; }
  // Counts the message that was received last as dropped.
  void drop_received() noexcept;
  // Counts a message that is dropped because the queue of this peer is full.
  void drop_full(pipe& p) noexcept {
    const bool over = !p.out.at_mark() && p.out.over_quota();
    ++(over ? counters_.dropped_over_budget : counters_.dropped_full);
    ++(over ? p.counters.dropped_over_budget : p.counters.dropped_full);
  }
  // Drops the first `most` messages of the peer, because they are not valid for this pattern.
  void discard(pipe& p, std::size_t most = static_cast<std::size_t>(-1));
  // Returns whether a message is for the user, if the pattern knows this before receive().
  [[nodiscard]] virtual bool wanted(const message&) const { return true; }
  // Returns whether messages for this peer may be queued if there is space.
  [[nodiscard]] bool reachable(const pipe& p) const noexcept {
    return !p.closing && (p.attached || !options_.immediate);
  }
  // Returns whether a message for this peer can be queued now.
  [[nodiscard]] bool takes(const pipe& p) const noexcept { return reachable(p) && !p.out.full(); }
  virtual void forget(pipe& p);
  // Returns whether messages that were queued for the last peer of an endpoint may go to this peer.
  [[nodiscard]] virtual bool succeeds(const peer_info& /*last*/, const peer_info& /*next*/) const {
    return true;
  }

  socket_type type_;
  socket_options options_;
  memory_account account_;
  pipe_table pipes_;
  slot_ring readable_;
  socket_counters counters_;
  subscription_changes unsent_subscriptions_;
  std::vector<peer_id> too_slow_;

private:
  [[nodiscard]] bool take(message& to, peer_id& from);
  void mark_readable(pipe& p);
  void keep_last(pipe& p);
  void room_again(pipe& p);
  void announce(pipe& p);

  bool announces_;
  bool in_order_ = false;
  bool reads_before_writing_ = false;
  peer_id received_from_;  // sender of the last message …
  peer_id counted_for_;    // … which the counters of this peer include
  std::size_t attached_ = 0;
  boost::circular_buffer<peer_id> dirty_;
  std::vector<peer_id> resumable_;
};

}  // namespace zmtp
