// How client_updates sends.
#include "chp/client_updates.h"
#include "chp/properties.h"
#include "chp/update_id.h"

#include <algorithm>
#include <utility>

namespace chp {

void client_updates::on_collector_subscribed(std::size_t server, bool has_log, time_point now,
                                             actions& out) {
  collectors_[server].has_log = has_log;
  if (std::exchange(collectors_[server].subscribed, true)) {
    return;
  }
  collectors_[server].resends = true;
  resend(server, now, out);
  send_unsent(now, out);
}

void client_updates::on_collector_detached(std::size_t server) { collectors_[server] = {}; }

// A server with a log gets updates only while it is followed. It executes them in order, and without
// the properties of its history it would begin with the first one that arrives.
bool client_updates::goes_to(std::size_t server) const noexcept {
  if (!followed_ || !collectors_[server].subscribed) {
    return false;
  }
  return followed_->server == server || !(followed_->has_log || collectors_[server].has_log);
}

// The server forgets the outcomes below `low`.
std::string_view client_updates::more_properties(bool asks) {
  more_.clear();
  if (with_log()) {
    auto low = pending_.first_counter();
    if (!kept_.empty()) {
      low = std::min(low, kept_.all().front().what.counter);
    }
    append_property(more_, property_name::low, low);
    more_ += *since_;
    if (asks) {
      append_property(more_, property_name::asks, std::uint64_t{1});
    }
  }
  return more_;
}

// An update as it was sent, with the properties of now.
zmtp::message client_updates::again(const sent_update& one, bool asks) {
  if (how_ != form::kvmsg) {
    return one.set;
  }
  return make_set(how_, one.set.front(), update_id::of_session(pending_.session(), one.counter),
                  one.set[3].substr(0, one.own_properties), one.set.back(), more_properties(asks));
}

// Asks for the outcome of an update that has its final one. A log that does not know the session waits
// for each counter, and enters a refusal for this one.
zmtp::message client_updates::question(std::uint64_t counter, std::string_view key) {
  return make_set(how_, key, update_id::of_session(pending_.session(), counter), {}, {},
                  more_properties(true));
}

// Resends all updates that the server may not have, and asks for those that are kept. The order is
// that of the counters, in which a log executes them.
void client_updates::resend(std::size_t server, time_point now, actions& out) {
  if (!goes_to(server)) {
    return;
  }
  collectors_[server].resends = false;
  progress_ = now;
  const auto publish = [&](zmtp::message&& m) {
    out.publications.push_back({server, std::move(m)});
    ++resent_;
  };
  std::uint64_t next = 0;  // the counter that a log expects, from the second update on
  const auto send = [&](const sent_update& one, bool asks) {
    for (; with_log() && next != 0 && next < one.counter; ++next) {
      publish(question(next, one.set.front()));
    }
    publish(again(one, asks));
    next = one.counter + 1;
  };
  auto next_kept = kept_.all().begin();
  const auto ask_below = [&](std::uint64_t counter) {
    for (; next_kept != kept_.all().end() && next_kept->what.counter < counter; ++next_kept) {
      if (with_log() && next_kept->asked) {
        send(next_kept->what, true);
      }
      next = next_kept->what.counter + 1;
    }
  };
  for (const auto& one : pending_.all_sent()) {
    if (!one.over) {
      ask_below(one.counter);
      send(one, false);
    }
  }
  ask_below(pending_.next_counter());
  await_written(out);
}

// Waits until a server is followed, because only that server confirms updates. If another server
// publishes an update before it is followed, the client may never receive the echo and would have
// to resend the update.
void client_updates::send_unsent(time_point now, actions& out) {
  if (!followed_) {
    return;
  }
  bool reaches_any = false;
  for (std::size_t server = 0; server != collectors_.size(); ++server) {
    reaches_any = reaches_any || goes_to(server);
  }
  if (!reaches_any) {
    return;
  }
  if (pending_.sent() == 0) {
    progress_ = now;
  }
  while (pending_.can_send()) {
    const auto& next = pending_.send_next(more_properties(false));
    for (std::size_t server = 0; server != collectors_.size(); ++server) {
      if (goes_to(server)) {
        out.publications.push_back({server, next});
      }
    }
  }
  await_written(out);
}

// Commits updates that no server confirms.
void client_updates::await_written(actions& out) {
  if (!followed_ || followed_->has_log) {
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

}  // namespace chp
