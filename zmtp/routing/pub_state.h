#pragma once
// PUB (RFC 29): each message to all peers that subscribed to how it begins. What XPUB does alike.

#include "zmtp/buffer/block.h"
#include "zmtp/routing/socket_state.h"
#include "zmtp/routing/subscription_index.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace zmtp {

// A message is framed once: successive messages for the same peers are gathered into one block, which
// goes to each of their queues when the peers change, when the block or a queue is full, or when the
// turn ends; large ones as they are, small ones copied.
class pub_state : public socket_state {
public:
  static constexpr auto pattern = socket_type::pub;

  // `seed` makes the hash of topics unpredictable: peers choose them.
  explicit pub_state(const socket_options& options, std::uint64_t seed = 0)
      : pub_state{pattern, options, seed} {}

  void on_subscription(pipe& p, bool subscribe, std::string_view topic) override {
    apply(p, subscribe, topic);
  }
  // What a SUB peer sends besides subscriptions is nobody's.
  void on_received(pipe& p) override { discard(p); }
  void on_detached(pipe& p) override;
  void on_written(pipe& p) override;

  // `full` if a peer that wants the message has no room; nobody was sent it then. With if_full::drop the
  // message goes to the others: who has no room misses it, and what follows until it has, which is
  // counted; with socket_options::disconnect_slow it is sent nothing any more and is among overrun().
  // With socket_options::no_drop it stays `full`.
  [[nodiscard]] send_status send(message&& m, if_full then) override;
  using socket_state::send;
  // With no_drop, if no subscriber is full, though it might not want the message.
  [[nodiscard]] bool writable() const noexcept override;
  void end_turn() override { close_group(); }

  // Peers that a message would go to whose first part this is.
  [[nodiscard]] std::size_t subscribers(std::string_view part) const;
  [[nodiscard]] const subscription_index& subscriptions() const noexcept { return index_; }

protected:
  // `announced_as` is what peers see.
  pub_state(socket_type announced_as, const socket_options& options, std::uint64_t seed)
      : socket_state{announced_as, options}, index_{seed} {}

  enum class change {
    made,     // the peer's topics are others now
    none,     // it has the topic already, or does not have it
    refused,  // above a limit, which has been counted
  };
  change apply(pipe& p, bool subscribe, std::string_view topic);
  // Before something else is put into a peer's queue: what was gathered for it comes first.
  void close_group();
  void forget(pipe& p) override;
  [[nodiscard]] subscription_index& index() noexcept { return index_; }

private:
  [[nodiscard]] bool find_peers(std::string_view part);
  [[nodiscard]] bool open_group(if_full then);
  void leave_out(const pipe& p);
  void drop_queue(pipe& p);

  subscription_index index_;

  // The peers that the last message matched; the next one most often matches the same.
  std::vector<subscription_index::topic_id> topics_;
  std::vector<subscription_index::topic_id> topics_before_;
  std::uint64_t version_ = ~std::uint64_t{0};
  std::vector<std::uint32_t> peers_;
  std::vector<std::uint64_t> seen_;  // by slot: the round of find_peers() that found it
  std::uint64_t round_ = 0;

  // The messages gathered for those of peers_ that had room when the group was opened.
  std::vector<std::uint32_t> takers_;
  std::vector<std::uint32_t> missers_;  // those that had none …
  std::vector<std::uint32_t> over_;     // … or what the process allows them, and no more
  std::uint64_t sent_ = 0;              // to the takers, since then
  block_ptr gathered_;
  std::size_t octets_ = 0;
  std::size_t messages_ = 0;
  std::size_t room_messages_ = 0;
  std::size_t room_octets_ = 0;
  bool open_ = false;
};

}  // namespace zmtp
