#pragma once
// The broker's memory of requests with an idempotency key. A repeat gets the outcome of the first
// attempt. Pure.

#include "mdp/command.h"
#include "mdp/options.h"
#include "mdp/request_error.h"
#include "zmtp/message.h"

#include <boost/intrusive/list.hpp>

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mdp {

struct request;

// A request. A key belongs to one service: the same key for another service is another request.
struct keyed_request {
  enum class state : std::uint8_t {
    in_progress,
    answered,  // the reply is in `parts`
    failed,    // there is no reply: see `fault` and `result`
  };
  using time_point = std::chrono::steady_clock::time_point;

  state is = state::in_progress;
  request* running = nullptr;        // null unless in progress
  std::uint32_t latest_attempt = 0;  // the highest number received
  std::vector<zmtp::message> parts;  // bodies of the PARTIALs and of the final reply
  std::size_t frames = 0;            // number of frames in `parts`
  bool too_large = false;            // `parts` exceeded the limit and were dropped
  request_fault fault{};
  request_outcome result{};

  // Used by keyed_requests only.
  std::size_t bytes = 0;  // charged
  time_point entered_at;
  time_point ended_at;
  const request_key* key = nullptr;
  std::string_view service;
  boost::intrusive::list_member_hook<> by_end;
};

class keyed_requests {
public:
  using time_point = keyed_request::time_point;

  // `reply_limit` bounds the stored parts of one reply.
  keyed_requests(const outcome_quota& limit, const gathering_quota& reply_limit) noexcept
      : limit_{limit}, reply_limit_{reply_limit} {}

  // Sets the time for the calls that follow. `now` never decreases.
  void set_time(time_point now) noexcept { now_ = now; }

  // Returns null if the key is not known.
  [[nodiscard]] keyed_request* find(const request_key& key, std::string_view service) noexcept;
  // Adds a request in progress. The key must not be known.
  keyed_request& enter(const keyed_attempt& first, std::string_view service, request& running);

  // The request must be in progress in all of these calls. answer(), fail() and withdraw() end it,
  // and may forget it immediately if the limits are small.
  void add_part(keyed_request& one, const zmtp::message& part);
  // The request goes to another worker, which answers from the beginning.
  void restart(keyed_request& one) noexcept;
  void answer(keyed_request& one, const zmtp::message& last);
  void fail(keyed_request& one, request_fault fault, request_outcome result);
  // No worker got the request. A repeat may start it as a new request.
  void withdraw(keyed_request& one) noexcept;

  // Returns how far back the memory is complete: a request that was entered within this time and
  // has ended is known.
  [[nodiscard]] std::chrono::milliseconds memory() const noexcept;

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // Forgets requests that ended longer ago than the limit.
  void expire();

  [[nodiscard]] std::size_t size() const noexcept { return known_.size(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

private:
  struct id {
    request_key key;
    std::string service;
  };
  struct id_view {
    const request_key& key;
    std::string_view service;
  };
  struct order {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const noexcept {
      return a.key != b.key ? a.key < b.key
                            : std::string_view{a.service} < std::string_view{b.service};
    }
  };

  void end(keyed_request& one, keyed_request::state as);
  void charge(keyed_request& one, std::size_t bytes) noexcept;
  void drop_parts(keyed_request& one) noexcept;
  [[nodiscard]] bool make_room(const keyed_request& one, const zmtp::message& part) noexcept;
  // Forgets the oldest outcomes until `bytes` more fit the limits.
  void forget_down_to(std::size_t bytes) noexcept;
  void forget(keyed_request& one) noexcept;
  void erase(keyed_request& one) noexcept;

  const outcome_quota limit_;
  const gathering_quota reply_limit_;
  time_point now_;
  // An ordered map, because clients choose the keys and could make a hash table slow.
  std::map<id, keyed_request, order> known_;
  // The oldest first. Declared after the map, because the list must be destroyed before its
  // elements.
  boost::intrusive::list<keyed_request, boost::intrusive::member_hook<
                                            keyed_request, boost::intrusive::list_member_hook<>,
                                            &keyed_request::by_end>>
      ended_;
  std::size_t bytes_ = 0;
  std::optional<time_point> last_forgotten_;  // entry time of the latest request that was forgotten
};

}  // namespace mdp
