#include "chp/update_log.h"

#include <utility>

namespace chp {

namespace {
constexpr std::size_t tidied_at_once = 10'000;
}  // namespace

update_log::update_log(const update_log_options& options, std::uint64_t random, replica&& state,
                       bool discard)
    : random_{random},
      parts_{options, random_(), std::move(state)},
      role_{std::in_place_type<passive_role>, parts_, discard} {}

void update_log::become_active(std::uint64_t epoch, time_point now, log_actions& out) {
  if (auto* const already = active()) {
    already->resume(out);
    if (epoch > last_reign().epoch) {
      already->begin_reign(epoch, random_());
      out.disconnect_clients = true;  // their next snapshot has the new reign
    }
    return;
  }
  role_.emplace<active_role>(parts_, epoch, random_(), now);
  // Updates that only this server may have.
  const auto before = parts_.counters.updates;
  parts_.waiting.take([&](const log_entry& e) {
    propose({.id = e.id,
             .erases = e.kind == entry_kind::erasure,
             .ttl = e.ttl,
             .key = e.key,
             .properties = e.properties,
             .value = e.value},
            out);
  });
  parts_.counters.replayed += parts_.counters.updates - before;
  parts_.counters.updates = before;
}

void update_log::become_passive(time_point now, log_actions& out) {
  if (auto* const before = active()) {
    declines_ = declines_ || before->hands_over();
    before->end(now, out);
    if (parts_.witness) {
      parts_.witness->release();
    }
    role_.emplace<passive_role>(parts_, false);
    out.disconnect_clients = true;
    out.close_peer = true;
  }
}

void update_log::suspend() noexcept {
  if (auto* const role = active()) {
    role->suspend();
  }
}

bool update_log::suspended() const noexcept {
  const auto* const role = active();
  return role != nullptr && role->suspended();
}

void update_log::on_witness(boost::system::error_code ec, const membership& now_record,
                            time_point now, log_actions& out) {
  auto& witness = *parts_.witness;
  const auto outcome = witness.on_answer(ec, now_record, now);
  if (outcome != witness_outcome::nothing) {
    out.epoch = epoch_answer{outcome == witness_outcome::acquired, witness.known().epoch};
  }
}

void update_log::propose(const proposal& p, log_actions& out) {
  if (auto* const role = active()) {
    role->propose(p, out);
  } else if (parts_.options.is_paired) {
    passive()->propose(p);
  }
}

bool update_log::has_room() const noexcept {
  const auto* const role = active();
  return role == nullptr || (parts_.state.has_room() && !role->hands_over());
}

void update_log::greet(log_actions& out) { passive()->greet(random_(), out); }

void update_log::on_peer_connected(log_actions& out) {
  if (passive() != nullptr) {
    greet(out);
  }
}

void update_log::on_peer_lost(log_actions& out) {
  if (auto* const role = active()) {
    role->drop_backup(out);
  } else {
    passive()->leave();
  }
}

void update_log::on_peer_unresponsive(log_actions& out) {
  declines_ = false;
  peer_has_more_ = false;
  on_peer_lost(out);
  // A connection that was silent in one direction can come back. The next HELLO says what the other
  // server has.
  out.close_peer = true;
}

void update_log::on_peer_state(const peer_claims& of, sequence end) noexcept {
  const auto own = parts_.state.end();
  // The peer has taken over, or it cannot, because it has lost what it had confirmed.
  if (of.is_active || of.lacks_data || own > end) {
    declines_ = false;
  }
  peer_has_data_ = end != 0;
  peer_has_more_ = of.declines && (!of.lacks_data || lacks_data()) && end > own;
}

void update_log::on_peer_message(const zmtp::message& m, time_point now, log_actions& out) {
  const auto parsed_message = parse_pair_message(m);
  bool fits = true;
  if (!parsed_message) {
    parts_.refuse(parsed_message.error());
    fits = false;
  } else if (auto* const role = active()) {
    if (const auto* const message = std::get_if<hello>(&*parsed_message)) {
      role->on(*message, out);
    } else if (const auto* const confirmed = std::get_if<confirmation>(&*parsed_message)) {
      role->on(*confirmed);
    }
    return;
  } else if (const auto* const message = std::get_if<follow>(&*parsed_message)) {
    fits = passive()->on(*message, out);
  } else if (const auto* const piece = std::get_if<copy_piece>(&*parsed_message)) {
    fits = passive()->on(*piece, now);
  } else if (const auto* const end = std::get_if<copy_end>(&*parsed_message)) {
    fits = passive()->on(*end, out);
  } else if (const auto* const more = std::get_if<entries>(&*parsed_message)) {
    fits = passive()->on(*more);
  }
  if (!fits && passive() != nullptr) {
    // The next HELLO says what this server has.
    passive()->leave();
    out.close_peer = true;
  }
}

void update_log::on_peer_writable(log_actions& out) {
  if (auto* const role = active()) {
    role->on_peer_writable(out);
  }
}

lost_read update_log::read_lost(const lost_updates& which, std::string& lines, std::size_t most) {
  auto* const role = passive();
  return role != nullptr ? role->read_lost(which, lines, most) : lost_read::abandoned;
}

void update_log::on_lost_written(const lost_updates& which, boost::system::error_code ec,
                                 log_actions& out) {
  if (auto* const role = passive()) {
    role->on_lost_written(which, ec, out);
  }
}

errc update_log::adopt(std::string_view rows, sequence number, time_point now) {
  auto& state = parts_.state;
  auto built = state.make_history();
  built->begin_log(number, 0);
  if (const auto fault = built->add_map(rows, now); fault != errc{}) {
    return fault;
  }
  lineage root;
  root.begin_reign(epoch_of(number), random_(), number);
  if (const auto fault = built->finish(std::move(root), number); fault != errc{}) {
    return fault;
  }
  // As a passive server, the peer keeps what it hears. It would execute its own updates again, over
  // newer ones.
  parts_.was_active.reset();
  state.replace(std::move(built), number);
  state.lower_needs(number);
  return {};
}

bool update_log::append(const log_entry& e, time_point now) {
  auto& state = parts_.state;
  if (state.past().check_next(e) != errc{}) {
    return false;
  }
  state.append(e);
  ++parts_.counters.followed;
  parts_.waiting.remove(e.id);
  state.raise_commit(e.number);
  state.publish(e.number, now, [](const log_entry&, bool) {});
  state.trim(e.number, trimmed_to::half);
  return true;
}

void update_log::on_written(boost::system::error_code ec, time_point now) {
  parts_.state.on_written(ec, now);
}

std::optional<update_log::time_point> update_log::next_deadline() const noexcept {
  auto first = parts_.state.next_deadline();
  const auto consider = [&first](std::optional<time_point> due) {
    first = due && (!first || *due < *first) ? due : first;
  };
  consider(std::visit([](const auto& role) { return role.next_deadline(); }, role_));
  if (parts_.witness) {
    consider(parts_.witness->next_deadline());
  }
  return first;
}

void update_log::on_deadline(time_point now) {
  (void)parts_.published.tidy(tidied_at_once);
  if (auto* const role = active()) {
    role->on_deadline(now);
  }
}

void update_log::end_turn(time_point now, log_actions& out) {
  // The entries of this turn go to the store first.
  parts_.state.take_writes(now, out.write);
  if (auto* const role = active()) {
    role->end_turn(now, out);
  } else {
    passive()->end_turn(now, out);
  }
  if (parts_.witness) {
    out.attempt = parts_.witness->next(now);
    // Another server has taken over.
    out.step_down = out.step_down || (is_active() && !suspended() && !parts_.witness->owns_epoch());
  }
}

bool update_log::in_sync() const noexcept { return active() != nullptr && active()->in_sync(); }
bool update_log::degraded() const noexcept { return active() != nullptr && active()->degraded(); }
bool update_log::following() const noexcept {
  return passive() != nullptr && passive()->following();
}
bool update_log::has_answer() const noexcept {
  return passive() != nullptr && passive()->has_answer();
}
bool update_log::is_used_up() const noexcept {
  return active() != nullptr && active()->is_used_up();
}
bool update_log::stopped() const noexcept { return passive() != nullptr && passive()->stopped(); }

}  // namespace chp
