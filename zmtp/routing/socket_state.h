#pragma once
// What all socket types decide alike: who is attached, which pipe has room, which has something to
// read. One class per pattern derives from it. No I/O: the shell tells what happens to connections.

#include "zmtp/buffer/subscription_changes.h"
#include "zmtp/error.h"
#include "zmtp/options.h"
#include "zmtp/routing/peer_info.h"
#include "zmtp/routing/pipe_table.h"
#include "zmtp/routing/routed_message.h"
#include "zmtp/routing/slot_ring.h"
#include "zmtp/socket_type.h"

#include <boost/circular_buffer.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp {

enum class send_status {
  queued,       // the message was taken
  full,         // every peer it could go to is at its high-water mark, or there is none
  unknown,      // no such peer
  out_of_turn,  // REQ with a reply to come, REP without a request
  too_long,     // XSUB: a subscription whose topic is above limits::topic_size
  closed,       // the socket is closed
  bad_message,  // no parts, or too many: see socket_state::sendable()
};

// The error that an awaited send ends with. Nothing for `queued`, and for `full`, which is waited for.
[[nodiscard]] error_code to_error(send_status status) noexcept;

// What a pattern that drops does with a message for a peer that has no room.
enum class if_full {
  say_so,  // nothing is sent, so that the shell can see whether the kernel takes something
  drop,    // drops it for that peer, and counts it
};

