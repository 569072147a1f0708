#pragma once
// One conversation with one peer: octets in; messages, events and octets out. No I/O: the shell reads
// into prepare(), writes output(), and acts on events.

#include "zmtp/buffer/read_buffer.h"
#include "zmtp/buffer/receive_queue.h"
#include "zmtp/buffer/send_queue.h"
#include "zmtp/buffer/subscription_changes.h"
#include "zmtp/command.h"
#include "zmtp/conversation/heartbeat.h"
#include "zmtp/decoder.h"
#include "zmtp/error.h"
#include "zmtp/frame.h"
#include "zmtp/greeting.h"
#include "zmtp/mechanism/mechanism.h"
#include "zmtp/message.h"
#include "zmtp/metadata.h"
#include "zmtp/options.h"
#include "zmtp/socket_type.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>

namespace zmtp {

// Order of calls, again and again:
//   commit() what was read into prepare();
//   receive_into(queue), then next_event() until there is none, answering each, and receive_into()
//     again after an event, because decoding stops at each so that order is kept;
//   output() and advance() until nothing is left;
//   on_deadline() at next_deadline(), after what waits in the kernel was read: who is judged silent
//     shall have been listened to.
class connection {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using piece = send_queue::piece;
  static constexpr std::size_t max_pieces = 64;

  // The peer has said who it is (peer_type(), peer_metadata()): admit() or refuse().
  struct admission_requested {};
  // Traffic may flow in both directions.
  struct ready {};
  // The peer subscribed or unsubscribed, by command or by message.
  struct subscription {
    bool subscribe;
    std::string topic;
  };
  // The peer lives, for its kernel acknowledges what it is sent, and answers no PING: its application
  // does not read. Once for each silence; the conversation goes on.
  struct not_reading {};
  // The conversation is over: flush what output() still has, then close.
  struct closed {
    error_code reason;
  };
  using event = std::variant<admission_requested, ready, subscription, not_reading, closed>;
  using acknowledgement = heartbeat::acknowledgement;

  // `as_server` is what the greeting says; `limit` and `beat` are kept by reference, and what changes in
  // them holds from then on. `now` starts the time of the handshake.
  connection(socket_type own_type, std::string_view mechanism_name,
             std::unique_ptr<mechanism> handshake, bool as_server, const limits& limit,
             const heartbeat_options& beat, time_point now);

  // Where to read to, no more than `ahead` octets beyond what the message in progress is known to need;
  // empty while nothing may be read: an event or undecoded octets wait, or the conversation is over.
  // Valid until the next call of any member but commit().
  [[nodiscard]] std::span<std::byte> prepare(std::size_t ahead = static_cast<std::size_t>(-1));
  void commit(std::size_t count, time_point now) noexcept;
  // Octets that the message in progress, if it is too large to leave the buffer that all connections
  // share, holds in a block of its own, and will hold in it after prepare(): for who has to answer for
  // memory, before prepare() and after settle(). What waits for room in the queue is in progress no
  // longer.
  [[nodiscard]] std::size_t own_memory() const noexcept {
    return blocked_ ? 0 : buffer_.own_memory();
  }
  [[nodiscard]] std::size_t next_memory() const noexcept {
    return listening() ? buffer_.own_memory(in_one_piece()) : own_memory();
  }
  // Octets of memory that wait for room in the queue; after settle().
  [[nodiscard]] std::size_t blocked_memory() const noexcept {
    return blocked_ ? buffer_.memory_size() : 0;
  }
  // Octets of the peer were read and dropped, because nobody listens any more: it lives.
  void heard(time_point now) noexcept { heartbeat_.on_octets(now); }
  // Decodes into `queue` up to its mark, or to the next event. What is not decoded stays: that is the
  // back-pressure.
  void receive_into(receive_queue& queue);
  [[nodiscard]] std::optional<event> next_event() noexcept;
  // Octets have been read that wait for room in the queue.
  [[nodiscard]] bool blocked() const noexcept { return blocked_; }
  // The peer has sent the beginning of a message, and not all of it.
  [[nodiscard]] bool message_begun() const noexcept {
    const auto undecoded = buffer_.undecoded();
    return traffic() && (decoder_.parts() != 0 ||
                         (!undecoded.empty() && !frame::has(undecoded.front(), frame::command)));
  }
  // A turn is over: keeps the bytes that wait in little more memory than they need.
  void settle() { buffer_.settle(); }
  // Bytes that were moved on their way into messages, until drop_unread(): a small multiple of the bytes
  // that have come.
  [[nodiscard]] std::uint64_t moved() const noexcept { return buffer_.moved(); }
  // Nobody will receive any more: what is not decoded goes.
  void drop_unread() noexcept;

  void admit();
  // ERROR with three digits for refused credentials; no reason closes silently, which alone lets a
  // libzmq peer come back.
  void refuse(error_code reason, std::string_view status = {});
  // Ends the conversation from our side, silently.
  void close(error_code reason) noexcept;

