#pragma once
// One conversation with one peer: bytes in; messages, events and bytes out. No I/O: the shell reads
// into prepare(), writes output(), and handles events.

#include "zmtp/buffer/receive_queue.h"
#include "zmtp/buffer/send_queue.h"
#include "zmtp/command.h"
#include "zmtp/conversation/control_output.h"
#include "zmtp/conversation/frame_reader.h"
#include "zmtp/conversation/framed_output.h"
#include "zmtp/conversation/handshake.h"
#include "zmtp/conversation/heartbeat.h"
#include "zmtp/error.h"
#include "zmtp/mechanism/mechanism.h"
#include "zmtp/message.h"
#include "zmtp/metadata.h"
#include "zmtp/options.h"
#include "zmtp/socket_type.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>

namespace zmtp {

// Order of calls, repeated:
// 1. commit() after a read into prepare().
// 2. receive_into(queue), then next_event() until it returns nothing. Handle each event, and call
//    receive_into() again after it. Decoding stops at each event, so that the order is kept.
// 3. output() and advance() until nothing is left.
// 4. on_deadline() at next_deadline(). Read everything that the kernel has received first, because
//    those bytes prove that the peer is alive.
class conversation {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using piece = send_queue::piece;
  static constexpr std::size_t max_pieces = 64;

  // The peer has shown its credentials: shown(). Call authenticated() or refuse(), now or later.
  struct authentication_requested {};
  // The peer has identified itself: peer_type(), peer_metadata(). Call admit() or refuse().
  struct admission_requested {};
  // Traffic may flow in both directions.
  struct ready {};
  // The peer subscribed or unsubscribed, by command or by message.
  struct subscription {
    bool subscribe;
    std::string topic;
  };
  // The peer's kernel acknowledges data, but its application does not answer a PING. Reported once
  // per period without data. The conversation continues.
  struct not_reading {};
  // The conversation is over. Write the rest of output(), then close.
  struct closed {
    error_code reason;
  };
  using event = std::variant<authentication_requested, admission_requested, ready, subscription,
                             not_reading, closed>;
  using acknowledgement = heartbeat::acknowledgement;

  // Keeps references to `limit` and `beat`; changes of their values apply immediately. The deadline
  // of the handshake counts from `now`.
  conversation(socket_type own_type, std::unique_ptr<mechanism> security, const limits& limit,
               const heartbeat_options& beat, time_point now);

  // Returns space for a read. Its size is at most `ahead` bytes more than the message in progress
  // is known to need. Empty if reading must pause: an event or undecoded bytes are pending, or the
  // conversation is over. Valid until the next call of any member except commit().
  [[nodiscard]] std::span<std::byte> prepare(std::size_t ahead = static_cast<std::size_t>(-1)) {
    return listening() ? reader_.prepare(ahead) : std::span<std::byte>{};
  }
  void commit(std::size_t count, time_point now) noexcept {
    reader_.commit(count);
    now_ = now;
    heartbeat_.on_bytes(now);
  }
  // Bytes of the block that the message in progress owns, now and after prepare(). 0 if the message
  // fits into the shared buffer. The memory budget uses these before prepare() and after settle().
  // A message that waits for space in the queue is no longer in progress.
  [[nodiscard]] std::size_t own_memory() const noexcept {
    return blocked_ ? 0 : reader_.own_memory();
  }
  [[nodiscard]] std::size_t next_memory() const noexcept {
    return listening() ? reader_.next_memory() : own_memory();
  }
  // Bytes of memory that wait for space in the queue, or framed for the kernel. Valid after
  // settle().
  [[nodiscard]] std::size_t waiting_memory() const noexcept {
    return (blocked_ ? reader_.memory_size() : 0) + (framed_ ? framed_->memory() : 0);
  }
  // Returns whether a framing maps the frames of this connection.
  [[nodiscard]] bool has_framing() const noexcept { return framed_ != nullptr; }
  // Call when bytes of the peer were read and dropped during a graceful close. They prove that the
  // peer is alive.
  void received(time_point now) noexcept { heartbeat_.on_bytes(now); }
  // Decodes into `queue` up to its mark, or up to the next event. The remaining bytes stay
  // undecoded, which causes back-pressure.
  void receive_into(receive_queue& queue);
  [[nodiscard]] std::optional<event> next_event() noexcept;
  // Returns whether undecoded bytes wait for space in the queue.
  [[nodiscard]] bool blocked() const noexcept { return blocked_; }
  // Returns whether the peer has sent a partial message.
  [[nodiscard]] bool message_begun() const noexcept { return traffic() && reader_.message_begun(); }
  // Call at the end of a turn. Moves pending bytes into memory not much larger than they are.
  void settle() { reader_.compact(); }
  // Bytes that were moved while messages were assembled, up to drop_unread(). A small multiple of
  // the received bytes.
  [[nodiscard]] std::uint64_t moved() const noexcept { return reader_.moved(); }
  // Drops all undecoded bytes, because the user will not receive any more.
  void drop_unread() noexcept {
    reader_.drop();
    blocked_ = false;
  }

  void authenticated();
  void admit();
  // Rejects the peer. For rejected credentials, `status` has three digits and the peer receives
  // ERROR. An empty `status` closes without ERROR. Only then does a libzmq peer reconnect.
  void refuse(error_code reason, std::string_view status = {});
  // Ends the conversation from the local side, without ERROR.
  void close(error_code reason) noexcept;