// What the user has sent and received and what was lost, by cause.
struct socket_counters {
  std::uint64_t messages_sent = 0;      // queued for a peer
  std::uint64_t messages_received = 0;  // given to the user
  std::uint64_t octets_sent = 0;        // that the kernel took, handshakes and commands included
  std::uint64_t octets_received = 0;
  std::uint64_t dropped_full = 0;           // not queued: the peer's queue was full
  std::uint64_t dropped_over_budget = 0;    // not queued: it had what the process allows each queue
  std::uint64_t dropped_unknown = 0;        // not queued: no such peer
  std::uint64_t dropped_detached = 0;       // queued for a peer that is gone
  std::uint64_t dropped_closed = 0;         // queued when the linger time of the socket was over
  std::uint64_t dropped_unexpected = 0;     // came out of turn, or without its envelope
  std::uint64_t dropped_conflated = 0;      // gave way to a newer one
  std::uint64_t refused_subscriptions = 0;  // above a peer's limit
  std::uint64_t accept_pauses = 0;          // for want of file descriptors or memory
  std::uint64_t not_reading = 0;            // times that a living peer answered no PING
  // Connections that have ended, by errc.
  std::array<std::uint64_t, errc_count> ended{};
};

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
  // Peers that are attached.
  [[nodiscard]] std::size_t attached() const noexcept { return attached_; }
  // Checked by validate_change(). Pipes that are open keep their marks.
  void change_options(const socket_options& options) {
    const auto announces = options_.announce_peers;
    options_ = options;
    options_.announce_peers &= announces;
  }

  // What its queues hold.
  [[nodiscard]] queue_account& account() noexcept { return account_; }
  // Memory is shorter than it was, or not so short any more: each queue may hold so much now. What
  // conflates holds one message for each peer anyway.
  void on_allowance(std::size_t octets);

  // An endpoint to connect to (durable), or a connection whose handshake is over.
  virtual pipe& open_pipe(bool durable);

  // What is to happen before a peer may attach.
  struct verdict {
    error_code refused;            // the newcomer is closed silently
    std::optional<peer_id> probe;  // … and this peer is asked whether it still lives
    std::optional<peer_id> evict;  // this peer gives way: its connection is closed
  };
  // Whether a peer that announces itself so may attach. `id` is the durable pipe that it would attach
  // to, if any.
  [[nodiscard]] virtual verdict on_admission(std::optional<peer_id> id, const peer_info& info);
  // Which pipe a peer attaches to that has come to the endpoint of `last`: that one, with all that was
  // queued. But where the pattern answers peers, and this may be another than was there before, a new one,
  // which the endpoint has from then on, and the last peer is gone.
  [[nodiscard]] pipe& pipe_for(pipe& last, const peer_info& who);
  // The conversation on this pipe is in traffic. `random` is for what has to be made up.
  virtual void on_attached(pipe& p, peer_info info, std::uint32_t random);
  // p.in has grown, and p.blocked and p.rest say what is left to decode.
  virtual void on_received(pipe& p);
  // The peer wants messages that begin so, or no longer.
  virtual void on_subscription(pipe&, bool /*subscribe*/, std::string_view /*topic*/) {}
  // So many subscriptions were above a limit of the connection.
  void on_refused_subscriptions(std::uint64_t count) noexcept {
    counters_.refused_subscriptions += count;
  }
  // The peer lives, and answers no PING: its application does not read.
  void on_not_reading(pipe& p) noexcept {
    ++counters_.not_reading;
    ++p.counters.not_reading;
  }
  // Octets of a connection: of its pipe, or of who may get one.
  void count_read(peer_counters& of, std::size_t octets) noexcept {
    counters_.octets_received += octets;
    of.octets_received += octets;
  }
  void count_written(peer_counters& of, std::size_t octets) noexcept {
    counters_.octets_sent += octets;
    of.octets_sent += octets;
  }
  // The shell must read from a peer before it writes to it, so that the pattern can tell messages that came
  // before a request from the reply.
  [[nodiscard]] bool reads_before_writing() const noexcept { return reads_before_writing_; }
  // Messages that the peer had not taken were dropped for a newer one.
  void on_conflated(std::size_t messages) noexcept { counters_.dropped_conflated += messages; }
  // p.out has shrunk.
  virtual void on_written(pipe& p);
  // The connection is gone. A pipe that is not durable is closed with it.
  virtual void on_detached(pipe& p);
  // The endpoint is disconnected, and its connection gone: what was queued is dropped, and the pipe
  // goes once the user has received what came before.
  virtual void close_pipe(pipe& p);
  // Something that was sent is still queued, for whatever peer.
  [[nodiscard]] bool unwritten() const noexcept;
  // The socket is no more; what is still queued is dropped.
  void on_closed() noexcept;
  // A connection has ended, whether its handshake was over or not.
  void on_ended(error_code reason) noexcept;
  // A listener takes nobody for a while: there are no file descriptors, or there is no memory.
  void on_accepting_paused() noexcept { ++counters_.accept_pauses; }

  // What a peer is to be told that it is subscribed to, as soon as it has attached.
  [[nodiscard]] virtual std::vector<std::string_view> topics() const { return {}; }
  // What each new peer is sent before anything else.
  [[nodiscard]] std::vector<message> greetings() const;
  // Changes of our subscriptions that the attached peers have not been sent yet; the shell empties it before it
  // writes, and before another peer attaches, who is told topics().
  [[nodiscard]] subscription_changes& untold() noexcept { return untold_; }

  // What may wait to be sent together goes into the queues.
  virtual void end_turn() {}
  // There is something to write to this peer.
  void touch(pipe& p);
  // Pipes that something was sent to, in turn; the shell writes them.
  [[nodiscard]] boost::circular_buffer<peer_id>& dirty() noexcept { return dirty_; }
  // Blocked pipes whose undecoded octets have room now, because the user received from them.
  [[nodiscard]] std::vector<peer_id>& drained() noexcept { return drained_; }
  // Peers that were too slow, whose connections the shell is to end (socket_options::disconnect_slow).
  [[nodiscard]] std::vector<peer_id>& overrun() noexcept { return overrun_; }

  // Something has come. That the pattern has no use for it, receive() alone can tell.
  [[nodiscard]] virtual bool readable() const noexcept { return !readable_.empty(); }
  // The next message, fairly from all peers, with who sent it. False if nothing waits; then what is in
  // `to` is of no account.
  [[nodiscard]] virtual bool receive(routed_message& to);
  // The same without the sender, for sockets whose peers are alike.
  [[nodiscard]] virtual bool receive(message& to);
  // Likewise with the sender beside it.
  [[nodiscard]] bool receive_from(routed_message& to);
  // A message that could be sent if its pattern has room: at least one part, and room for an envelope.
  [[nodiscard]] static bool sendable(const message& m) noexcept {
    return !m.empty() && m.part_count() <= message::max_parts - largest_envelope;
  }
  // Sends to whom the pattern says, for sockets that do not name a peer. `m` is moved from only if it
  // was queued (or dropped, where the pattern drops).
  [[nodiscard]] virtual send_status send(message&&, if_full) { return send_status::unknown; }
  [[nodiscard]] send_status send(message&& m) { return send(std::move(m), if_full::say_so); }
  // Sends to this peer, for sockets that name one. `m` is moved from only if queued; nothing is dropped
  // here.
  [[nodiscard]] virtual send_status send(peer_id, message&&) { return send_status::unknown; }
  // What could not be queued for a peer is dropped.
  void count_drop(peer_id to, send_status why) noexcept;
  // A message would be queued.
  [[nodiscard]] virtual bool writable() const noexcept { return false; }
  // A message to this peer would be queued.
  [[nodiscard]] bool writable(peer_id to) const noexcept;
  void pause(pipe& p) noexcept;
  void resume(pipe& p);

  template <class Visit>
  void for_each_pipe(Visit&& visit) const {
    pipes_.for_each(visit);
  }

