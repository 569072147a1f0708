#include "test/chp/simulation/node_process.h"

#include "bstar/state_message.h"
#include "chp/announcement.h"
#include "chp/server_ports.h"
#include "zmtp/metadata.h"
#include "zmtp/routing/round_robin_state.h"
#include "zmtp/routing/router_state.h"
#include "zmtp/routing/subscriber_state.h"
#include "zmtp/routing/xpub_state.h"

#include <algorithm>
#include <memory>
#include <variant>

namespace chp::simulation {

namespace {

using std::chrono::milliseconds;

constexpr std::string_view pair_extension = "bstar";

// Replaces a useless connection before the peer is declared dead.
zmtp::socket_options link_options(const bstar::pair_options& pair) {
  zmtp::socket_options o;
  o.reconnect.initial = std::max(milliseconds{1}, pair.heartbeat / 4);
  o.reconnect.maximum = std::max(milliseconds{1}, pair.heartbeat / 2);
  o.reconnect.refused_maximum = pair.heartbeat;
  o.heartbeat.interval = pair.heartbeat;
  o.heartbeat.timeout = pair.expiry_or_default();
  o.linger = milliseconds{0};
  return o;
}

zmtp::socket_options teller_options(const bstar::pair_options& pair) {
  auto o = link_options(pair);
  o.extensions = {std::string{pair_extension}};
  o.announce_peers = true;
  o.xpub.announce_as_pub = true;
  o.xpub.notifications = zmtp::xpub_options::notices::all;
  return o;
}

zmtp::socket_options hearer_options(const bstar::pair_options& pair) {
  auto o = link_options(pair);
  o.extensions = {std::string{pair_extension}};
  return o;
}

zmtp::socket_options backup_options(const bstar::pair_options& pair) {
  auto o = link_options(pair);
  o.extensions = announce_backup();
  o.announce_peers = true;
  return o;
}

const zmtp::metadata& said_by(const sim_socket& socket, zmtp::peer_id peer) {
  static const zmtp::metadata nothing;  // for peers that have disconnected
  const auto* const p = socket.state().find(peer);
  return p != nullptr ? p->info.properties : nothing;
}

}  // namespace

node_process::life::life(node_process& of, std::uint64_t random)
    : state{of.options_.server, server_state::kind::paired, random},
      machine{of.options_.pair, of.disk_, static_cast<std::uint32_t>(random >> 40),
              of.here().now()},
      alarm{of.here(), of.host(), [&of] { of.on_time(); }},
      pair_alarm{of.here(), of.host(), [&of] { of.on_pair_time(); }},
      last_received_at{of.here().now()} {}

void node_process::begin() {
  auto& one = life_.emplace(*this, here().random().next());
  const auto own = address_of(name());
  const auto other = address_of(peer_);
  const auto open = [this](std::unique_ptr<zmtp::socket_state> state,
                           bool (node_process::*user)()) {
    auto& socket = here().open(host(), std::move(state));
    socket.serve([this, user] { return (this->*user)(); });
    return &socket;
  };
  const auto& how = options_.server;
  const auto& pair = options_.pair;
  one.snapshots = open(std::make_unique<zmtp::router_state>(snapshot_port_options(how)),
                       &node_process::serve_snapshot_clients);
  one.publisher = open(std::make_unique<zmtp::xpub_state>(publisher_port_options(how)),
                       &node_process::serve_subscribers);
  one.collector =
      open(std::make_unique<zmtp::sub_state>(collector_port_options(how)), &node_process::collect);
  one.teller =
      open(std::make_unique<zmtp::xpub_state>(teller_options(pair)), &node_process::hear_listeners);
  one.hearer =
      open(std::make_unique<zmtp::sub_state>(hearer_options(pair)), &node_process::hear_peer);
  one.feed =
      open(std::make_unique<zmtp::sub_state>(backup_options(pair)), &node_process::follow_feed);
  open_source();
  one.snapshots->bind(own.snapshots);
  one.publisher->bind(own.publisher);
  one.collector->bind(own.collector);
  one.collector->subscribe("");
  one.teller->bind(own.state);
  one.hearer->subscribe("");
  one.hearer->connect(other.state);
  one.feed->subscribe("");
  one.feed->subscribe("HUGZ");
  one.feed->connect(other.publisher);
  if (options_.stored) {
    disk_refuses_ = false;
    if (one.state.restore(disk_map_.all(), here().now())) {
      here().books().report(violation::lost, name() + " cannot read its store");
    }
  }
  one.machine.set_data_lost(disk_ != 0 && one.state.number() == 0 &&
                            !faults_.takes_over_with_nothing);
  one.state.deactivate(here().now(), one.actions);
  one.pair_alarm.set(one.machine.next_deadline());
  finish();
}

void node_process::end() { life_.reset(); }

void node_process::on_kill(bool /*without_power*/) {
  // A write in progress may or may not be stored.
  if (!life_->written.empty() && here().random().chance(50)) {
    (void)store_written();
  }
  here().books().on_killed(number(), disk_map_.all().number);
  if (faults_.forgets_epoch) {
    disk_ = 0;
  }
}

// A connection is good for one snapshot.
void node_process::open_source() {
  if (life_->source != nullptr) {
    life_->source->abandon();
    life_->state.on_source_detached();
  }
  auto& socket =
      here().open(host(), std::make_unique<zmtp::dealer_state>(backup_options(options_.pair)));
  socket.serve([this, &socket] { return life_->source == &socket && hear_source(); });
  life_->source = &socket;
  socket.connect(address_of(peer_).snapshots);
}

bool node_process::serve_snapshot_clients() {
  zmtp::routed_message item;
  bool did = false;
  while (life_->snapshots->state().receive(item)) {
    did = true;
    on_snapshot_client(item);
  }
  did = stream() || did;
  if (did) {
    finish();
  }
  return did;
}

void node_process::on_snapshot_client(zmtp::routed_message& item) {
  auto& one = *life_;
  switch (item.what) {
    case zmtp::routed_message::kind::attached:
      one.state.on_snapshot_client_attached(item.peer, said_by(*one.snapshots, item.peer));
      return;
    case zmtp::routed_message::kind::detached:
      one.streams.erase(item.peer);
      one.unanswered.erase(item.peer);
      one.state.on_snapshot_client_detached(item.peer, one.actions);
      return;
    case zmtp::routed_message::kind::message: break;
  }
  if (one.state.is_vote(item.peer, item.content) && !vote()) {
    return;
  }
  const auto said = parse_snapshot_port(item.content, options_.server.limit);
  if (said && std::holds_alternative<snapshot_request>(*said) &&
      parse_announcement(said_by(*one.snapshots, item.peer)).backup) {
    on_question(item.peer);
  }
  const auto before = one.state.status().counters.resubmitted;
  one.state.on_snapshot_client_message(item.peer, item.content, here().now(), one.actions);
  if (const auto* const offered = said ? std::get_if<resubmission>(&*said) : nullptr) {
    carry_out();
    if (one.state.active()) {
      here().books().on_offered(number(), update_id::of_frame(offered->change.id),
                                one.state.status().counters.resubmitted != before);
    }
  }
}

void node_process::on_question(zmtp::peer_id backup) {
  questions_at_once_ += last_question_ == here().now() ? 1U : 0U;
  last_question_ = here().now();
  if (faults_.answers_each_question) {
    ++life_->unanswered[backup];
  }
}

// The last one has been.
bool node_process::answer_another(zmtp::peer_id backup) {
  auto& one = *life_;
  const auto known = one.unanswered.find(backup);
  if (known == one.unanswered.end() || --known->second == 0) {
    one.unanswered.erase(backup);
    return false;
  }
  const auto streams = one.actions.stream.size();
  one.state.on_snapshot_client_message(backup, make_snapshot_request(""), here().now(),
                                       one.actions);
  const bool asked = one.actions.stream.size() != streams;
  one.actions.stream.resize(streams);
  return asked;
}

// Sends the next pieces of the requested snapshots, as far as the queues have room.
bool node_process::stream() {
  auto& one = *life_;
  auto& router = *one.snapshots;
  bool did = false;
  for (auto at = one.streams.begin(); at != one.streams.end();) {
    const auto peer = at->first;
    auto& waiting = at->second;
    bool over = router.state().find(peer) == nullptr;
    while (!over && router.state().writable(peer)) {
      if (waiting.empty()) {
        std::vector<server_actions::addressed> others;
        std::swap(others, one.actions.reply);
        const auto streams = one.actions.stream.size();
        one.state.on_writable(peer, here().now(), one.actions);
        one.actions.stream.resize(streams);
        for (auto& next : one.actions.reply) {
          if (faults_.answered) {
            faults_.answered(next.content);
          }
          waiting.push_back(std::move(next.content));
        }
        std::swap(others, one.actions.reply);
        did = true;
        over = waiting.empty() && !answer_another(peer);
      } else if (router.send([&](zmtp::if_full) {
                   return router.state().send(peer, std::move(waiting.front()));
                 }) == zmtp::send_status::queued) {
        waiting.pop_front();
      } else {
        break;
      }
    }
    at = over ? one.streams.erase(at) : std::next(at);
  }
  return did;
}

bool node_process::serve_subscribers() {
  auto& one = *life_;
  zmtp::routed_message item;
  bool did = false;
  while (one.publisher->state().receive(item)) {
    did = true;
    const auto& said = said_by(*one.publisher, item.peer);
    if (item.what == zmtp::routed_message::kind::detached) {
      one.sessions.erase(item.peer);
    } else if (const auto session = parse_announcement(said).session) {
      one.sessions.insert_or_assign(item.peer, *session);
    }
    on_subscriber(one.state, item, said, one.actions);
  }
  if (did) {
    finish();
  }
  return did;
}

bool node_process::collect() {
  zmtp::message m;
  bool did = false;
  while (has_room() && life_->collector->state().receive(m)) {
    // Detects whether the process was paused and has lost its role.
    if (!std::exchange(did, true) && life_->state.active()) {
      (void)vote();
    }
    on_set(std::move(m));
  }
  if (did) {
    finish();
  }
  return did;
}

void node_process::on_set(zmtp::message&& m) {
  auto& one = *life_;
  if (const auto u = parse_set(m, form::kvmsg, options_.server.limit)) {
    const auto id = update_id::of_frame(u->id);
    if (!one.state.active()) {
      here().books().on_heard(number(), id);
    } else if (faults_.acknowledges_at_once && id.has_session()) {
      for (const auto& [peer, session] : one.sessions) {
        if (session == id.session()) {
          std::string properties;
          append_acknowledgement(properties, id.counter(), {}, false);
          one.actions.tell.push_back({peer, make_heartbeat(properties)});
        }
      }
    }
  }
  if (!faults_.received || faults_.received(one.state, m)) {
    one.state.on_update(std::move(m), here().now(), one.actions);
  }
}

bool node_process::follow_feed() {
  auto& one = *life_;
  zmtp::routed_message item;
  bool did = false;
  while (has_room() && one.feed->state().receive(item)) {
    did = true;
    switch (item.what) {
      case zmtp::routed_message::kind::attached: one.state.on_feed_attached(); break;
      case zmtp::routed_message::kind::detached: one.state.on_feed_detached(one.actions); break;
      case zmtp::routed_message::kind::message:
        one.last_received_at = here().now();
        one.state.on_publication(std::move(item.content), here().now(), one.actions);
        break;
    }
    // The disconnect of a dropped connection must precede the messages of the next.
    if (one.actions.reconnect_source) {
      carry_out();
    }
  }
  if (did) {
    finish();
  }
  return did;
}

bool node_process::hear_source() {
  auto& one = *life_;
  auto& socket = *one.source;
  zmtp::routed_message item;
  bool did = false;
  while (one.source == &socket && socket.state().receive(item)) {
    did = true;
    switch (item.what) {
      case zmtp::routed_message::kind::attached:
        one.state.on_source_attached(said_by(socket, item.peer), here().now(), one.actions);
        break;
      case zmtp::routed_message::kind::detached: open_source(); break;
      case zmtp::routed_message::kind::message:
        one.last_received_at = here().now();
        one.state.on_source_message(item.content, here().now(), milliseconds{0}, one.actions);
        break;
    }
    if (one.actions.reconnect_source) {
      carry_out();
    }
  }
  if (one.source == &socket && one.stream_ask && socket.state().writable()) {
    did = true;
    one.stream_ask = false;
    one.state.on_source_writable(here().now(), one.actions);
  }
  if (did) {
    finish();
  }
  return did;
}

bool node_process::hear_peer() {
  auto& one = *life_;
  zmtp::message m;
  bool did = false;
  while (one.hearer->state().receive(m)) {
    did = true;
    if (const auto report = bstar::parse_state(m.front())) {
      one.machine.on_peer(*report, here().now(), one.machine_actions);
      carry_out_pair();
    }
  }
  if (did) {
    finish();
  }
  return did;
}

bool node_process::hear_listeners() {
  auto& one = *life_;
  zmtp::routed_message item;
  bool did = false;
  while (one.teller->state().receive(item)) {
    did = true;
    const auto known = std::find_if(one.listeners.begin(), one.listeners.end(),
                                    [&](const listener& l) { return l.peer == item.peer; });
    switch (item.what) {
      case zmtp::routed_message::kind::attached: break;
      case zmtp::routed_message::kind::message:
        if (known == one.listeners.end() && item.content.front().starts_with('\1')) {
          const auto ours =
              zmtp::find_extension(said_by(*one.teller, item.peer), pair_extension).has_value();
          tell(one.listeners.emplace_back(listener{item.peer, ours}));
        }
        break;
      case zmtp::routed_message::kind::detached:
        if (known != one.listeners.end()) {
          one.listeners.erase(known);
        }
        break;
    }
  }
  return did;
}

void node_process::tell(const listener& to) {
  auto& teller = *life_->teller;
  const auto report = life_->machine.report();
  (void)teller.send([&](zmtp::if_full) {
    return teller.state().send(to.peer, zmtp::message{to.ours ? bstar::state_text(report)
                                                              : bstar::state_digit(report.state)});
  });
}

bool node_process::vote() {
  auto& one = *life_;
  const bool at_once = one.machine.on_client_request(here().now(), one.machine_actions);
  carry_out_pair();
  return at_once || one.machine.serving();
}

void node_process::carry_out_pair() {
  auto& one = *life_;
  for (bool again = true; again;) {
    const auto machine_actions = std::exchange(one.machine_actions, {});
    again = machine_actions.persist.has_value();
    if (machine_actions.persist) {
      disk_ = *machine_actions.persist;
      one.machine.on_persisted(disk_, here().now(), one.machine_actions);
    }
    if (machine_actions.publish) {
      for (const auto& to : one.listeners) {
        tell(to);
      }
    }
    for (const auto what : machine_actions.events) {
      if (what == bstar::event::suspended) {
        one.state.suspend(one.actions);
      } else if (what == bstar::event::resumed && !machine_actions.became_active) {
        one.state.activate(one.machine.current_epoch(), here().now(), one.actions);
      }
    }
    if (machine_actions.became_active) {
      activate(*machine_actions.became_active);
    }
    if (machine_actions.became_passive) {
      one.last_received_at = here().now();
      one.state.deactivate(here().now(), one.actions);
    }
  }
  here().books().on_serving(number(), one.machine.serving());
  one.pair_alarm.set(one.machine.next_deadline());
}

void node_process::activate(bstar::epoch epoch) {
  auto& one = *life_;
  carry_out();
  const auto was_active = one.state.active();
  here().books().on_active(number(), epoch, one.state.number(),
                           here().now() - one.last_received_at);
  one.state.activate(epoch, here().now(), one.actions);
  carry_out();
  here().books().on_position(number(), one.state.number());
  if (!was_active) {
    here().books().on_replayed(number());
  }
}

void node_process::on_time() {
  life_->publisher->turn([this] {
    auto& one = *life_;
    if (faults_.expires_when_passive) {
      expire_wrongly();
    }
    const auto early = faults_.expires_early ? std::chrono::seconds{5} : std::chrono::seconds{0};
    one.state.on_deadline(here().now() + early, one.actions);
    finish();
  });
}

// As a server of the Guide does that is passive.
void node_process::expire_wrongly() {
  auto& one = *life_;
  const store::entry* due = nullptr;
  one.state.map().for_each({}, [&](const store::entry& e) {
    due = e.deadline() && *e.deadline() <= here().now() ? &e : due;
    return due == nullptr;
  });
  if (due == nullptr || one.state.active()) {
    return;
  }
  const auto key = std::string{due->key()};
  update erasing;
  erasing.key = key;
  auto& random = here().random();
  const auto high = random.next();
  one.state.on_publication(
      make_publication(form::kvmsg, erasing, update_id::of_random(high, random.next()),
                       one.state.number() + 1),
      here().now(), one.actions);
}

void node_process::on_pair_time() {
  life_->teller->turn([this] {
    life_->machine.on_deadline(here().now(), life_->machine_actions);
    carry_out_pair();
    finish();
  });
}

bool node_process::has_room() {
  auto& one = *life_;
  one.held = one.held || !one.state.has_room();
  return one.state.has_room();
}

void node_process::finish() {
  auto& one = *life_;
  one.state.on_turn_end(here().now(), one.actions);
  carry_out();
  here().books().on_position(number(), one.state.number());
  one.machine.set_position(one.state.number());
  one.machine.on_data_of(static_cast<bstar::epoch>(epoch_of(one.state.number())));
  one.alarm.set(one.state.next_deadline());
  if (one.held && one.state.has_room()) {
    one.held = false;
    after({}, [this] {
      life_->collector->turn([] {});
      life_->feed->turn([] {});
    });
  }
}

// Changes that arrive during a write are written after it.
void node_process::write() {
  auto& one = *life_;
  for (auto& next : std::exchange(one.actions.write, {})) {
    one.to_write.push_back(std::move(next));
  }
  if (one.to_write.empty() || !one.written.empty()) {
    return;
  }
  std::swap(one.to_write, one.written);
  if (faults_.says_stored_at_once) {
    for (std::size_t i = 0; i != one.written.size(); ++i) {
      one.state.on_written({}, here().now(), one.actions);
    }
  }
  after(here().up_to(milliseconds{30}), [this] { on_synced(); });
}

std::vector<boost::system::error_code> node_process::store_written() {
  std::vector<boost::system::error_code> results;
  for (const auto& changes : std::exchange(life_->written, {})) {
    const bool is_whole = changes.front().what == map_operation::clear;
    disk_refuses_ = disk_is_full_ || (disk_refuses_ && !is_whole);
    if (disk_refuses_) {
      results.emplace_back(zmtp::storage_errc::store_full);
      continue;
    }
    results.emplace_back();
    for (const auto& change : changes) {
      disk_map_.apply(change);
    }
  }
  return results;
}

void node_process::on_synced() {
  life_->publisher->turn([this] {
    const auto results = store_written();
    if (!faults_.says_stored_at_once) {
      for (const auto ec : results) {
        life_->state.on_written(ec, here().now(), life_->actions);
      }
    }
    finish();
  });
}

void node_process::carry_out() {
  auto& one = *life_;
  auto& actions = one.actions;
  write();
  if (faults_.edit) {
    faults_.edit(one.state, actions);
  }
  tell_books();
  auto& publisher = *one.publisher;
  for (auto& m : std::exchange(actions.publish, {})) {
    (void)publisher.send(
        [&](zmtp::if_full then) { return publisher.state().send(std::move(m), then); });
  }
  for (auto& next : std::exchange(actions.tell, {})) {
    const auto status = publisher.send(
        [&](zmtp::if_full) { return publisher.state().send(next.to, std::move(next.content)); });
    if (status != zmtp::send_status::queued) {
      if (one.state.on_not_told(next.to)) {
        actions.close_subscribers.push_back(next.to);
      }
    }
  }
  auto& router = *one.snapshots;
  for (auto& next : std::exchange(actions.reply, {})) {
    if (router.send([&](zmtp::if_full) {
          return router.state().send(next.to, std::move(next.content));
        }) != zmtp::send_status::queued &&
        !faults_.drops_answers) {
      router.disconnect(next.to);
    }
  }
  for (const auto peer : std::exchange(actions.close_snapshot_clients, {})) {
    router.disconnect(peer);
  }
  for (const auto peer : std::exchange(actions.close_subscribers, {})) {
    publisher.disconnect(peer);
  }
  const auto asked = std::exchange(actions.stream, {});
  for (const auto peer : asked) {
    one.streams.try_emplace(peer);
  }
  if (!asked.empty() && stream()) {
    carry_out();
  }
  if (std::exchange(actions.renew_epoch, false)) {
    one.machine.renew_epoch(here().now(), one.machine_actions);
    carry_out_pair();
  }
  if (std::exchange(actions.reconnect_source, false)) {
    actions.ask.clear();
    open_source();
  }
  for (auto& m : std::exchange(actions.ask, {})) {
    const auto said = parse_snapshot_port(m, options_.server.limit);
    questions_ += said && std::holds_alternative<snapshot_request>(*said) ? 1U : 0U;
    if (faults_.asked) {
      faults_.asked(m);
    }
    (void)one.source->send(std::move(m));
  }
  if (std::exchange(actions.stream_ask, false)) {
    one.stream_ask = true;
    // As soon as it is its turn.
    (void)here().net().after(host(), {}, [this, at = one.source] {
      if (running() && life_->source == at) {
        at->turn([] {});
      }
    });
  }
}

void node_process::tell_books() {
  auto& one = *life_;
  auto& books = here().books();
  for (const auto what : std::exchange(one.actions.events, {})) {
    here().note("server: node, event", {number(), static_cast<std::uint64_t>(what)});
    if (what == server_event::synchronized) {
      one.machine.set_data_lost(false);
      books.on_synchronized(number(), one.state.map());
    } else if (what == server_event::reconciled) {
      books.on_reconciled(number());
    }
  }
  for (const auto& m : one.actions.publish) {
    const auto said = parse_publication(m, form::kvmsg, options_.server.limit);
    if (const auto* const u = said ? std::get_if<update>(&*said) : nullptr) {
      books.on_publication(number(), *u);
    }
  }
  for (const auto& [to, m] : one.actions.tell) {
    const auto session = one.sessions.find(to);
    const auto said = parse_publication(m, form::kvmsg, options_.server.limit);
    const auto* const hugz = said ? std::get_if<heartbeat>(&*said) : nullptr;
    const auto notified = hugz != nullptr ? find_acknowledgement(hugz->properties) : std::nullopt;
    if (notified && session != one.sessions.end()) {
      books.on_promise(number(), session->second, *notified);
    }
  }
}

}  // namespace chp::simulation
