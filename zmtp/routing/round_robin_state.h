#pragma once
// Sending to peers in turn, to those that have room (RFC 28, RFC 30), or to who has the least to do: what
// DEALER, REQ and PUSH share.

#include "zmtp/routing/socket_state.h"

namespace zmtp {

class round_robin_state : public socket_state {
public:
  pipe& open_pipe(bool durable) override;
  void on_attached(pipe& p, peer_info info, std::uint32_t random) override;
  void on_written(pipe& p) override;
  void on_detached(pipe& p) override;
  void close_pipe(pipe& p) override;

  [[nodiscard]] bool writable() const noexcept override { return !writable_.empty(); }
  // Never discards: full if no peer has room or there is none.
  [[nodiscard]] send_status send(message&& m, if_full) override;
  using socket_state::send;

protected:
  using socket_state::socket_state;
  void forget(pipe& p) override;
  // The peer that the next message goes to. There must be one.
  [[nodiscard]] pipe& next_writable() const noexcept { return pipes_.at(writable_.current()); }

private:
  void turn_to_least_queued() noexcept;
  void prefetch() const noexcept;

  slot_ring writable_;
};

// DEALER: sends in turn, receives fairly from all, changes nothing.
class dealer_state final : public round_robin_state {
public:
  static constexpr auto pattern = socket_type::dealer;

  explicit dealer_state(const socket_options& options) : round_robin_state{pattern, options} {}
};

// PUSH: sends in turn, receives nothing.
class push_state final : public round_robin_state {
public:
  static constexpr auto pattern = socket_type::push;

  explicit push_state(const socket_options& options) : round_robin_state{pattern, options} {}
  // A PULL has nothing to say.
  void on_received(pipe& p) override { discard(p); }
};

// PULL: receives fairly from all, sends nothing.
class pull_state final : public socket_state {
public:
  static constexpr auto pattern = socket_type::pull;

  explicit pull_state(const socket_options& options) : socket_state{pattern, options} {}
};

}  // namespace zmtp