  // Commands of this connection. The next connection does not inherit them. They wait as
  // subscription_changes until output() encodes them.
  void subscribe(std::string_view topic) { control_.change(true, topic); }
  void cancel(std::string_view topic) { control_.change(false, topic); }
  // Queues a message for this connection, before the messages of the send queue.
  void greet(const message& m) { control_.greet(m); }
  // Tests whether the peer is alive: sends a PING if the peer knows it. If no byte arrives within
  // two seconds, on_deadline() decides by TCP acknowledgements alone.
  void probe(time_point now, const acknowledgement& acknowledged);
  // Fills `to` with the pieces to write next: commands of the conversation, and after the handshake
  // messages of `queue`. Returns their number.
  [[nodiscard]] std::size_t output(std::span<piece> to, send_queue& queue);
  // Call when the kernel has taken `count` bytes of output().
  void advance(std::size_t count, send_queue& queue) noexcept;
  // Call after a change of the values that are kept by reference.
  void options_changed() noexcept {
    if (traffic()) {
      heartbeat_.on_options();
    }
  }
  // Returns whether anything is pending to be written.
  [[nodiscard]] bool has_output(const send_queue& queue) const noexcept {
    return control_.pending() || control_.due() || (traffic() && !queue.empty()) ||
           (framed_ && framed_->pending());
  }

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  void on_deadline(time_point now, const acknowledgement& acknowledged);
  // Returns how long the peer has sent nothing, while the handshake waits for it or for its
  // authentication. The listener uses this to evict a handshake when all slots are taken. Returns
  // nothing from the admission on: then the peer may send, and its messages would be lost.
  [[nodiscard]] std::optional<time_point::duration> silence(time_point now) const noexcept {
    const bool waits = state_ == state::handshake && handshake_.at() != handshake::stage::admission;
    return waits ? std::optional{now - now_} : std::nullopt;
  }

  [[nodiscard]] bool traffic() const noexcept { return state_ == state::traffic; }
  [[nodiscard]] bool over() const noexcept { return state_ == state::over; }
  // Returns whether prepare() has space. Reading pauses while the local side decides about the
  // peer, except for one read during authentication, which notices a peer that has gone.
  [[nodiscard]] bool listening() const noexcept {
    return !over() && !event_ && !blocked_ && (!deciding() || awaits_end());
  }
  // Releases what the handshake knows about the peer, once `ready` has been handled. Then the peer
  // has no metadata, no credentials and no mechanism.
  void forget_handshake() noexcept { handshake_.forget(); }
  // Empty if the peer has not sent a Socket-Type.
  [[nodiscard]] std::optional<socket_type> peer_type() const noexcept {
    return handshake_.peer_type();
  }
  [[nodiscard]] std::string_view peer_routing_id() const noexcept {
    return handshake_.peer_routing_id();
  }
  [[nodiscard]] const metadata& peer_metadata() const noexcept {
    return handshake_.peer_metadata();
  }
  [[nodiscard]] std::uint8_t peer_minor() const noexcept { return handshake_.peer_minor(); }
  [[nodiscard]] std::string_view mechanism_name() const noexcept {
    return handshake_.mechanism_name();
  }
  [[nodiscard]] credentials shown() const { return handshake_.shown(); }
  // Returns the reason in the peer's ERROR.
  [[nodiscard]] std::string_view peer_error() const noexcept {
    return peer_error_.empty() ? handshake_.peer_error() : peer_error_;
  }
  // Returns the number of the peer's subscriptions and cancellations that were ignored, because
  // their topic is longer than limits::topic_size.
  [[nodiscard]] std::uint64_t refused_subscriptions() const noexcept {
    return refused_subscriptions_;
  }

private:
  enum class state { handshake, traffic, over };

  // Returns whether the local side decides about the peer.
  [[nodiscard]] bool deciding() const noexcept {
    return state_ == state::handshake && handshake_.deciding();
  }
  [[nodiscard]] bool awaits_end() const noexcept {
    return handshake_.at() == handshake::stage::authentication && reader_.empty();
  }

  // Each returns whether it made progress.
  [[nodiscard]] bool read_greeting();
  [[nodiscard]] bool read_frame(receive_queue& queue);
  [[nodiscard]] frame::cut most_messages(const receive_queue& queue) const noexcept;
  void take_messages(receive_queue& queue);
  void take_command();
  void on_stage(result<handshake::stage> reached);
  void start_framing();
  void on_command(const command::traffic& c);
  void on_subscription(bool subscribe, std::string_view topic);
  void act(heartbeat::action action);
  void end(error_code reason) noexcept;
  // A command must not split a message.
  [[nodiscard]] bool control_goes_first(const send_queue& queue) const noexcept {
    return control_.pending() && (!traffic() || queue.at_boundary());
  }

  const limits* limit_;
  const heartbeat_options* beat_;
  socket_type own_type_;
  state state_ = state::handshake;
  std::optional<event> event_;

  frame_reader reader_;
  bool blocked_ = false;
  bool not_reading_ = false;  // an event to report

  control_output control_;
  std::unique_ptr<framed_output> framed_;  // null without a framing
  handshake handshake_;
  heartbeat heartbeat_;
  std::string peer_error_;
  std::uint64_t refused_subscriptions_ = 0;
  time_point now_;
};

}  // namespace zmtp
