#pragma once
// The services that stored requests wait for: whether each one is present, and when it gets more
// requests. Pure.

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

  [[nodiscard]] bool full() const noexcept { return in_flight >= limits.in_flight; }
};

// Services by name. A record has a stable address while it has requests or is being looked up. A
// record without requests is removed when its lookup result expires.
class service_table {
public:
  using time_point = service_record::time_point;

  // The limits must be at least 1. The options must outlive this object.
  explicit service_table(const titanic_options& options) noexcept : options_{options} {}
  service_table(const service_table&) = delete;
  service_table& operator=(const service_table&) = delete;

  [[nodiscard]] service_record& of(std::string_view name);
  // `visit` may cause the removal of the visited record.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (auto next = services_.begin(); next != services_.end();) {
      visit((next++)->second);
    }
  }

  // enter(): a request for the service was accepted. leave(): it has its outcome; look_at() must
  // follow.
  void enter(service_record& one) noexcept {
    ++one.pending;
    ++pending_;
  }
  void leave(service_record& one) noexcept {
    --one.pending;
    --pending_;
  }
  // take_place(): the service gets a request. leave_place(): the service can get another; look_at()
  // must follow.
  void take_place(service_record& one) noexcept {
    ++one.in_flight;
    ++in_flight_;
  }
  void leave_place(service_record& one) noexcept {
    --one.in_flight;
    --in_flight_;
  }

  enum class step {
    nothing,  // the record may have been removed
    look_up,  // next_lookup() names the service to look up
    give,     // assign waiting requests until full() is true
  };
  // `waits` is true if the service can take a request that waits.
  [[nodiscard]] step look_at(service_record& one, time_point now, bool waits);
  // Returns the next service to look up, or null if there is none or too many lookups are running.
  [[nodiscard]] service_record* next_lookup();
  // look_at() and next_lookup() must follow.
  void on_looked_up(service_record& one, bool there, time_point now) noexcept;
  // The service has answered a request (on_reply), or an attempt has failed (on_failure).
  void on_reply(service_record& one, time_point now) noexcept;
  void on_failure(service_record& one, time_point now) noexcept;

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // Returns a service that look_at() must check now, or null.
  [[nodiscard]] service_record* due(time_point now) const noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return services_.size(); }
  [[nodiscard]] std::size_t pending() const noexcept { return pending_; }
  [[nodiscard]] std::size_t in_flight() const noexcept { return in_flight_; }
  // Returns up to `count` services in byte order of their names, from the first name after `after`.
  [[nodiscard]] std::vector<titanic_service_status> status(std::string_view after,
                                                           std::size_t count) const;

private:
  // Orders equal times by name, because the addresses of records differ between runs.
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
