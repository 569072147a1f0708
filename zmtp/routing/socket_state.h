#pragma once
// Decisions that all socket types share: which peer may attach, and how messages are
// queued, received and dropped. Each pattern is a derived class. No I/O: the shell reports what
// happens to connections.

#include "zmtp/buffer/subscription_changes.h"
#include "zmtp/counters.h"
#include "zmtp/error.h"
#include "zmtp/message_batch.h"
#include "zmtp/options.h"
#include "zmtp/peer.h"
#include "zmtp/routing/pipe.h"
#include "zmtp/routing/socket_pipes.h"
#include "zmtp/routing/traffic_counts.h"
#include "zmtp/socket_type.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp {

// How a pattern differs from most others.
struct pattern_habits {
  bool announces = false;    // attach and detach are messages without parts in the receive queues
  bool in_order = false;     // receives all messages of a peer before the first one of a later peer
  bool reads_first = false;  // see socket_state::reads_before_writing()
  bool sifts = false;        // socket_state::sift() drops single messages of a run
};

class socket_state : public socket_pipes, public traffic_counts {
public:
  // A batch of one turn ends at this number of messages or bytes, but not before the end of a
  // message. More would delay others on the executor.
  static constexpr std::size_t max_batch = 1024;
  static constexpr std::size_t max_batch_bytes = block_size::reading;

  socket_state(socket_type type, const socket_options& options,
               const pattern_habits& habits = {}) noexcept
      : socket_pipes{options}, type_{type}, habits_{habits} {
    habits_.announces |=
        options.announce_peers && type != socket_type::push && type != socket_type::pub;
  }
  virtual ~socket_state() = default;

  [[nodiscard]] socket_type type() const noexcept { return type_; }
  [[nodiscard]] const socket_options& options() const noexcept { return options_; }
  // Number of attached peers.
  [[nodiscard]] std::size_t attached() const noexcept { return attached_; }
  // Applies options that find_change_fault() accepts. Open pipes keep their marks.
  void change_options(const socket_options& options) {
    const auto announces = options_.announce_peers;
    options_ = options;
    options_.announce_peers &= announces;
  }

  // Call when the memory quota of each queue has changed. Conflating sockets ignore it, because
  // they hold one message per peer.
  void on_quota_changed(std::size_t bytes);

  // Creates the pipe of an endpoint to connect to (durable), or of a connection whose handshake is
  // complete.
  virtual pipe& open_pipe(bool durable) { return pipes_.open(durable); }

  // The decision about a peer that wants to attach.
  struct verdict {
    error_code refused;            // if set, close the new connection without ERROR
    std::optional<peer_id> probe;  // … and test whether this peer is alive
    std::optional<peer_id> evict;  // close the connection of this peer first
  };
  // Decides whether a peer with these properties may attach. `id` is the durable pipe that it would
  // attach to, if any.
  [[nodiscard]] virtual verdict on_admission(std::optional<peer_id> /*id*/, const peer_info&) {
    return {};
  }
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
  // If true, the shell must read from a peer before it writes to it. The pattern can then
  // distinguish the reply from messages that came before the request.
  [[nodiscard]] bool reads_before_writing() const noexcept { return habits_.reads_first; }
  // Call when p.out has shrunk.
  virtual void on_written(pipe&) {}
  // Call when the connection has ended. Closes the pipe unless it is durable.
  virtual void on_detached(pipe& p);
  // Call when the endpoint is disconnected and its connection has ended. Drops queued messages. The
  // pipe remains until the user has received its messages.
  virtual void close_pipe(pipe& p);
  // Call when the socket ends. Drops all queued messages.
  void on_closed() noexcept;

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

