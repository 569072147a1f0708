#pragma once
// XPUB (RFC 29): publishes as PUB does, receives the subscriptions and other messages of its peers,
// and sends to a named peer.

#include "zmtp/routing/last_values.h"
#include "zmtp/routing/pub_state.h"
#include "zmtp/routing/subscription_index.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp {

// A peer's subscriptions are messages in its receive queue, in order with its other messages. They
// count for the mark, so the socket stops reading if the user does not receive.
//
// Whether the user receives a subscription depends on the subscriptions of other peers that the
// user has already received. The decision is made at that time, because the queues are read in
// turn. Only then does the end of each topic follow its start. A second index contains the
// subscriptions that the user knows.
class xpub_state final : public pub_state {
public:
  static constexpr auto pattern = socket_type::xpub;

  // `seed` makes the hash of topics unpredictable, because peers choose the topics.
  explicit xpub_state(const socket_options& options, std::uint64_t seed = 0);

  void on_subscription(pipe& p, bool subscribe, std::string_view topic) override;
  void on_received(pipe& p) override { socket_state::on_received(p); }
  void on_written(pipe& p) override;
  void on_detached(pipe& p) override;

  [[nodiscard]] bool receive(routed_message& to) override;
  [[nodiscard]] bool receive(message& to) override;
  [[nodiscard]] bool receive(message_batch& to) override;

  [[nodiscard]] send_status send(message&& m, if_full then) override;
  [[nodiscard]] send_status send(message_batch& from, if_full then) override;
  using pub_state::send;
  [[nodiscard]] send_status send(peer_id to, message&& m) override;
  [[nodiscard]] send_status send_to(message_batch& from) override;
  using pub_state::writable;
  using socket_state::writable;

  // With xpub_options::manual: subscribes this peer to a topic, or ends the subscription. Returns
  // false if there is no such peer.
  [[nodiscard]] bool subscribe(peer_id peer, std::string_view topic);
  [[nodiscard]] bool cancel(peer_id peer, std::string_view topic);

  // Returns the stored last values, or nullptr without xpub_options::last_values.
  [[nodiscard]] const last_values* kept() const noexcept {
    return last_values_ ? &*last_values_ : nullptr;
  }

private:
  [[nodiscard]] bool tells_all(bool subscribe) const noexcept;
  [[nodiscard]] bool is_news(peer_id from, std::string_view part);
  [[nodiscard]] bool withdraw(const pipe& p, message& to);
  [[nodiscard]] pipe* subscriber(peer_id id) const noexcept;
  void follow_options();
  void begin_catching_up(pipe& p, std::string_view topic);
  void stop_catching_up(const pipe& p, std::string_view topic);
  void catch_up(pipe& p);

  subscription_index notified_;
  std::optional<last_values> last_values_;
  // By slot: topics whose last values did not fit into the queue, each with the topic at which to
  // continue.
  std::vector<std::map<std::string, std::string, std::less<>>> behind_;
};

}  // namespace zmtp
