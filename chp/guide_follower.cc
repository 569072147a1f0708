#include "chp/guide_follower.h"

#include "chp/log_entry.h"
#include "chp/properties.h"
#include "chp/update_id.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace chp {

namespace {

using std::chrono::milliseconds;

// An active server that may still have to find out that it is one does not answer.
constexpr milliseconds least_repeat{50};

milliseconds time_to_live(const update& u, milliseconds wall) {
  const auto ttl = properties{u.properties}.find(property_name::ttl);
  return ttl ? parse_guide_ttl(*ttl, wall).value_or(milliseconds{0}) : milliseconds{0};
}

}  // namespace

void guide_follower::begin(server_actions& out) {
  phase_ = phase::waiting;
  due_.reset();
  copy_ = {};
  bytes_since_ = 0;
  out.follow_feed = true;
}

void guide_follower::end() {
  phase_ = phase::off;
  due_.reset();
  copy_ = {};
  bytes_since_ = 0;
}

void guide_follower::on_feed_lost(server_actions& out) {
  if (phase_ == phase::asking || phase_ == phase::receiving || phase_ == phase::following) {
    start_over(out);
  }
}

void guide_follower::start_over(server_actions& out) {
  end();
  out.reconnect_source = true;
}

void guide_follower::ask(time_point now, server_actions& out) {
  phase_ = phase::asking;
  out.ask.push_back(make_snapshot_request(""));
  due_ = now + std::max(options_.heartbeat / 4, least_repeat);
}

bool guide_follower::on_publication(zmtp::message& m, bool is_update, time_point now,
                                    server_actions& out) {
  if (phase_ == phase::waiting) {
    ask(now, out);
  } else if (phase_ == phase::following) {
    return is_update;
  }
  if (is_update && phase_ != phase::off) {
    m.compact();
    bytes_since_ += m.memory_size();
    copy_.since.push_back(std::move(m));
    if (bytes_since_ > options_.feed_bytes) {
      on_gap(out);
    }
  }
  return false;
}

void guide_follower::on_gap(server_actions& out) {
  out.events.push_back(server_event::gap);
  start_over(out);
}

void guide_follower::add(const update& u, milliseconds wall) {
  if (u.erases()) {
    return;
  }
  const auto id = update_id::of_frame(u.id);
  copy_.number = std::max(copy_.number, u.number);
  append_record(copy_.rows, {.number = std::max<sequence>(u.number, 1),
                             .id = id,
                             .ttl = time_to_live(u, wall),
                             .key = u.key,
                             .value = u.value});
  if (!id.empty()) {
    copy_.ids.push_back(id);
  }
}

std::optional<guide_follower::snapshot> guide_follower::on_part(const snapshot_input& part,
                                                                time_point now, milliseconds wall) {
  if (phase_ != phase::asking && phase_ != phase::receiving) {
    return std::nullopt;
  }
  phase_ = phase::receiving;
  due_ = now + options_.snapshot_timeout;
  if (const auto* const u = std::get_if<update>(&part)) {
    add(*u, wall);
    return std::nullopt;
  }
  const auto* const ended = std::get_if<snapshot_end>(&part);
  if (ended == nullptr) {
    return std::nullopt;
  }
  phase_ = phase::following;
  due_.reset();
  bytes_since_ = 0;
  // Entries have numbers of their own. The last one counts.
  copy_.number = std::max(copy_.number, ended->number);
  return std::exchange(copy_, {});
}

void guide_follower::on_deadline(time_point now, server_actions& out) {
  if (!due_ || now < *due_) {
    return;
  }
  if (phase_ == phase::asking) {
    ask(now, out);
  } else if (phase_ == phase::receiving) {
    on_gap(out);
  } else {
    due_.reset();
  }
}

}  // namespace chp
