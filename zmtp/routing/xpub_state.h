#pragma once
// XPUB (RFC 29): publishes as PUB does, receives its peers' subscriptions and whatever else they say,
// and sends to a peer that is named.

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

// A peer's subscriptions stand in its receive queue as messages, in their order with what else it says,
// and count against the mark there: who does not receive stops reading. Whether the user is told of one
// depends on what he has been told of other peers, and is decided when he receives: the queues are read in
// turn, and only so does each topic's end come behind its beginning. For that a second index keeps what
// the user knows.
class xpub_state final : public pub_state {
public:
  static constexpr auto pattern = socket_type::xpub;

  // `seed` makes the hash of topics unpredictable: peers choose them.
  explicit xpub_state(const socket_options& options, std::uint64_t seed = 0);

  void on_subscription(pipe& p, bool subscribe, std::string_view topic) override;
  void on_received(pipe& p) override { socket_state::on_received(p); }
  void on_written(pipe& p) override;
  void on_detached(pipe& p) override;

  [[nodiscard]] bool receive(routed_message& to) override;
  [[nodiscard]] bool receive(message& to) override;

  [[nodiscard]] send_status send(message&& m, if_full then) override;
  using pub_state::send;
  [[nodiscard]] send_status send(peer_id to, message&& m) override;
  using pub_state::writable;
  using socket_state::writable;

  // With xpub_options::manual: what this peer is sent from now on, or no longer. False if there is no
  // such peer.
  [[nodiscard]] bool subscribe(peer_id peer, std::string_view topic);
  [[nodiscard]] bool cancel(peer_id peer, std::string_view topic);

  // Of last values; nothing without them.
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

  subscription_index told_;
  std::optional<last_values> last_values_;
  // By slot: the topics whose last values there was no room for, each with where to go on.
  std::vector<std::map<std::string, std::string, std::less<>>> behind_;
};

}  // namespace zmtp
