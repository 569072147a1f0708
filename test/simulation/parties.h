#pragma once
// The users of each pattern.

#include "test/simulation/party.h"
#include "zmtp/routing/lock_step_state.h"
#include "zmtp/routing/pub_state.h"
#include "zmtp/routing/round_robin_state.h"
#include "zmtp/routing/router_state.h"
#include "zmtp/routing/subscriber_state.h"
#include "zmtp/routing/xpub_state.h"

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace zmtp::simulation {

// PUSH, PULL, DEALER and PAIR: sends to any peer with a free queue, receives from all.
class plain_party final : public party {
public:
  // `delimits`: the peers are REP, which need an empty part first.
  plain_party(simulated_network& net, ledger& books, std::uint32_t number,
              std::unique_ptr<socket_state> state, const habits& how, bool delimits);

private:
  [[nodiscard]] bool receive() override;
  [[nodiscard]] bool speak() override;

  bool delimits_;
};

// ROUTER: answers requests, and sends unsolicited messages to peers other than REQ.
class router_party final : public party {
public:
  router_party(simulated_network& net, ledger& books, std::uint32_t number,
               const socket_options& options, const habits& how, bool only_answers);

private:
  struct answer {
    peer_id to;
    parcel request;
    std::vector<std::string> envelope;
  };

  [[nodiscard]] bool receive() override;
  [[nodiscard]] bool speaks() const override { return !answers_.empty() || party::speaks(); }
  [[nodiscard]] bool speak() override;
  void send_to(peer_id peer, std::uint32_t destination, std::uint32_t answers,
               std::span<const std::string_view> envelope);
  [[nodiscard]] router_state& state() { return static_cast<router_state&>(socket().state()); }

  bool only_answers_;
  std::map<peer_id, std::uint32_t> known_;  // party numbers, from their first message
  std::deque<answer> answers_;
};

// REQ: asks, and takes no answer but the one to its last question.
class req_party final : public party {
public:
  req_party(simulated_network& net, ledger& books, std::uint32_t number,
            const socket_options& options, const habits& how);

  [[nodiscard]] std::string_view stuck() const override {
    return asking_ ? "REQ has no answer" : "";
  }

private:
  [[nodiscard]] bool receive() override;
  [[nodiscard]] bool speaks() const override { return (!asking_ || impatient_) && party::speaks(); }
  [[nodiscard]] bool speak() override;
  void ask_again_later();

  bool asking_ = false;
  bool impatient_ = false;  // asks again as soon as it can, unless the answer comes before
};

// REP: answers each request, at once or when it wakes.
class rep_party final : public party {
public:
  rep_party(simulated_network& net, ledger& books, std::uint32_t number,
            const socket_options& options, const habits& how);

private:
  [[nodiscard]] bool receive() override;
  [[nodiscard]] bool speaks() const override { return request_.has_value(); }
  [[nodiscard]] bool speak() override;

  std::optional<parcel> request_;
};

// PUB and XPUB: each message under one of a few topics. XPUB receives the subscriptions and the
// messages of XSUB. In manual mode, it grants its peers the topics of granted().
class pub_party final : public party {
public:
  static constexpr std::string_view topics[] = {"",  "a",  "ab",      "abc",
                                                "b", "ba", "weather", "weather today"};

  pub_party(simulated_network& net, ledger& books, std::uint32_t number,
            std::unique_ptr<socket_state> state, const habits& how);

  void publish_next(std::string_view topic) { next_topic_ = topic; }
  // Returns the topic that a subscriber to `topic` is granted; nothing if the publisher rejects it.
  [[nodiscard]] std::optional<std::string_view> granted(std::string_view topic) const;

private:
  [[nodiscard]] bool receive() override;
  [[nodiscard]] bool speak() override;
  void grant(const routed_message& action);

  bool manual_;
  std::optional<std::string_view> next_topic_;
};

// SUB and XSUB: subscribes to some topics, now and then to others. XSUB sends messages to its
// publishers.
class sub_party final : public party {
public:
  static constexpr std::string_view topics[] = {"", "a", "ab", "abc", "b", "ba", "weather"};

  // `changes`: how often, of a hundred times that it has received all there is.
  sub_party(simulated_network& net, ledger& books, std::uint32_t number,
            std::unique_ptr<socket_state> state, const habits& how, unsigned changes);

  [[nodiscard]] bool wants(std::string_view topic) const;
  // Returns whether messages of this publisher under `topic` must arrive.
  [[nodiscard]] bool is_due(const pub_party& publisher, std::string_view topic) const;
  [[nodiscard]] bool has(std::string_view topic) const { return topics_.contains(topic); }
  void settle_down() noexcept { changes_ = 0; }
  // Every message that has arrived must have been received before.
  void subscribe_to(std::string_view topic);

private:
  [[nodiscard]] bool receive() override;
  [[nodiscard]] bool speak() override;
  [[nodiscard]] bool filters() { return socket().state().type() == socket_type::sub; }
  void change_topics();
  void begin(std::string_view topic);
  void end(std::string_view topic);
  void say(char what, std::string_view topic);

  unsigned changes_;
  std::multiset<std::string, std::less<>> topics_;
  std::set<std::string, std::less<>> ever_;  // all topics that were ever in topics_
};

}  // namespace zmtp::simulation
