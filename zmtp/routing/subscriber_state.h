#pragma once
// The decisions of SUB and XSUB (RFC 29).

#include "zmtp/routing/keyed_hash.h"
#include "zmtp/routing/socket_state.h"
#include "zmtp/routing/subscription_index.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp {

// The subscriptions of a socket, and the changes to send to publishers. Counts subscriptions per
// topic. Sends only the first and the last of each topic, which publishers with a set and
// publishers with counters both understand.
class subscriber_state : public socket_state {
public:
  // Returns true if this is the first subscription to the topic. Publishers then receive it.
  virtual bool subscribe(std::string_view topic);
  // Returns true if this was the last subscription to the topic.
  virtual bool unsubscribe(std::string_view topic);
  // Returns the topics in the order of subscription.
  [[nodiscard]] std::vector<std::string_view> topics() const override;

protected:
  subscriber_state(socket_type type, const socket_options& options, std::uint64_t seed,
                   const pattern_habits& habits = {})
      : socket_state{type, options, habits}, actions_{0, hash{keyed_hash{seed}}} {}

private:
  void tell(bool subscribe, std::string_view topic);

  struct hash {
    using is_transparent = void;
    keyed_hash key;
    std::size_t operator()(std::string_view topic) const noexcept { return key(topic); }
  };

  struct action {
    std::size_t count;
    std::uint64_t number;  // position in the order of subscription
  };

  boost::unordered_flat_map<std::string, action, hash, std::equal_to<>> actions_;
  std::uint64_t last_number_ = 0;
};

// SUB: receives messages that match its subscriptions from all publishers.
//
// Also filters locally, because a publisher may send messages that do not match. Stops reading when
// its queue is full, and never drops a message for that.
class sub_state final : public subscriber_state {
public:
  static constexpr auto pattern = socket_type::sub;

  // `seed` makes the hash of topics unpredictable.
  explicit sub_state(const socket_options& options, std::uint64_t seed = 0)
      : subscriber_state{pattern, options, seed, {.sifts = true}}, wanted_{seed} {}

  bool subscribe(std::string_view topic) override;
  bool unsubscribe(std::string_view topic) override;

  [[nodiscard]] bool receive(message& to) override;
  [[nodiscard]] bool receive(routed_message& to) override;
  using socket_state::receive;

private:
  [[nodiscard]] bool wanted(const message& m) const override { return wanted_.matches(m.front()); }
  void sift(message_batch::item&& received, message_batch& to) override;

  subscription_index wanted_;
};

// XSUB: like SUB, but the user sends subscriptions as messages, so that a proxy can forward them.
//
// Receives all messages of publishers, without a filter, because the subscribers behind a proxy
// filter. Stops reading when its queue is full, and never drops a message for that.
class xsub_state final : public subscriber_state {
public:
  static constexpr auto pattern = socket_type::xsub;

  // `seed` makes the hash of topics unpredictable. Behind a proxy, peers choose the topics.
  explicit xsub_state(const socket_options& options, std::uint64_t seed = 0)
      : subscriber_state{pattern, options, seed} {}

  // A message of one part that begins with byte 1 or 0 subscribes to the topic after that byte, or
  // unsubscribes. Returns too_long above limits::topic_size. Any other message goes to every
  // publisher. Returns full if the queue of one is full. Then no publisher gets the message. With
  // if_full::drop, a publisher with a full queue misses it, and the drop is counted.
  [[nodiscard]] send_status send(message&& m, if_full then) override;
  using socket_state::send;
  [[nodiscard]] bool writable() const noexcept override { return true; }
  using socket_state::writable;

private:
  [[nodiscard]] send_status send_to_all(message&& m, if_full then);
};

}  // namespace zmtp