  // Commands of this connection; not kept for the next one. They wait as subscription_changes until output() turns them
  // into bytes.
  void subscribe(std::string_view topic) { changes_.add(true, topic); }
  void cancel(std::string_view topic) { changes_.add(false, topic); }
  // A message of this connection: before what is queued.
  void greet(const message& m);
  // Asks whether the peer still lives: a PING (where the peer knows it), and after two seconds without
  // an octet the verdict of on_deadline(), by TCP alone.
  void probe(time_point now, const acknowledgement& acknowledged);
  // What to write next: commands of the conversation, and once traffic may flow, `queue`.
  [[nodiscard]] std::size_t output(std::span<piece> to, send_queue& queue);
  // The kernel took `count` octets of what output() returned.
  void advance(std::size_t count, send_queue& queue) noexcept;
  // What is kept by reference has changed.
  void options_changed() noexcept {
    if (traffic()) {
      heartbeat_.on_options();
    }
  }
  // Whether something waits to be written.
  [[nodiscard]] bool has_output(const send_queue& queue) const noexcept {
    return control_pending() || pong_due_ || ping_due_ || !changes_.empty() ||
           (traffic() && !queue.empty());
  }

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  void on_deadline(time_point now, const acknowledgement& acknowledged);
  // So long the peer has said nothing: which of those that were accepted may give way while handshakes are
  // too many. Nothing of a peer that has been admitted: our READY tells it to send, and that would be lost.
  [[nodiscard]] std::optional<time_point::duration> silence(time_point now) const noexcept {
    const bool told = state_ != state::greeting && state_ != state::handshake;
    return told ? std::nullopt : std::optional{now - now_};
  }

  [[nodiscard]] bool traffic() const noexcept { return state_ == state::traffic; }
  [[nodiscard]] bool over() const noexcept { return state_ == state::over; }
  // Nothing if the peer did not say.
  [[nodiscard]] std::optional<socket_type> peer_type() const noexcept { return peer_type_; }
  [[nodiscard]] std::string_view peer_routing_id() const noexcept;
  [[nodiscard]] const metadata& peer_metadata() const noexcept {
    return mechanism_->peer_metadata();
  }
  [[nodiscard]] std::uint8_t peer_minor() const noexcept { return peer_minor_; }
  // What the peer's ERROR said.
  [[nodiscard]] std::string_view peer_error() const noexcept {
    return peer_error_.empty() ? mechanism_->error_reason() : peer_error_;
  }
  // The peer's subscriptions and cancellations that were ignored, because their topic is longer than
  // limits::topic_size.
  [[nodiscard]] std::uint64_t refused_subscriptions() const noexcept {
    return refused_subscriptions_;
  }

private:
  enum class state { greeting, handshake, admission, traffic, over };

  [[nodiscard]] bool listening() const noexcept {
    return !over() && !event_ && !blocked_ && state_ != state::admission;
  }
  // The size of the undecoded bytes and of those to come that lie in one piece.
  [[nodiscard]] std::size_t in_one_piece() const noexcept {
    return std::max(decoder_.needed(), buffer_.undecoded().size() + 1);
  }
  // Each returns whether it got any further.
  [[nodiscard]] bool read_greeting();
  [[nodiscard]] bool read_frame(receive_queue& queue);
  void take_message(receive_queue& queue);
  void take_command();
  void on_handshake_command(std::string_view body);
  void on_traffic_command(std::string_view body);
  void on_subscription(bool subscribe, std::string_view topic);
  void on_ping(const command::ping& ping);
  void act(heartbeat::action action);
  void on_progress(mechanism::progress progress);
  [[nodiscard]] error_code judge_peer();
  void end(error_code reason) noexcept;
  void clear_control() noexcept;
  void fill_control();
  [[nodiscard]] bool control_pending() const noexcept { return control_written_ < control_.size(); }
  // A command may not cut a message in two.
  [[nodiscard]] bool control_goes_first(const send_queue& queue) const noexcept {
    return control_pending() && (!traffic() || queue.at_boundary());
  }

  const limits* limit_;
  const heartbeat_options* beat_;
  socket_type own_type_;
  std::string mechanism_name_;
  std::unique_ptr<mechanism> mechanism_;
  state state_ = state::greeting;
  std::optional<event> event_;

  decoder decoder_;
  read_buffer buffer_;
  bool blocked_ = false;
  std::size_t longest_read_;
  unsigned commands_ =
      0;  // of the peer, subscriptions by message too, since the last read was prepared

  // Octets of our own: greeting, handshake, commands. They go between messages. Commands that a peer or the user can
  // cause repeatedly wait in the members below until these octets are written.
  std::string control_;
  std::size_t control_written_ = 0;
  bool pong_due_ = false;
  std::string pong_context_;
  bool ping_due_ = false;
  subscription_changes changes_;

  std::optional<socket_type> peer_type_;
  std::uint8_t peer_minor_ = 0;
  std::string peer_error_;
  std::uint64_t refused_subscriptions_ = 0;

  time_point handshake_deadline_;
  heartbeat heartbeat_;
  bool not_reading_ = false;  // to be told
  time_point ping_second_{};
  time_point now_;
  unsigned pings_ = 0;
};

}  // namespace zmtp
