#include "mdp/titanic/service_table.h"

#include <algorithm>

namespace mdp::titanic {

namespace {

using namespace std::chrono_literals;

// Each lookup uses a connection to the broker.
constexpr std::size_t max_lookups = 16;

}  // namespace

service_record& service_table::of(std::string_view name) {
  const auto known = services_.find(name);
  if (known != services_.end()) {
    return known->second;
  }
  const auto own = options_.services.find(name);
  auto& added = services_[std::string{name}];
  added.name = name;
  added.limits = own == options_.services.end() ? options_.service : own->second;
  return added;
}

service_table::step service_table::look_at(service_record& one, time_point now, bool waits) {
  set_due(one, std::nullopt);
  if (one.looking_up) {
    return step::nothing;
  }
  if (one.pending == 0 && one.in_flight == 0) {
    // Keeps the record while the result of the lookup is valid.
    if (now < one.present_until) {
      set_due(one, one.present_until);
    } else if (now < one.retry_at) {
      set_due(one, one.retry_at);
    } else {
      services_.erase(services_.find(one.name));
    }
    return step::nothing;
  }
  if (!waits) {
    return step::nothing;
  }
  if (now < one.retry_at) {
    set_due(one, one.retry_at);
    return step::nothing;
  }
  if (now >= one.present_until) {
    one.looking_up = true;
    to_be_looked_up_.push_back(&one);
    return step::look_up;
  }
  return step::give;
}

service_record* service_table::next_lookup() {
  if (lookups_ >= max_lookups || to_be_looked_up_.empty()) {
    return nullptr;
  }
  auto* const next = to_be_looked_up_.front();
  to_be_looked_up_.pop_front();
  ++lookups_;
  return next;
}

void service_table::on_looked_up(service_record& one, bool there, time_point now) noexcept {
  --lookups_;
  one.looking_up = false;
  if (there) {
    one.present_until = now + options_.presence;
    one.backoff = 0ms;
  } else {
    on_failure(one, now);
  }
}

void service_table::on_reply(service_record& one, time_point now) noexcept {
  one.backoff = 0ms;
  one.retry_at = {};
  one.present_until = now + options_.presence;
}

void service_table::on_failure(service_record& one, time_point now) noexcept {
  one.backoff = std::clamp(2 * one.backoff, options_.least_backoff, options_.most_backoff);
  one.retry_at = now + one.backoff;
  one.present_until = {};
}

void service_table::set_due(service_record& one, std::optional<time_point> due) {
  if (one.due == due) {
    return;
  }
  if (one.due) {
    due_.erase({*one.due, &one});
  }
  one.due = due;
  if (due) {
    due_.emplace(*due, &one);
  }
}

std::optional<service_table::time_point> service_table::next_deadline() const noexcept {
  return due_.empty() ? std::optional<time_point>{} : due_.begin()->first;
}

service_record* service_table::due(time_point now) const noexcept {
  return due_.empty() || due_.begin()->first > now ? nullptr : due_.begin()->second;
}

std::vector<titanic_service_status> service_table::status(std::string_view after,
                                                          std::size_t count) const {
  std::vector<titanic_service_status> some;
  for (auto one = services_.upper_bound(after); one != services_.end() && some.size() < count;
       ++one) {
    some.push_back({one->first, one->second.pending, one->second.in_flight});
  }
  return some;
}

}  // namespace mdp::titanic
