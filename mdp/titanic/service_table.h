#pragma once
// The services that Titanic's requests wait for: whether each is there, and when it is given more. Pure.

#include "mdp/titanic/options.h"
#include "mdp/titanic/titanic_status.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mdp::titanic {

struct service_record {
  using time_point = std::chrono::steady_clock::time_point;

  std::string name;
  service_limits limits;
  std::deque<std::pair<std::uint64_t, std::uint64_t>> waiting;  // number, accepted
  std::size_t pending = 0;                                      // requests without an outcome
  std::size_t in_flight = 0;
  bool looking_up = false;
  time_point present_until{};
  time_point retry_at{};
  std::chrono::milliseconds backoff{0};
  std::optional<time_point> due{};

  [[nodiscard]] bool full() const noexcept { return in_flight >= limits.concurrency; }
};

// A record stays where it is as long as it has requests, or is being looked up; one that has none goes as
// soon as what is known of the service does not count any more.
class service_table {
public:
  using time_point = service_record::time_point;

  // Limits of at least 1; the options must outlive this.
  explicit service_table(const titanic_options& options) noexcept : options_{options} {}
  service_table(const service_table&) = delete;
  service_table& operator=(const service_table&) = delete;

  [[nodiscard]] service_record& of(std::string_view name);
  // `visit` may make its record go.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (auto next = services_.begin(); next != services_.end();) {
      visit((next++)->second);
    }
  }

  // A request for it has come, and has its outcome. look_at() is to follow the latter.
  void enter(service_record& one) noexcept {
    ++one.pending;
    ++pending_;
  }
  void leave(service_record& one) noexcept {
    --one.pending;
    --pending_;
  }
  // It is given a request, and has room for another. look_at() is to follow the latter.
  void take_place(service_record& one) noexcept {
    ++one.in_flight;
    ++in_flight_;
  }
  void leave_place(service_record& one) noexcept {
    --one.in_flight;
    --in_flight_;
  }

  enum class step {
    nothing,  // not now; its record may be gone
    look_up,  // next_lookup() says who may be asked for
    give,     // what waits, as long as it is not full
  };
  // `waits`: it has room for a request that waits.
  [[nodiscard]] step look_at(service_record& one, time_point now, bool waits);
  // The next that is to be looked up, unless as many are as may be at once.
  [[nodiscard]] service_record* next_lookup();
  // look_at() and next_lookup() are to follow.
  void on_looked_up(service_record& one, bool there, time_point now) noexcept;
  // It has answered a request, or an attempt has failed.
  void on_reply(service_record& one, time_point now) noexcept;
  void on_failure(service_record& one, time_point now) noexcept;

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // One that is to be looked at now, if there is any.
  [[nodiscard]] service_record* due(time_point now) const noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return services_.size(); }
  [[nodiscard]] std::size_t pending() const noexcept { return pending_; }
  [[nodiscard]] std::size_t in_flight() const noexcept { return in_flight_; }
  // In the order of their names, octet by octet: up to `count` from the first behind `after`.
  [[nodiscard]] std::vector<titanic_service_status> status(std::string_view after,
                                                           std::size_t count) const;

private:
  // By name what is due at the same time: the order does not depend on where a record lies.
  struct sooner {
    [[nodiscard]] bool operator()(const std::pair<time_point, service_record*>& a,
                                  const std::pair<time_point, service_record*>& b) const noexcept {
      return a.first != b.first ? a.first < b.first : a.second->name < b.second->name;
    }
  };

  void set_due(service_record& one, std::optional<time_point> due);

  const titanic_options& options_;
  std::map<std::string, service_record, std::less<>> services_;
  std::set<std::pair<time_point, service_record*>, sooner> due_;
  std::deque<service_record*> to_be_looked_up_;
  std::size_t lookups_ = 0;
  std::size_t pending_ = 0;
  std::size_t in_flight_ = 0;
};

}  // namespace mdp::titanic
