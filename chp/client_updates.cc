#include "chp/client_updates.h"

#include "chp/properties.h"
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
      collectors_(servers) {}

boost::system::result<client_updates::ticket, errc> client_updates::set(
    std::string key, std::string value, std::optional<std::chrono::seconds> ttl,
    std::optional<time_point> end, time_point now, actions& out) {
  if (const auto fault = check_key(key); fault != errc{}) {
    return fault;
  }
  if (value.size() > most_value_bytes_) {
    return errc::value_too_long;
  }
  if (ttl && *ttl < std::chrono::seconds{1}) {
    return errc::ttl_too_short;
  }
  if (ttl && how_ != form::kvmsg) {
    return errc::not_in_kvsimple;
  }
  std::string properties;
  if (ttl) {
    append_ttl(properties, std::min(*ttl, std::chrono::floor<std::chrono::seconds>(longest_ttl)));
  } else if (always_send_ttl_ && how_ == form::kvmsg) {
    append_property(properties, property_name::ttl, std::uint64_t{0});
  }
  const auto given = ++last_ticket_;
  if (end) {
    ends_.emplace(*end, given);
    end_of_.emplace(given, *end);
  }
  const bool echoed = key.starts_with(subtree_);
  pending_.add(given, std::move(key), std::move(properties), std::move(value), echoed);
  send_unsent(now, out);
  return given;
}

pending_sets::given_up client_updates::cancel(ticket of) {
  forget_end(of);
  return pending_.give_up(of);
}

void client_updates::follow(std::size_t server, bool acknowledges, time_point now, actions& out) {
  followed_ = {server, acknowledges};
  resend(server, now, out);
  send_unsent(now, out);
}

void client_updates::follow_none() noexcept {
  if (followed_) {
    collectors_[followed_->server].awaited.reset();
  }
  followed_.reset();
}

void client_updates::on_acknowledgement(const acknowledgement& notified, time_point now,
                                        actions& out) {
  pending_.commit(notified, done_);
  finish_committed(now, out);
}

void client_updates::on_echo(const update& u, time_point now, actions& out) {
  if (how_ == form::kvmsg) {
    pending_.commit(update_id::of_frame(u.id), done_);
  } else {
    pending_.commit(u.key, u.value, done_);
  }
  finish_committed(now, out);
}

void client_updates::on_collector_subscribed(std::size_t server, time_point now, actions& out) {
  if (std::exchange(collectors_[server].subscribed, true)) {
    return;
  }
  resend(server, now, out);
  send_unsent(now, out);
}

void client_updates::on_collector_detached(std::size_t server) { collectors_[server] = {}; }

// Resends all updates that the server may not have.
void client_updates::resend(std::size_t server, time_point now, actions& out) {
  if (!collectors_[server].subscribed) {
    return;
  }
  progress_ = now;
  pending_.for_each_sent([&](const zmtp::message& m) {
    out.publications.push_back({server, m});
    ++resent_;
  });
  await_written(out);
}

// Waits until a server is followed, because only that server confirms updates. If another server
// publishes an update before it is followed, the client may never receive the echo and would have
// to resend the update.
void client_updates::send_unsent(time_point now, actions& out) {
  const bool anybody = std::any_of(collectors_.begin(), collectors_.end(),
                                   [](const collector& one) { return one.subscribed; });
  if (!followed_ || !anybody) {
    return;
  }
  if (pending_.sent() == 0) {
    progress_ = now;
  }
  while (const auto* const next = pending_.send_next()) {
    for (std::size_t server = 0; server != collectors_.size(); ++server) {
      if (collectors_[server].subscribed) {
        out.publications.push_back({server, *next});
      }
    }
  }
  await_written(out);
}

// Commits updates that no server confirms.
void client_updates::await_written(actions& out) {
  if (!followed_ || followed_->acknowledges) {
    return;
  }
  auto& own = collectors_[followed_->server];
  if (!own.subscribed || own.awaited) {
    return;
  }
  if (const auto last = pending_.last_unechoed()) {
    own.awaited.emplace(++last_mark_, *last);
    out.await_written.push_back({followed_->server, last_mark_});
  }
}

void client_updates::on_written(std::size_t server, std::uint64_t mark, time_point now,
                                actions& out) {
  auto& awaited = collectors_[server].awaited;
  if (!awaited || awaited->first != mark) {
    return;
  }
  const auto counter = awaited->second;
  awaited.reset();
  pending_.commit_unechoed(counter, done_);
  finish_committed(now, out);
}

void client_updates::finish_committed(time_point now, actions& out) {
  if (done_.empty()) {
    return;
  }
  for (const auto& [of, how] : done_) {
    committed_ += how == errc{} ? 1U : 0U;
    finish(of, how == errc{} ? boost::system::error_code{} : make_error_code(how), out);
  }
  done_.clear();
  progress_ = now;
  send_unsent(now, out);
}

void client_updates::finish(ticket of, boost::system::error_code ec, actions& out) {
  forget_end(of);
  out.completions.push_back({of, ec});
}

void client_updates::forget_end(ticket of) {
  if (const auto found = end_of_.find(of); found != end_of_.end()) {
    ends_.erase({found->second, of});
    end_of_.erase(found);
  }
}

std::optional<client_updates::time_point> client_updates::resend_at() const noexcept {
  const bool asked = followed_ && followed_->acknowledges && pending_.sent() != 0 &&
                     collectors_[followed_->server].subscribed;
  return asked ? std::optional{progress_ + resend_after_} : std::nullopt;
}

void client_updates::on_deadline(time_point now, actions& out) {
  while (!ends_.empty() && ends_.begin()->first <= now) {
    const auto of = ends_.begin()->second;
    const bool unsent = pending_.give_up(of) == pending_sets::given_up::unsent;
    finish(of, unsent ? errc::not_sent : errc::unconfirmed, out);
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

}  // namespace chp
