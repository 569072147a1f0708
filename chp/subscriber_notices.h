#pragma once
// The notices of a server to those of its subscribers that are Zinc's: the outcomes of their
// updates, and whether the server is degraded. Pure.

#include "chp/announcement.h"
#include "chp/answers.h"
#include "chp/log_actions.h"
#include "chp/server_actions.h"
#include "chp/sessions.h"
#include "zmtp/peer.h"

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace chp {

// A client takes its first message as the sign that its subscriptions hold, so the notices of a
// connection begin with its subscription to HUGZ, the last one of a client of Zinc.
//
// A session gets its outcomes on the connection on which it subscribes, at most every half
// millisecond. An outcome without a connection is dropped: the client asks again when it has
// subscribed.
//
// A client of an earlier version of Zinc gets an acknowledgement: a counter up to which its updates
// have an outcome, and which of them were refused. The log has the updates of a session in order,
// so the last outcome is enough.
class subscriber_notices {
public:
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::microseconds interval{500};

  void attach(zmtp::peer_id peer, const announcement& announced) {
    peers_[peer] = record{.announced = announced};
  }
  void detach(zmtp::peer_id peer);
  [[nodiscard]] std::size_t size() const noexcept { return peers_.size(); }

  void note(const answer& of);
  // The peer has subscribed to HUGZ. A session that subscribes again leaves its earlier connection.
  // `known` has the refusals that an earlier version of the client must get.
  void subscribe(zmtp::peer_id peer, const sessions& known);
  // Appends a HUGZ for the peer.
  void greet(zmtp::peer_id peer, bool degraded, std::vector<server_actions::addressed>& out) const;
  // The next tell() tells every subscribed client of Zinc whether the server is degraded. Otherwise
  // it sends only changes.
  void begin_reign() noexcept { announced_degraded_.reset(); }
  // Appends the notices that are due.
  void tell(bool degraded, time_point now, std::vector<server_actions::addressed>& out);
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept { return due_; }

  // The clients of an earlier version.
  [[nodiscard]] const std::vector<zmtp::peer_id>& earlier() const noexcept { return earlier_; }
  // Returns whether all subscribers are clients of Zinc.
  [[nodiscard]] bool are_all_zincs() const noexcept;
  // All clients of Zinc.
  template <class Visit>
  void for_each_zinc_client(Visit&& visit) const {
    for (const auto& [peer, r] : peers_) {
      if (r.announced.acks) {
        visit(peer);
      }
    }
  }

private:
  struct record {
    announcement announced;
    bool subscribed = false;
    bool pending = false;
    time_point last_sent_at{};
    bool is_unknown = false;
    std::vector<answer_range> answers{};
    // For a client of an earlier version:
    std::uint64_t counter = 0;
    boost::container::small_vector<refusal, 1> refused{};
    std::uint64_t unsure = 0;
  };

  static void add(record& to, const answer& of);
  static void add_refusal(record& to, std::uint64_t counter, errc why);
  void announce(bool degraded, std::vector<server_actions::addressed>& out);
  void write(zmtp::peer_id peer, record& r, bool degraded,
             std::vector<server_actions::addressed>& out);

  std::unordered_map<zmtp::peer_id, record> peers_;
  // In the order of their subscriptions to HUGZ. That of a connection that its client has given up
  // can come after that of the next one.
  boost::unordered_flat_map<std::uint64_t, boost::container::small_vector<zmtp::peer_id, 1>>
      by_session_;
  std::vector<zmtp::peer_id> pending_;
  std::vector<zmtp::peer_id> earlier_;
  std::optional<time_point> due_;
  std::optional<bool> announced_degraded_ = false;
  std::string properties_;  // a member, so that its memory is reused
};

}  // namespace chp
