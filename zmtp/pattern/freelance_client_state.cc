#include "zmtp/pattern/freelance_client_state.h"

#include "zmtp/pattern/freelance_frames.h"
#include "zmtp/pattern/liveness.h"
#include "zmtp/pattern/option_check.h"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace zmtp {

namespace {

using namespace std::chrono_literals;

freelance_client_options workable(freelance_client_options options) noexcept {
  options.timeout = std::max(options.timeout, 1ms);
  options.ping_interval = std::max(options.ping_interval, 1ms);
  options.ping_timeout = std::max(options.ping_timeout, 1ms);
  options.server_ttl = std::max(options.server_ttl, options.ping_timeout);
  return options;
}

}  // namespace

freelance_client_state::freelance_client_state(const freelance_client_options& options,
                                               std::size_t servers, std::uint64_t session)
    : options_{workable(options)}, session_{session}, servers_(servers), order_(servers) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
}

boost::system::result<std::uint64_t> freelance_client_state::ask(message&& body,
                                                                 const freelance_call_options& how,
                                                                 time_point now, actions& out) {
  if (how.timeout && *how.timeout > longest_duration) {
    return make_error_code(call_errc::bad_call_option);
  }
  if (calls_.size() >= options_.calls) {
    return make_error_code(call_errc::too_many_calls);
  }
  ++counters_.calls;
  const auto number = ++last_number_;
  const auto control = control_frame{session_, number}.bytes();
  body.push_front({control.data(), control.size()});
  if (options_.model == freelance_model::shotgun) {
    body.push_front({});
  }
  const auto timeout = std::max(how.timeout.value_or(options_.timeout), 1ms);
  auto& one = *calls_
                   .emplace(number, call_record{.content = std::move(body),
                                                .idempotent = how.idempotent,
                                                .deadline = now + timeout,
                                                .timeout = timeout})
                   .first;
  deadlines_.emplace(one.second.deadline, number);
  seek_server(one, now, out);
  return number;
}

// Sends the call to the servers that may receive it now.
void freelance_client_state::seek_server(entry& one, time_point now, actions& out) {
  if (!one.second.idempotent && one.second.times_sent != 0) {
    return;
  }
  const bool to_all = one.second.idempotent && options_.model == freelance_model::shotgun;
  while (const auto next = choose(one.second, now)) {
    send(one, *next, now, out);
    if (!to_all) {
      return;
    }
  }
}

// Prefers responsive servers.
std::optional<std::size_t> freelance_client_state::choose(const call_record& one,
                                                          time_point now) const noexcept {
  std::optional<std::size_t> silent;
  for (const auto which : order_) {
    const auto& to = servers_[which];
    if (!to.attached || one.asked[which]) {
      continue;
    }
    if (!to.silent) {
      return which;
    }
    if (!silent && now < to.last_received_at + options_.server_ttl) {
      silent = which;
    }
  }
  return silent;
}

void freelance_client_state::send(entry& one, std::size_t to, time_point now, actions& out) {
  one.second.asked.set(to);
  ++one.second.times_sent;
  if (servers_[to].in_flight++ == 0) {
    servers_[to].asked_since = now;
  }
  out.sends.push_back({to, one.first, one.second.content});
}

void freelance_client_state::forget(
    std::unordered_map<std::uint64_t, call_record>::iterator which) {
  for (std::size_t at = 0; at != servers_.size(); ++at) {
    if (which->second.asked[at]) {
      --servers_[at].in_flight;
    }
  }
  deadlines_.erase({which->second.deadline, which->first});
  calls_.erase(which);
}

void freelance_client_state::end(std::unordered_map<std::uint64_t, call_record>::iterator which,
                                 call_errc why, actions& out) {
  out.ends.push_back({which->first, why, {}});
  forget(which);
}

void freelance_client_state::cancel(std::uint64_t call) {
  if (const auto found = calls_.find(call); found != calls_.end()) {
    forget(found);
  }
}

void freelance_client_state::on_attached(std::size_t server, time_point now, actions& out) {
  auto& one = servers_[server];
  one.attached = true;
  one.silent = false;
  one.last_received_at = now;
  one.pinged_at.reset();
  serve_the_waiting(now, out);
}

// Sends pending calls to servers that may receive them now.
void freelance_client_state::serve_the_waiting(time_point now, actions& out) {
  const bool shotgun = options_.model == freelance_model::shotgun;
  for (auto& one : calls_) {
    const auto& asked = one.second.asked;
    const auto waits_for_one = [&] {
      for (std::size_t at = 0; at != servers_.size(); ++at) {
        if (asked[at] && !servers_[at].silent) {
          return true;
        }
      }
      return false;
    };
    if (shotgun || !waits_for_one()) {
      seek_server(one, now, out);
    }
  }
}