  // Returns whether an item is queued. receive() may still find that the pattern drops it.
  [[nodiscard]] virtual bool readable() const noexcept { return !readable_.empty(); }
  // Takes the next message, fairly from all peers, with its sender. Returns false if there is none.
  // The content of `to` is then unspecified.
  [[nodiscard]] virtual bool receive(routed_message& to);
  // Like the above without the sender, for sockets whose peers are not addressable.
  [[nodiscard]] virtual bool receive(message& to);
  // Like the above with the sender beside the message.
  [[nodiscard]] bool receive_from(routed_message& to);
  // Takes the next messages, as the other forms take one. Adds them to `to`, up to max_batch and
  // max_batch_bytes, with the sender of each. With announced peers, also adds attach and detach. Returns whether there
  // were any.
  [[nodiscard]] virtual bool receive(message_batch& to);
  // Like the above with the envelope of receive(message&), and without notices of peers, for
  // sockets with addressable peers.
  [[nodiscard]] virtual bool receive_enveloped(message_batch& to) { return receive(to); }
  // Returns whether a message can be sent at all: it has at least one part, and space for an
  // envelope.
  [[nodiscard]] static bool sendable(const message& m) noexcept {
    return !m.empty() && m.size() <= message::max_parts - largest_envelope;
  }
  // Removes notices of attach and detach at the front. Returns whether a message is left.
  [[nodiscard]] static bool skip_notices(message_batch& from) noexcept;
  // Sends to the peers that the pattern selects. Moves from `m` only if it was queued, or dropped
  // by the pattern.
  [[nodiscard]] virtual send_status send(message&&, if_full) { return send_status::unknown; }
  [[nodiscard]] send_status send(message&& m) { return send(std::move(m), if_full::report); }
  // Sends messages at the front of the batch, and removes them. Sends at least one if the result is
  // `queued`. Otherwise the result is about the first message. Skips attach and detach. The batch
  // must not be empty.
  [[nodiscard]] virtual send_status send(message_batch& from, if_full then);
  // Like the above, to the peer beside the first message. Never drops a message. The first item of
  // the batch must be a message.
  [[nodiscard]] virtual send_status send_to(message_batch& from);
  // Sends to this peer. Moves from `m` only if it was queued. Never drops a message.
  [[nodiscard]] virtual send_status send(peer_id, message&&) { return send_status::unknown; }
  // Counts a message that could not be queued for a peer and is dropped.
  void count_drop(peer_id to, send_status why) noexcept;
  // Returns whether a message would be queued.
  [[nodiscard]] virtual bool writable() const noexcept { return false; }
  // Returns whether a message to this peer would be queued.
  [[nodiscard]] bool writable(peer_id to) const noexcept {
    const auto* p = find(to);
    return p != nullptr && takes(*p);
  }

protected:
  // Maximum number of parts that REQ and REP add to a message.
  static constexpr std::size_t largest_envelope = 255;

  // Call for all receivers of a message first, so that all or none of them get it. After this, one
  // call of queue() does not throw.
  void prepare_queueing(pipe& p) {
    p.out.reserve();
    touch(p);
  }
  void queue(pipe& p, message&& m);
  // Queues the first messages of the batch for this peer, up to the marks of the queue and at least
  // one. Returns their number.
  std::size_t queue_some(pipe& p, message_batch& from,
                         std::size_t most = static_cast<std::size_t>(-1));
  // Queues a message for this peer, if the peer exists and its queue is not full.
  [[nodiscard]] send_status queue_for(peer_id to, message&& m);
  // Puts a message into the receive queue of the peer.
  void deliver(pipe& p, message&& m) {
    p.in.push(std::move(m));
    mark_readable(p);
  }
  // Adds received messages of one peer to the batch, without those that the pattern drops. The
  // batch has space for all items, so this does not throw. Set pattern_habits::sifts to drop single
  // messages of a run.
  virtual void sift(message_batch::item&& received, message_batch& to) {
    to.push_back(std::move(received));
  }
  // Returns whether a batch can take more.
  [[nodiscard]] static bool accepts(const message_batch& b) noexcept {
    return b.size() < max_batch && b.framed_size() < max_batch_bytes;
  }
  // Returns how many messages of this readable peer a batch takes before those of the next peer.
  [[nodiscard]] std::size_t turn_of(const pipe& p) const noexcept;
  // Takes the first entry of the next readable queue, or its first messages.
  [[nodiscard]] message_batch::item take_item(pipe& p, std::size_t most);
  // Receives with receive(message&) into the batch, for patterns that change messages.
  [[nodiscard]] bool receive_singly(message_batch& to);
  // Counts the message that was received last as dropped.
  void drop_received() noexcept;
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

  subscription_changes unsent_subscriptions_;

private:
  [[nodiscard]] bool take(message& to, peer_id& from);
  void take_some(pipe& p, std::size_t most, message_batch& to);
  void count_received(pipe& p, std::size_t messages);
  void keep_last(pipe& p);
  void announce(pipe& p);

  socket_type type_;
  pattern_habits habits_;
  peer_id received_from_;  // sender of the last message …
  peer_id counted_for_;    // … which the counters of this peer include
  std::size_t attached_ = 0;
};

}  // namespace zmtp
