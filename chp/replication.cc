#include "chp/replication.h"

#include "chp/properties.h"
#include "chp/update_id.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>

namespace chp {

namespace {

using std::chrono::milliseconds;

// An active server that may still have to find out that it is one does not answer.
constexpr milliseconds least_repeat{50};

std::optional<milliseconds> time_to_live(const update& u, milliseconds wall) {
  if (u.properties.empty()) {
    return std::nullopt;
  }
  const properties all{u.properties};
  if (const auto left = all.find(property_name::ttl_left)) {
    return parse_ttl_left(*left);
  }
  const auto ttl = all.find(property_name::ttl);
  return ttl ? parse_guide_ttl(*ttl, wall) : std::nullopt;
}

std::optional<std::uint64_t> number_in(const properties& said, std::string_view name) {
  const auto text = said.find(name);
  return text ? parse_number(*text) : std::nullopt;
}

std::optional<replication::origin> origin_in(const properties& said) {
  const auto shared = number_in(said, property_name::shared);
  const auto own = number_in(said, property_name::own);
  return shared && own ? std::optional{replication::origin{*shared, *own}} : std::nullopt;
}

}  // namespace

void replication::begin(time_point now, server_actions& out) {
  phase_ = phase::waiting;
  received_ = now;
  if (source_ && feed_heard_) {
    ask(now, out);
  }
}

void replication::end() {
  phase_ = phase::off;
  drop();
  due_.reset();
}

void replication::drop() {
  map_.reset();
  applied_.reset();
  since_.clear();
  bytes_since_ = 0;
}

void replication::on_feed_attached() {
  feed_ = true;
  feed_heard_ = false;
}

void replication::on_feed_detached(server_actions& out) {
  feed_ = false;
  feed_heard_ = false;
  if (phase_ != phase::off && phase_ != phase::waiting) {
    start_over(out);
  }
}

void replication::on_source_attached(const announcement& said, time_point now,
                                     server_actions& out) {
  source_ = said;
  if (phase_ == phase::waiting && feed_heard_) {
    ask(now, out);
  }
}

void replication::on_source_detached() {
  // A Zinc server does not know after a reconnect what this server has. A third-party server never
  // knows.
  const bool is_needed = phase_ == phase::asking || phase_ == phase::receiving ||
                         (phase_ == phase::following && source_is_ours());
  source_.reset();
  if (is_needed) {
    phase_ = phase::waiting;
    drop();
    due_.reset();
  }
}

void replication::start_over(server_actions& out) {
  phase_ = phase::waiting;
  drop();
  due_.reset();
  if (source_) {
    source_.reset();
    out.reconnect_source = true;
  }
}

void replication::ask(time_point now, server_actions& out) {
  phase_ = phase::asking;
  out.ask.push_back(make_snapshot_request(""));
  due_ = now + std::max(options_.heartbeat / 4, least_repeat);
}

bool replication::on_publication(zmtp::message& m, bool is_update, time_point now,
                                 server_actions& out) {
  if (!feed_ || phase_ == phase::off) {
    return false;
  }
  received_ = now;
  feed_heard_ = true;
  if (phase_ == phase::waiting && source_) {
    ask(now, out);
  }
  if (phase_ == phase::following || !is_update) {
    return is_update;
  }
  if (phase_ != phase::waiting) {
    m.compact();
    bytes_since_ += m.memory_size();
    since_.push_back(std::move(m));
    if (bytes_since_ > options_.feed_bytes) {
      on_gap(out);
    }
  }
  return false;
}

void replication::on_gap(server_actions& out) {
  out.events.push_back(server_event::gap);
  start_over(out);
}

void replication::add(const update& u, time_point now, milliseconds wall) {
  store::change change{u.key, u.value, update_id::of_frame(u.id)};
  if (const auto ttl = time_to_live(u, wall)) {
    change.deadline = now + *ttl;
  }
  // The update fits the store, because it arrived as a message of a server.
  (void)map_->apply(change, u.number);
}

std::optional<replication::snapshot> replication::on_part(const snapshot_input& part, sequence own,
                                                          time_point now, milliseconds wall,
                                                          server_actions& out) {
  if (phase_ != phase::asking && phase_ != phase::receiving) {
    return std::nullopt;
  }
  received_ = now;
  if (std::holds_alternative<resubmission_answer>(part)) {
    return std::nullopt;
  }
  if (phase_ == phase::asking) {
    phase_ = phase::receiving;
    // Without limits, because the active server has accepted these entries.
    map_ = std::make_unique<store>(seed_, store_limits::none());
  }
  due_ = now + options_.snapshot_timeout;
  if (const auto* const u = std::get_if<update>(&part)) {
    add(*u, now, wall);
    return std::nullopt;
  }
  if (const auto* const piece = std::get_if<register_piece>(&part)) {
    if (!applied_) {
      applied_ = std::make_unique<update_register>(seed_, options_.applied);
    }
    if (applied_->unpack(piece->bytes)) {
      on_gap(out);
    }
    return std::nullopt;
  }
  const auto& ended = std::get<snapshot_end>(part);
  if (has_epoch(ended.number) && epoch_of(ended.number) < epoch_of(own)) {
    // Another server may take over that address, or the server may learn of this history.
    out.events.push_back(server_event::older_epoch);
    phase_ = phase::waiting;
    drop();
    source_.reset();
    due_ = now + options_.snapshot_timeout;
    return std::nullopt;
  }
  // Servers of the Guide have entries with numbers of their own; the last of them counts.
  map_->pass(ended.number);
  phase_ = phase::following;
  due_.reset();
  bytes_since_ = 0;
  if (!applied_ && source_is_ours()) {
    applied_ = std::make_unique<update_register>(seed_, options_.applied);
  }
  const properties said{ended.properties};
  return snapshot{std::move(map_), std::move(applied_), std::exchange(since_, {}),
                  number_in(said, property_name::begun).value_or(0), origin_in(said)};
}

std::optional<replication::time_point> replication::next_deadline() const noexcept { return due_; }

void replication::on_deadline(time_point now, server_actions& out) {
  if (!due_ || now < *due_) {
    return;
  }
  switch (phase_) {
    case phase::asking: ask(now, out); return;
    case phase::receiving: on_gap(out); return;
    case phase::waiting:
      due_.reset();
      out.reconnect_source = true;
      return;
    case phase::off:
    case phase::following: due_.reset(); return;
  }
}

}  // namespace chp
