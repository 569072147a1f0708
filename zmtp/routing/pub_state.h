#pragma once
// PUB (RFC 29): sends each message to all peers with a subscription that matches its first part.
// XPUB shares this code.

#include "zmtp/buffer/block.h"
#include "zmtp/routing/socket_state.h"
#include "zmtp/routing/subscription_index.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace zmtp {

// Frames a message once. Successive messages for the same peers form a group in one block. The
// group ends, and goes into the queues of these peers, when the peers change, when the block or a
// queue is full, or when the turn ends. Queues share a large group and copy a small one.
//
// A group gets the memory that it needs in the queues when it starts. So if there is no memory for
// a message, send() throws and no peer gets the message.
class pub_state : public socket_state {
public:
  static constexpr auto pattern = socket_type::pub;

  // `seed` makes the hash of topics unpredictable, because peers choose the topics.
  explicit pub_state(const socket_options& options, std::uint64_t seed = 0)
      : pub_state{pattern, options, seed} {}

  void on_subscription(pipe& p, bool subscribe, std::string_view topic) override {
    apply(p, subscribe, topic);
  }
  // A SUB peer sends only subscriptions. Other messages are dropped.
  void on_received(pipe& p) override { discard(p); }
  void on_detached(pipe& p) override;
  void on_written(pipe& p) override;
  void close_pipe(pipe& p) override;

  // Returns full if the queue of a matching peer is full. Then no peer gets the message. With
  // if_full::drop, the other peers get the message. A peer with a full queue misses this message
  // and the next ones until its queue has space, and the drops are counted. With
  // socket_options::disconnect_slow, such a peer gets nothing more and is added to too_slow(). With
  // socket_options::no_drop, the result remains full.
  [[nodiscard]] send_status send(message&& m, if_full then) override;
  // Successive messages of the batch for the same peers go into their queues as one run, which the
  // queues share.
  [[nodiscard]] send_status send(message_batch& from, if_full then) override;
  using socket_state::send;
  // With no_drop, returns whether no subscriber's queue is full, whatever topics it has.
  [[nodiscard]] bool writable() const noexcept override;
  void end_turn() override { close_group(); }

  // Returns the number of peers that would receive a message with this first part.
  [[nodiscard]] std::size_t subscribers(std::string_view part) const;
  [[nodiscard]] const subscription_index& subscriptions() const noexcept { return index_; }

protected:
  // `announced_as` is the type that peers see.
  pub_state(socket_type announced_as, const socket_options& options, std::uint64_t seed,
            const pattern_habits& habits = {})
      : socket_state{announced_as, options, habits}, index_{seed} {}

  enum class change {
    made,     // the topics of the peer have changed
    none,     // nothing to change: already subscribed, or not subscribed
    refused,  // over a limit, and counted
  };
  change apply(pipe& p, bool subscribe, std::string_view topic);
  // Call before another message goes into a peer's queue, so that the group comes first.
  void close_group();
  void forget(pipe& p) override;
  [[nodiscard]] subscription_index& index() noexcept { return index_; }

private:
  [[nodiscard]] bool find_peers(std::string_view part);
  [[nodiscard]] bool open_group(if_full then);
  void leave_out(const pipe& p);
  void count_group(std::size_t messages) noexcept;
  void drop_queue(pipe& p);

  subscription_index index_;

  // The peers that the last message matched. The next message usually matches the same peers.
  std::vector<subscription_index::topic_id> topics_;
  std::vector<subscription_index::topic_id> topics_before_;
  static constexpr auto no_version = ~std::uint64_t{0};
  std::uint64_t version_ = no_version;  // version of index_ that peers_ is for
  std::vector<std::uint32_t> peers_;
  std::vector<std::uint64_t> seen_;  // by slot: the round of find_peers() that found the peer
  std::uint64_t round_ = 0;          // counts the changes of peers_

  // Peers of the current group: those of peers_ whose queues had space when the group started.
  std::vector<std::uint32_t> takers_;
  std::vector<std::uint32_t> missers_;  // matching peers whose queue was full …
  std::vector<std::uint32_t> over_;     // … by the memory quota alone
  std::uint64_t sent_ = 0;              // messages to takers_ in this group
  block_ptr gathered_;
  std::size_t bytes_ = 0;
  std::size_t messages_ = 0;
  std::size_t room_messages_ = 0;
  std::size_t room_bytes_ = 0;
  std::uint64_t group_round_ = 0;  // round_ when the group started
  bool open_ = false;
};

}  // namespace zmtp