void freelance_client_state::on_detached(std::size_t server, time_point now, actions& out) {
  auto& lost = servers_[server];
  lost.attached = false;
  lost.pinged_at.reset();
  for (auto at = calls_.begin(); at != calls_.end();) {
    const auto one = at++;
    if (!one->second.asked[server]) {
      continue;
    }
    one->second.asked.reset(server);
    --lost.in_flight;
    if (one->second.idempotent || one->second.times_sent == 0) {
      seek_server(*one, now, out);
    } else {
      end(one, call_errc::no_answer, out);
    }
  }
}

void freelance_client_state::on_not_taken(std::size_t server, std::uint64_t call, time_point now,
                                          actions& out) {
  servers_[server].silent = true;
  const auto found = calls_.find(call);
  if (found == calls_.end() || !found->second.asked[server]) {
    return;
  }
  // The server still counts as used for this call, so that other servers get it.
  --found->second.times_sent;
  seek_server(*found, now, out);
}

void freelance_client_state::on_message(std::size_t server, message&& m, time_point now,
                                        actions& out) {
  auto& from = servers_[server];
  from.last_received_at = now;
  from.pinged_at.reset();
  const bool back = std::exchange(from.silent, false);
  const auto accept = [&] {
    if (options_.model == freelance_model::directed && m.size() == 1 &&
        m.front() == freelance_pong) {
      return;
    }
    if (options_.model == freelance_model::shotgun && !m.empty() && m.front().empty()) {
      m.pop_front();
    }
    const auto control = m.size() > 1 ? control_frame::parse(m.front()) : std::nullopt;
    if (!control || control->session != session_ || control->number == 0 ||
        control->number > last_number_) {
      ++counters_.invalid;
      return;
    }
    const auto found = calls_.find(control->number);
    if (found == calls_.end()) {
      ++counters_.surplus;
      return;
    }
    m.pop_front();
    ++counters_.answers;
    out.ends.push_back({found->first, std::nullopt, std::move(m)});
    forget(found);
  };
  accept();
  if (back) {
    serve_the_waiting(now, out);
  }
}

std::optional<freelance_client_state::time_point> freelance_client_state::due_of(
    const server_record& one) const noexcept {
  if (options_.model == freelance_model::shotgun || !one.attached) {
    return std::nullopt;
  }
  if (one.pinged_at) {
    return *one.pinged_at + (one.silent ? options_.ping_interval : options_.ping_timeout);
  }
  return one.in_flight != 0
             ? std::max(one.last_received_at, one.asked_since) + options_.ping_timeout
             : one.last_received_at + options_.ping_interval;
}

std::optional<freelance_client_state::time_point> freelance_client_state::next_deadline()
    const noexcept {
  auto next = deadlines_.empty() ? std::nullopt : std::optional{deadlines_.begin()->first};
  for (const auto& one : servers_) {
    if (const auto due = due_of(one); due && (!next || *due < *next)) {
      next = due;
    }
  }
  return next;
}

void freelance_client_state::on_deadline(time_point now, actions& out) {
  for (std::size_t at = 0; at != servers_.size(); ++at) {
    look_at(at, now, out);
  }
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    const auto one = calls_.find(deadlines_.begin()->second);
    if (const auto later = postponed(one->second.deadline, one->second.timeout, now)) {
      deadlines_.erase(deadlines_.begin());
      one->second.deadline = *later;
      deadlines_.emplace(one->second.deadline, one->first);
    } else {
      end(one, one->second.times_sent != 0 ? call_errc::no_answer : call_errc::not_sent, out);
    }
  }
}

void freelance_client_state::look_at(std::size_t which, time_point now, actions& out) {
  auto& one = servers_[which];
  const auto due = due_of(one);
  if (!due || now < *due) {
    return;
  }
  if (one.pinged_at && !one.silent && !postponed(*due, options_.ping_timeout, now)) {
    pass_over(which, now, out);
    return;
  }
  // No PING is pending, the process itself was paused, or the server was already unresponsive.
  one.pinged_at = now;
  out.sends.push_back({which, 0, message{freelance_ping}});
}

void freelance_client_state::pass_over(std::size_t which, time_point now, actions& out) {
  ++counters_.passed_over;
  servers_[which].silent = true;
  // Prefer other servers from now on, even after this one responds again.
  const auto at = std::find(order_.begin(), order_.end(), which);
  std::rotate(at, at + 1, order_.end());
  for (auto& one : calls_) {
    if (one.second.asked[which] && one.second.idempotent) {
      seek_server(one, now, out);
    }
  }
}

}  // namespace zmtp
