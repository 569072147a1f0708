#include "test/chp/model/production_server.h"

#include "chp/properties.h"
#include "test/chp/model/checker.h"
#include "test/chp/model/production_words.h"
#include "zmtp/storage/error.h"

#include <boost/json/parse.hpp>
#include <boost/json/value_to.hpp>

#include <algorithm>
#include <random>
#include <sstream>
#include <utility>

namespace chp::model {

update_log_options production_server::options() const {
  update_log_options o;
  const settings& how = around_.how;
  o.state.history.log = {.bytes = 1'000'000, .entries = how.log_limit, .segment = 1};
  o.state.history.clients.max_sessions = how.session_limit;
  o.state.map.max_keys = how.key_limit;
  o.state.has_store = has_store();
  o.state.store_retry = std::chrono::seconds{1};
  o.is_paired = true;
  o.has_witness = how.has_witness;
  o.witness_retry = std::chrono::seconds{1};
  o.policy = how.block ? degraded_policy::block : degraded_policy::ack;
  o.window = how.window == 2 ? 120 : 1'000'000;
  o.piece = 100;
  o.waiting_bytes = how.waiting_limit * 150;
  return o;
}

production_server::production_server(std::size_t self, surroundings& around, drive found,
                                     bool promote_alone, bool discard)
    : self_{self},
      around_{around},
      drive_{std::move(found)},
      discard_{discard},
      promote_alone_{promote_alone} {
  drive_.failed = false;
  drive_.rejects = false;
  heard_at_ = ticked_at_ = around_.now;
  // draw_random() steps as the product's own generator does, so their numbers would meet.
  const auto random = std::mt19937_64{around_.draw()}();
  auto state = std::make_unique<chp::replica>(options().state, random);
  if (planted_here(planted::member_outlives_memory) && drive_.of_memory != 0) {
    state = std::make_unique<chp::replica>(options().state, random, state->make_history(),
                                           state_numbers{.member = drive_.of_memory});
  }
  drive_.of_memory = state->member();
  if (has_store() && !drive_.content.empty()) {
    errc fault{};
    auto loaded = drive_.content.load(state->make_history(), now(), fault);
    if (!loaded) {
      throw violation{promise::map_is_the_log, "a store cannot be loaded"};
    }
    auto numbers = drive_.content.numbers;
    edit(numbers);
    state = std::make_unique<chp::replica>(options().state, random, std::move(loaded), numbers);
  }
  log_ = std::make_unique<update_log>(options(), random + 1, std::move(*state), discard);
  // A reign that never reached the disk may have used the reserved epoch.
  if (drive_.reserved != 0 && !planted_here(planted::epoch_not_reserved)) {
    ++drive_.reserved;
  }
  observe();
  around_.check->on_start(*this);
}

void production_server::crash(std::size_t transactions_written) {
  down_ = true;
  paused_ = false;
  for (; transactions_written > 0 && !drive_.writing.empty(); --transactions_written) {
    (void)drive_.write_next();
  }
  drive_.writing.clear();
  drive_.content.drop_pieces();
  log_.reset();
  actions_ = {};
  shown_ = {};
  around_.net.servers.drop();
  around_.net.state_to[self_].reset();
}

void production_server::wipe() { drive_ = {}; }

participant::role production_server::is() const {
  return down_               ? role::down
         : log_->stopped()   ? role::stopped
         : log_->is_active() ? role::active
                             : role::passive;
}

number production_server::durable() const { return log_ ? number_of(log_->state().durable()) : 0; }

const kept& production_server::on_disk() const {
  stored_ = {};
  chp::lineage reigns = drive_.content.reigns();
  stored_.rows = lineage_of(reigns);
  stored_.both = number_of(drive_.content.numbers.both);
  stored_.needed = number_of(drive_.content.numbers.needed);
  fill_log(stored_, around_);
  return stored_;
}

// Events.

void production_server::turn() {
  if (!log_ || log_->stopped()) {
    return;
  }
  if (std::exchange(streams_copy_, false) && connection_ == around_.net.servers.number) {
    log_->on_peer_writable(actions_);
  }
  end_turn();
}

void production_server::end_turn() {
  // Work that is due at once, and what the actions bring.
  for (int i = 0; i < 1'000; ++i) {
    observe();  // the end of a turn can trim what came in this turn
    log_->end_turn(now(), actions_);
    const bool again = !actions_.empty();
    observe();
    carry_out();
    const auto due = log_->next_deadline();
    if (log_->stopped() || (!again && due != clock{})) {
      check_subscriber();
      return;
    }
  }
  throw violation{promise::ends_well, "a turn does not end"};
}

void production_server::sync(std::size_t transactions) {
  if (!runs()) {
    return;  // the results wait for the process
  }
  for (; transactions > 0 && !drive_.writing.empty(); --transactions) {
    const bool is_written = drive_.write_next();
    if (planted_here(planted::commits_before_durable)) {
      continue;
    }
    log_->on_written(is_written ? boost::system::error_code{} : zmtp::storage_errc::store_full,
                     now());
  }
  turn();
}

// As map_database: after a write that was refused, only one that replaces everything is taken.
bool production_server::drive::write_next() {
  const auto next = std::move(writing.front());
  writing.pop_front();
  rejects = failed || (rejects && !next.replaces);
  if (rejects || next.replaces) {
    content.drop_pieces();
  }
  if (!rejects) {
    content.write(next);
  }
  return !rejects;
}

void production_server::on_peer(const peer_message& message) {
  if (!log_) {
    return;
  }
  auto m = std::get<zmtp::message>(message);
  edit(m, false);
  greeted_at_ = around_.now;
  if (const auto parsed_message = parse_pair_message(m)) {
    if (const auto* const said = std::get_if<chp::hello>(&*parsed_message)) {
      bound_by_dialogue_ = std::max(bound_by_dialogue_, said->reigns.last().epoch);
      connection_ = around_.net.servers.number;
    }
  }
  log_->on_peer_message(m, now(), actions_);
  turn();
}

bool production_server::reads(const to_server& message) const {
  return std::holds_alternative<want_snapshot>(message) || log_->has_room();
}

void production_server::on_client(std::size_t client, const to_server& message) {
  if (suspended()) {
    return;
  }
  if (std::holds_alternative<want_snapshot>(message)) {
    if (!log_->is_active()) {
      voted_at_ = around_.now;
      return;
    }
    subscribed_[client] = true;
    send(client, snapshot{shown_.rows, shown_.map, shown_.published,
                          place_of(shown_.rows, shown_.end()), log_->degraded(), shown_.log});
  } else {
    const update& u = std::get<update>(message);
    if (u.session != 0 && log_->is_active()) {
      session_of_[client] = u.session;
    }
    update edited = u;
    if (planted_here(planted::trusts_since_of_lost_history)) {
      edited.since = place_of(shown_.rows, std::min(u.since.at, shown_.end()));
    }
    const auto m = message_of(edited);
    log_->propose(parse_proposal(m, form::kvmsg, {}), actions_);
  }
  turn();
}

// Actions.

void production_server::carry_out() {
  auto out = std::exchange(actions_, {});
  for (auto& each : out.write) {
    drive_.writing.push_back(std::move(each));
    if (planted_here(planted::commits_before_durable)) {
      log_->on_written({}, now());  // a disk that says so too early
    }
  }
  for (const chp::answer& each : out.answers) {
    const auto session = static_cast<std::uint32_t>(each.session >> 16);
    const auto counter = static_cast<std::uint32_t>(each.counter);
    const number at = number_of(each.number);
    to_client message = unknown_session{session};
    if (!each.is_unknown) {
      const entry* const found = shown_.find(at);
      if (found == nullptr) {
        throw violation{promise::both_is_true, "an answer names an entry that the log never had"};
      }
      const model::answer said{
          session,
          counter,
          at,
          found->stamp,
          each.why == errc{},
          each.says == chp::truth::both_servers || each.says == chp::truth::both_disks
              ? truth::both
              : truth::one};
      around_.check->on_answer(*this, said);
      message = said;
    }
    for (std::size_t c = 0; c < client_count; ++c) {
      if (session_of_[c] == session) {
        send(c, message);
      }
    }
  }
  for (auto& each : out.to_peer) {
    edit(each, true);
    if (connection_ == around_.net.servers.number && !each.empty()) {
      around_.net.servers.to[peer()].push_back(std::move(each));
    }
  }
  streams_copy_ = streams_copy_ || out.stream_copy;
  for (const server_event each : out.events) {
    if (each == server_event::backup_in_sync) {
      around_.check->on_in_sync(*this);
    } else if (each == server_event::backup_lost) {
      around_.check->on_backup_dropped(*this);
    } else if (each == server_event::stopped) {
      around_.check->on_stopped(*this);
    }
  }
  if (out.lost) {
    write_lost(*out.lost);
  }
  if (out.disconnect_clients) {
    subscribed_ = {};
    for (auto& links : around_.net.links) {
      links[self_].down.clear();
      links[self_].answers.clear();
    }
  }
  if (out.step_down && log_->is_active()) {
    become_passive();
  }
  if (out.attempt) {
    ask_witness(*out.attempt);
  }
  if (out.epoch) {
    on_epoch(*out.epoch);
  }
  if (out.close_peer && connection_ != 0) {
    lose_connection();
  }
}

void production_server::write_lost(const lost_updates& lost) {
  std::vector<number> file;
  std::string lines;
  while (log_->read_lost(lost, lines, 50) == lost_read::more) {
  }
  std::istringstream in{lines};
  for (std::string line; std::getline(in, line);) {
    file.push_back(number_of(boost::json::parse(line).at("number").to_number<std::uint64_t>()));
  }
  // The checker asks for every entry, and only updates have a line.
  for (const entry& e : shown_.log) {
    if (e.at > number_of(lost.common) && e.what != kind::set && e.what != kind::erase) {
      file.push_back(e.at);
    }
  }
  if (planted_here(planted::cuts_without_file)) {
    file.clear();
  }
  around_.check->on_cut(*this, number_of(lost.common), file, lost.incomplete, discard_);
  log_->on_lost_written(lost, {}, actions_);
}

void production_server::send(std::size_t client, const to_client& message) {
  client_link& link = around_.net.links[client][self_];
  const bool is_answer = std::holds_alternative<model::answer>(message);
  (is_answer ? link.answers : link.down).push_back(message);
}

}  // namespace chp::model
