#pragma once
// The decisions of the sockets that talk to one peer at a time: REQ, REP (RFC 28) and PAIR (RFC
// 31).

#include "zmtp/routing/round_robin_state.h"
#include "zmtp/routing/socket_state.h"

#include <cstdint>
#include <optional>

namespace zmtp {

// REQ: one request, then its reply from the same peer.
//
// Strict by default. With socket_options::relaxed, a new request may follow an unanswered one,
// whose reply is then dropped. With socket_options::correlate, each request has a number before its
// delimiter. The reply must repeat the number, as REP and ROUTER peers do without configuration.
class req_state final : public round_robin_state {
public:
  static constexpr auto pattern = socket_type::req;

  // The numbers of requests begin after `seed`, which must be random: a peer may still have a reply
  // to an earlier process.
  explicit req_state(const socket_options& options, std::uint64_t seed = 0)
      : round_robin_state{pattern, options, {.reads_first = true}},
        number_{static_cast<std::uint32_t>(seed)} {}

  // Returns out_of_turn while a reply is pending, unless relaxed. Drops and counts messages that
  // arrived before the request.
  [[nodiscard]] send_status send(message&& m, if_full then) override;
  [[nodiscard]] send_status send(message_batch& from, if_full then) override {
    return socket_state::send(from, then);
  }
  using socket_state::send;
  // Returns only the reply to the request in flight, and drops and counts other messages. A reply
  // comes from the peer of the request. None of its bytes were read before the whole request was
  // written.
  [[nodiscard]] bool receive(message& to) override;
  [[nodiscard]] bool receive(message_batch& to) override { return receive_singly(to); }
  void on_received(pipe& p) override;
  void on_detached(pipe& p) override;
  [[nodiscard]] bool writable() const noexcept override {
    return (!asked_ || options_.relaxed) && round_robin_state::writable();
  }
  [[nodiscard]] bool awaiting_reply() const noexcept { return asked_.has_value(); }

private:
  [[nodiscard]] bool is_reply(message& m) const;
  void drop_waiting();

  std::optional<peer_id> asked_;
  unread early_ = unread::nothing;  // pipe::rest of that peer when the request was written
  std::uint32_t number_;            // number of the last request
};

// REP: one request, then its reply to the same peer.
//
// Stores the envelope of a request, including its empty delimiter, and puts it in front of the
// reply. Drops and counts a message without a delimiter, or without a part after it. A reply goes
// only to the peer that sent the request. A peer that reconnects without the same routing id is a
// different peer.
class rep_state final : public socket_state {
public:
  static constexpr auto pattern = socket_type::rep;

  explicit rep_state(const socket_options& options) : socket_state{pattern, options} {}

  // Returns false while a request waits for its reply.
  [[nodiscard]] bool receive(message& to) override;
  [[nodiscard]] bool receive(message_batch& to) override { return receive_singly(to); }
  [[nodiscard]] bool readable() const noexcept override {
    return !asked_by_ && socket_state::readable();
  }
  // Never waits. Drops and counts a reply if its peer has disconnected or its queue is full.
  // Returns out_of_turn if there is no request.
  [[nodiscard]] send_status send(message&& m, if_full then) override;
  using socket_state::send;
  [[nodiscard]] bool writable() const noexcept override { return asked_by_.has_value(); }

private:
  [[nodiscard]] bool succeeds(const peer_info& last, const peer_info& who) const override {
    return !who.routing_id.empty() && who.routing_id == last.routing_id;
  }
  [[nodiscard]] bool take_envelope(message& m);

  std::optional<peer_id> asked_by_;
  message envelope_;
};

// PAIR: one peer, in both directions.
//
// The first peer gets the slot: the first endpoint that the socket connects to, even without a
// connection, or the first accepted connection. While it has the slot, all other peers are
// rejected. The user receives all its messages before the first message of the next peer, even if
// the next peer is the same program after a reconnect.
class pair_state final : public socket_state {
public:
  static constexpr auto pattern = socket_type::pair;

  explicit pair_state(const socket_options& options)
      : socket_state{pattern, options, {.in_order = true}} {}

  pipe& open_pipe(bool durable) override;
  [[nodiscard]] verdict on_admission(std::optional<peer_id> id, const peer_info& info) override;
  void on_attached(pipe& p, peer_info info, std::uint32_t random) override;
  void close_pipe(pipe& p) override;

  // Never drops a message. Returns full if the peer's queue is full or there is no peer.
  [[nodiscard]] send_status send(message&& m, if_full then) override;
  [[nodiscard]] send_status send(message_batch& from, if_full then) override;
  using socket_state::send;
  [[nodiscard]] bool writable() const noexcept override;
  using socket_state::writable;

private:
  std::optional<peer_id> peer_;
};

}  // namespace zmtp
