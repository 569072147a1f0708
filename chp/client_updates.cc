#include "chp/client_updates.h"

#include "chp/properties.h"
#include "chp/proposal.h"
#include "chp/update_id.h"

#include <algorithm>

namespace chp {

client_updates::client_updates(std::size_t servers, const client_options& options,
                               std::uint64_t session)
    : subtree_{options.subtree},
      how_{options.wire_format},
      most_value_bytes_{options.most_value_bytes},
      always_send_ttl_{options.always_send_ttl},
      resend_after_{options.resend},
      pending_{session, options.wire_format, options.pending_updates, options.pending_bytes},
      kept_{options.kept_updates, options.pending_bytes},
      collectors_(servers) {}

errc client_updates::check(std::string_view key, const std::optional<std::string>& value,
                           const request& how) const noexcept {
  if (const auto fault = check_key(key); fault != errc{}) {
    return fault;
  }
  if (how_ != form::kvmsg && (!value || how.ttl)) {
    return errc::not_in_kvsimple;
  }
  if (how_ == form::kvmsg && value && value->empty()) {
    return errc::value_empty;  // it would erase the key
  }
  if (value && value->size() > most_value_bytes_) {
    return errc::value_too_long;
  }
  return how.ttl && *how.ttl < std::chrono::seconds{1} ? errc::ttl_too_short : errc{};
}

boost::system::result<client_updates::ticket, errc> client_updates::add_update(
    std::string key, std::optional<std::string> value, const request& how, time_point now,
    actions& out) {
  if (const auto fault = check(key, value, how); fault != errc{}) {
    return fault;
  }
  std::string properties;
  if (how.ttl) {
    append_ttl(properties,
               std::min(*how.ttl, std::chrono::floor<std::chrono::seconds>(longest_ttl)));
  } else if (always_send_ttl_ && how_ == form::kvmsg) {
    append_property(properties, property_name::ttl, std::uint64_t{0});
  }
  const auto given = ++last_ticket_;
  if (how.end) {
    ends_.emplace(*how.end, given);
    end_of_.emplace(given, *how.end);
  }
  const bool echoed = key.starts_with(subtree_);
  pending_.add({given, std::move(key), std::move(properties), std::move(value).value_or(""), echoed,
                how.for_both});
  send_unsent(now, out);
  return given;
}

pending_sets::given_up client_updates::cancel(ticket of) {
  forget_end(of);
  const auto found = pending_.give_up(of);
  if (found == pending_sets::given_up::unknown && kept_.give_up(of)) {
    return pending_sets::given_up::sent;
  }
  return found;
}

void client_updates::follow(std::size_t server, const std::optional<position>& log_end,
                            time_point now, actions& out) {
  followed_ = {server, log_end.has_value()};
  if (log_end) {
    if (!since_) {
      append_since(since_.emplace(), *log_end);
    }
    kept_.ask_all();
  } else {
    // That server gets the next updates. A log that is followed later would wait for these, because it
    // executes the counters from that of the oldest kept update on.
    kept_.unlist_all([&](const kept_update& one) {
      if (one.what.awaited) {
        finish(one.what.of, errc::not_on_both, one.says, out);
      }
    });
  }
  for (std::size_t each = 0; each != collectors_.size(); ++each) {
    if (each == server || collectors_[each].resends) {
      resend(each, now, out);
    }
  }
  send_unsent(now, out);
}

void client_updates::follow_none() noexcept {
  if (followed_) {
    collectors_[followed_->server].awaited.reset();
  }
  followed_.reset();
}

// The server answers again for the entries of its log. It is asked for older ones.
void client_updates::on_replicated(time_point now) noexcept {
  if (with_log()) {
    kept_.ask_all();
    progress_ = now;
  }
}

void client_updates::begin_session(std::uint64_t session) noexcept {
  pending_.begin_session(session);
  since_.reset();
}

void client_updates::on_session_forgotten(actions& out) {
  pending_.take({1, pending_.next_counter()}, taken_);
  for (const auto& one : taken_) {
    if (one.awaited) {
      finish(one.of, errc::session_forgotten, truth::unknown, out);
    }
  }
  taken_.clear();
  kept_.unlist_all([&](const kept_update& one) {
    if (one.what.awaited) {
      finish(one.what.of, errc::session_forgotten, truth::unknown, out);
    }
  });
}

void client_updates::on_answers(const std::vector<answer_range>& all, time_point now,
                                actions& out) {
  if (!with_log()) {
    return;
  }
  for (const auto& of : all) {
    answer_kept(of, out);
    pending_.take(of.updates, taken_);
    for (auto& one : taken_) {
      answer(std::move(one), of, out);
    }
    taken_.clear();
  }
  drop_excess(out);
  progress_ = now;
  send_unsent(now, out);
}

void client_updates::answer(sent_update&& one, const answer_range& of, actions& out) {
  const bool on_both = is_on_both(of.says);
  if (one.awaited && (of.why != errc{} || on_both || !one.for_both)) {
    finish(one.of, of.why, of.why == errc{} ? of.says : truth::unknown, out);
    one.awaited = false;
  }
  if (!on_both) {
    kept_.add(std::move(one), of);
  }
}

void client_updates::answer_kept(const answer_range& of, actions& out) {
  const auto lost_before = lost_;
  kept_.on_answer(
      of,
      [&](kept_update& one) {
        ++lost_;
        out.lost.push_back({std::string{one.what.set.front()}, std::string{one.what.set.back()}});
        if (std::exchange(one.what.awaited, false)) {
          finish(one.what.of, errc::lost, truth::unknown, out);
        }
      },
      [&](kept_update& one) {
        if (one.what.awaited) {
          finish(one.what.of, errc{}, of.says, out);
        }
      });
  if (lost_ != lost_before) {
    out.events.push_back({client_event::kind::lost, followed_->server});
  }
}

void client_updates::drop_excess(actions& out) {
  while (const auto oldest = kept_.drop_excess()) {
    if (oldest->what.awaited) {
      finish(oldest->what.of, errc::not_on_both, oldest->says, out);
    }
  }
}

void client_updates::on_echo(const update& u, time_point now, actions& out) {
  if (how_ == form::kvmsg) {
    pending_.commit(update_id::of_frame(u.id), done_);
  } else {
    pending_.commit(u.key, u.value, done_);
  }
  finish_committed(now, out);
}

void client_updates::on_snapshot_entry(const update& u) {
  if (const auto id = update_id::of_frame(u.id); id.session() == pending_.session()) {
    in_snapshot_.push_back(id);
  }
}

void client_updates::on_snapshot_adopted(time_point now, actions& out) {
  for (const auto& id : in_snapshot_) {
    pending_.commit(id, done_);
  }
  in_snapshot_.clear();
  finish_committed(now, out);
}

// An update whose caller has given up leaves a place too, so the next one can be sent.
void client_updates::finish_committed(time_point now, actions& out) {
  if (done_.empty() && !pending_.can_send()) {
    return;
  }
  for (const auto& [of, how] : done_) {
    finish(of, how, truth::unknown, out);
  }
  done_.clear();
  progress_ = now;
  send_unsent(now, out);
}

void client_updates::finish(ticket of, errc how, truth says, actions& out) {
  committed_ += how == errc{} ? 1U : 0U;
  forget_end(of);
  out.completions.push_back(
      {of, how == errc{} ? boost::system::error_code{} : make_error_code(how), says});
}

void client_updates::forget_end(ticket of) {
  if (const auto found = end_of_.find(of); found != end_of_.end()) {
    ends_.erase({found->second, of});
    end_of_.erase(found);
  }
}

std::optional<client_updates::time_point> client_updates::resend_at() const noexcept {
  const bool waits =
      with_log() && (pending_.sent() != 0 || kept_.asked() != 0) && goes_to(followed_->server);
  return waits ? std::optional{progress_ + resend_after_} : std::nullopt;
}

// The caller's deadline has passed.
void client_updates::give_up(ticket of, actions& out) {
  const auto found = pending_.give_up(of);
  if (found == pending_sets::given_up::unknown) {
    finish(of, errc::not_on_both, kept_.give_up(of).value_or(truth::unknown), out);
  } else {
    finish(of, found == pending_sets::given_up::unsent ? errc::not_sent : errc::unconfirmed,
           truth::unknown, out);
  }
}

void client_updates::on_deadline(time_point now, actions& out) {
  while (!ends_.empty() && ends_.begin()->first <= now) {
    give_up(ends_.begin()->second, out);
  }
  if (const auto due = resend_at(); due && *due <= now) {
    resend(followed_->server, now, out);
  }
}

std::optional<client_updates::time_point> client_updates::next_deadline() const noexcept {
  const auto again = resend_at();
  if (ends_.empty()) {
    return again;
  }
  const auto end = ends_.begin()->first;
  return again ? std::min(*again, end) : end;
}

void client_updates::count(client_counters& to) const noexcept {
  to.resent = resent_;
  to.committed = committed_;
  to.lost = lost_;
  to.lost_unlisted = kept_.lost_unlisted();
}

}  // namespace chp
