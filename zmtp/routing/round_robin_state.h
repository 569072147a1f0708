#pragma once
// The decisions of DEALER (RFC 28), PUSH and PULL (RFC 30).

#include "zmtp/routing/socket_state.h"

namespace zmtp {

// Sends to ready peers in turn, or to the peer with the fewest queued messages. DEALER, REQ and
// PUSH share this code.
class round_robin_state : public socket_state {
public:
  pipe& open_pipe(bool durable) override;
  void on_attached(pipe& p, peer_info info, std::uint32_t random) override;
  void on_written(pipe& p) override;
  void on_detached(pipe& p) override;
  void close_pipe(pipe& p) override;

  [[nodiscard]] bool writable() const noexcept override { return !writable_.empty(); }
  // Never drops a message. Returns full if every queue is full or there is no peer.
  [[nodiscard]] send_status send(message&& m, if_full) override;
  [[nodiscard]] send_status send(message_batch& from, if_full then) override;
  using socket_state::send;

protected:
  using socket_state::socket_state;
  void forget(pipe& p) override;
  // The peer that gets the next message. There must be one.
  [[nodiscard]] pipe& next_writable() const noexcept { return pipes_.at(writable_.current()); }

private:
  void send_shares(message_batch& from);
  [[nodiscard]] pipe& select() noexcept;
  void pass_on_from(const pipe& p) noexcept;
  void turn_to_least_queued() noexcept;
  void prefetch() const noexcept;

  slot_ring writable_;
};

// DEALER: sends to peers in turn, receives fairly from all peers, and does not change messages.
class dealer_state final : public round_robin_state {
public:
  static constexpr auto pattern = socket_type::dealer;

  explicit dealer_state(const socket_options& options) : round_robin_state{pattern, options} {}
};

// PUSH: sends to peers in turn and receives nothing.
class push_state final : public round_robin_state {
public:
  static constexpr auto pattern = socket_type::push;

  explicit push_state(const socket_options& options) : round_robin_state{pattern, options} {}
  // A PULL peer does not send messages.
  void on_received(pipe& p) override { discard(p); }
};

// PULL: receives fairly from all peers and sends nothing.
class pull_state final : public socket_state {
public:
  static constexpr auto pattern = socket_type::pull;

  explicit pull_state(const socket_options& options) : socket_state{pattern, options} {}
};

}  // namespace zmtp