protected:
  // Parts that REQ and REP may put in front of a message.
  static constexpr std::size_t largest_envelope = 255;

  void queue(pipe& p, message&& m);
  // The same for who is named, if there is such a peer and it has room.
  [[nodiscard]] send_status queue_for(peer_id to, message&& m);
  // The pipe that counts messages received from this peer: its own one, or the one of its endpoint's next
  // peer.
  [[nodiscard]] pipe& counting(pipe& p) const noexcept;
  // The peer has told something, or something is to be told of it.
  void deliver(pipe& p, message&& m);
  // Who is received from next; none if nothing has come.
  [[nodiscard]] const pipe* next_readable() const noexcept {
    return readable_.empty() ? nullptr : &pipes_.at(readable_.current());
  }
  // Attach and detach stand in the queues, as messages without parts.
  void announce_to_pattern() noexcept { announces_ = true; }
  // All that a peer sent is received before anything from who came later, instead of fairly from all.
  void receive_in_order() noexcept { in_order_ = true; }
  void read_before_writing() noexcept { reads_before_writing_ = true; }
  // What was received last is not for the user.
  void drop_received() noexcept;
  // A message is dropped, for the queue of this peer is full.
  void drop_full(pipe& p) noexcept {
    const bool over = !p.out.at_mark() && p.out.over_allowance();
    ++(over ? counters_.dropped_over_budget : counters_.dropped_full);
    ++(over ? p.counters.dropped_over_budget : p.counters.dropped_full);
  }
  // Drops what the peer sent, the first `most` messages: they are not for the user of this pattern.
  void discard(pipe& p, std::size_t most = static_cast<std::size_t>(-1));
  // Whether a message that came is for the user, where that is known before he receives it.
  [[nodiscard]] virtual bool wanted(const message&) const { return true; }
  // Whether messages for this peer may be queued, if there is room.
  [[nodiscard]] bool reachable(const pipe& p) const noexcept {
    return !p.closing && (p.attached || !options_.immediate);
  }
  // Whether a message for this peer may be queued now.
  [[nodiscard]] bool takes(const pipe& p) const noexcept { return reachable(p) && !p.out.full(); }
  virtual void forget(pipe& p);
  // Whether what was queued for the last peer of an endpoint is for this one, too.
  [[nodiscard]] virtual bool succeeds(const peer_info& /*last*/, const peer_info& /*who*/) const {
    return true;
  }

  socket_type type_;
  socket_options options_;
  queue_account account_;
  pipe_table pipes_;
  slot_ring readable_;
  socket_counters counters_;
  subscription_changes untold_;
  std::vector<peer_id> overrun_;

private:
  [[nodiscard]] bool take(message& to, peer_id& from);
  void mark_readable(pipe& p);
  void keep_last(pipe& p);
  void room_again(pipe& p);
  void announce(pipe& p);

  bool announces_;
  bool in_order_ = false;
  bool reads_before_writing_ = false;
  peer_id received_from_;  // the last message …
  peer_id counted_for_;    // … which is in the counters of this peer
  std::size_t attached_ = 0;
  boost::circular_buffer<peer_id> dirty_;
  std::vector<peer_id> drained_;
};

}  // namespace zmtp
