#include "test/chp/simulation/client_process.h"

#include "chp/announcement.h"
#include "chp/error.h"
#include "zmtp/routing/round_robin_state.h"
#include "zmtp/routing/subscriber_state.h"
#include "zmtp/routing/xpub_state.h"

#include <algorithm>
#include <memory>

namespace chp::simulation {

client_process::life::life(client_process& of, std::uint64_t of_session, std::uint32_t seed)
    : session{of_session},
      state{of.servers_.size(), of.options_, of_session, seed},
      collectors(of.servers_.size()),
      alarm{of.here(), of.host(), [&of] {
              of.life_->state.on_deadline(of.here().now(), of.life_->actions);
              of.carry_out();
            }} {}

zmtp::socket_options client_process::visitor_options() const {
  zmtp::socket_options o;
  o.announce_peers = true;
  o.reconnect.stop_after = 1;
  o.extensions = announce_client(life_->session);
  return o;
}

void client_process::begin() {
  const auto session = update_id::make_session(here().random().next());
  auto& one =
      life_.emplace(*this, session, static_cast<std::uint32_t>(here().random().next() >> 32));
  one.state.tell_changes(true);
  for (std::size_t i = 0; i != servers_.size(); ++i) {
    zmtp::socket_options o;
    o.announce_peers = true;
    o.send_mark.messages.reset();
    o.reconnect.initial = options_.retry;
    o.reconnect.maximum = std::max(options_.retry, options_.longest_retry);
    o.reconnect.refused_maximum = o.reconnect.maximum;
    o.extensions = announce_client(session);
    o.xpub.announce_as_pub = true;
    o.xpub.notifications = zmtp::xpub_options::notices::all;
    auto& socket = here().open(host(), std::make_unique<zmtp::xpub_state>(o));
    one.collectors[i].socket = &socket;
    socket.serve([this, i] { return collect_subscriptions(i); });
    socket.connect(address_of(servers_[i]).collector);
  }
  one.state.start(here().now(), one.actions);
  carry_out();
  wake_later();
}

void client_process::end() { life_.reset(); }

void client_process::wake_later() {
  if (how_.updates == 0) {
    return;
  }
  after(here().up_to(how_.pace), [this] {
    for (auto left = here().random().between(0, how_.burst); left != 0 && how_.updates != 0;
         --left) {
      --how_.updates;
      std::optional<std::chrono::seconds> ttl;
      if (here().random().chance(how_.mortal)) {
        ttl = std::chrono::seconds{here().random().between(1, 4)};
      }
      (void)make_update(ttl);
    }
    wake_later();
  });
}

std::uint32_t client_process::make_update(std::optional<std::chrono::seconds> ttl) {
  auto& one = *life_;
  auto& random = here().random();
  auto& books = here().books();
  const auto key = how_.keys[random.pick(how_.keys.size())];
  const bool erases = !ttl && random.chance(how_.erases);
  const auto number = books.begin_update(key, erases, ttl);
  // The client may send the update at once.
  one.unsent.push_back({0, number});
  const auto given =
      one.state.set(key, books.value_of(number), {.ttl = ttl}, here().now(), one.actions);
  if (!given) {
    one.unsent.pop_back();
    books.report(violation::stuck,
                 this->name() + " cannot set: " + make_error_code(given.error()).message());
    return number;
  }
  one.unsent.back().ticket = *given;
  one.updates.emplace(*given, number);
  carry_out();
  return number;
}

bool client_process::alive(const sim_socket& one) const noexcept {
  return life_ && (life_->subscriber == &one || life_->snapshot == &one);
}

bool client_process::collect_subscriptions(std::size_t server) {
  auto& one = *life_;
  auto& own = one.collectors[server];
  zmtp::routed_message item;
  bool did = false;
  while (own.socket->state().receive(item)) {
    did = true;
    switch (item.what) {
      case zmtp::routed_message::kind::attached: own.peer = item.peer; break;
      case zmtp::routed_message::kind::message:
        if (item.content.size() == 1 && item.content.front().starts_with('\1')) {
          one.state.on_collector_subscribed(server, here().now(), one.actions);
        }
        break;
      case zmtp::routed_message::kind::detached:
        own.peer.reset();
        one.state.on_collector_detached(server);
        break;
    }
    carry_out();
  }
  return did;
}

bool client_process::hear_subscriber() {
  auto& one = *life_;
  auto& socket = *one.subscriber;
  zmtp::routed_message item;
  bool did = false;
  while (one.subscriber == &socket && socket.state().receive(item)) {
    did = true;
    switch (item.what) {
      case zmtp::routed_message::kind::attached: {
        const auto* const p = socket.state().find(item.peer);
        one.state.on_subscriber_attached(
            p != nullptr && parse_announcement(p->info.properties).log, here().now(), one.actions);
        break;
      }
      case zmtp::routed_message::kind::message:
        one.state.on_subscriber_message(std::move(item.content), here().now(), one.actions);
        break;
      case zmtp::routed_message::kind::detached:
        one.state.on_lost(here().now(), one.actions);
        break;
    }
    carry_out();
  }
  return did;
}

bool client_process::hear_snapshot() {
  auto& one = *life_;
  auto& socket = *one.snapshot;
  zmtp::routed_message item;
  bool did = false;
  while (one.snapshot == &socket && socket.state().receive(item)) {
    did = true;
    switch (item.what) {
      case zmtp::routed_message::kind::attached:
        one.state.on_snapshot_attached(here().now(), one.actions);
        break;
      case zmtp::routed_message::kind::message:
        one.state.on_snapshot_message(item.content, here().now(), one.actions);
        break;
      case zmtp::routed_message::kind::detached:
        one.state.on_lost(here().now(), one.actions);
        break;
    }
    carry_out();
  }
  return did;
}

void client_process::open_snapshot(std::size_t server) {
  auto& socket = here().open(host(), std::make_unique<zmtp::dealer_state>(visitor_options()));
  life_->snapshot = &socket;
  socket.serve([this, &socket] { return life_->snapshot == &socket && hear_snapshot(); });
  socket.on_stopped([this, &socket] {
    if (alive(socket)) {
      life_->state.on_unreachable(here().now(), life_->actions);
      carry_out();
    }
  });
  socket.connect(address_of(servers_[server]).snapshots);
}

void client_process::connect(const client_actions::connecting& c) {
  using enum client_actions::connection;
  auto& one = *life_;
  const auto close_one = [](sim_socket*& of) {
    if (auto* const gone = std::exchange(of, nullptr)) {
      gone->abandon();
    }
  };
  switch (c.what) {
    case close:
      close_one(one.subscriber);
      close_one(one.snapshot);
      return;
    case open: {
      auto& socket = here().open(host(), std::make_unique<zmtp::sub_state>(visitor_options()));
      one.subscriber = &socket;
      socket.serve([this, &socket] { return life_->subscriber == &socket && hear_subscriber(); });
      socket.on_stopped([this, &socket] {
        if (alive(socket)) {
          life_->state.on_unreachable(here().now(), life_->actions);
          carry_out();
        }
      });
      socket.subscribe(options_.subtree);
      socket.subscribe("HUGZ");
      socket.connect(address_of(servers_[c.server]).publisher);
      open_snapshot(c.server);
      return;
    }
    case renew_snapshot:
      if (faults_.keeps_snapshot_connection) {
        one.state.on_snapshot_attached(here().now(), one.actions);
        return;
      }
      close_one(one.snapshot);
      open_snapshot(c.server);
      return;
    case close_snapshot: close_one(one.snapshot); return;
  }
}

void client_process::publish(client_actions::publication&& p) {
  auto& one = *life_;
  const auto set = parse_set(p.content, form::kvmsg, {});
  const auto id = set ? update_id::of_frame(set->id) : update_id{};
  if (id.counter() > one.last_counter) {
    one.last_counter = id.counter();
    here().books().on_sent(one.unsent.front().update, id);
    one.unsent.pop_front();
  }
  const auto& to = one.collectors[p.server];
  if (!to.peer) {
    return;
  }
  const auto status = to.socket->send(
      [&](zmtp::if_full) { return to.socket->state().send(*to.peer, std::move(p.content)); });
  // Disconnects, so that no update is skipped.
  if (status == zmtp::send_status::full) {
    to.socket->disconnect(*to.peer);
  }
}

void client_process::complete(const client_actions::completion& c) {
  auto& one = *life_;
  const auto found = one.updates.find(c.ticket);
  if (found == one.updates.end()) {
    here().books().report(violation::invented, name() + " completes an unknown operation");
    return;
  }
  if (!c.ec) {
    here().books().on_committed(found->second);
  } else {
    here().books().on_refused(found->second);
  }
  one.updates.erase(found);
}

void client_process::on_event(const client_event& e) {
  here().note(name() + " event, server",
              {static_cast<std::uint64_t>(e.what), static_cast<std::uint64_t>(e.server)});
  auto& one = *life_;
  switch (e.what) {
    case client_event::kind::following:
      here().books().check_map(name(), replica_of(one.state.map()), one.state.status().number,
                               options_.subtree);
      return;
    case client_event::kind::history_lost:
      ++losses_told_;
      one.number = 0;
      return;
    case client_event::kind::server_lost:
    case client_event::kind::server_unreachable:
    case client_event::kind::server_silent: ++failovers_; return;
    case client_event::kind::gap:
    case client_event::kind::too_large:
    case client_event::kind::history_refused:
    case client_event::kind::lost:
    case client_event::kind::session_forgotten:
    case client_event::kind::degraded:
    case client_event::kind::replicated: return;
  }
}

void client_process::carry_out() {
  auto& one = *life_;
  if (faults_.edit) {
    faults_.edit(one.state, one.actions);
  }
  while (!one.actions.empty()) {
    auto taken = std::exchange(one.actions, {});
    perform(taken);
  }
  one.alarm.set(one.state.next_deadline());
  (void)one.state.tidy(1'000);
  auto& books = here().books();
  const auto number = one.state.status().number;
  if (one.number != 0 && (number < one.number || books.began_after(number, one.number))) {
    books.report(violation::went_back, name());
  }
  one.number = std::max(one.number, number);
}

void client_process::perform(client_actions& actions) {
  auto& one = *life_;
  for (const auto& c : actions.connections) {
    connect(c);
  }
  for (auto& m : actions.asks) {
    if (one.snapshot != nullptr) {
      (void)one.snapshot->send(std::move(m));
    }
  }
  for (auto& p : actions.publications) {
    publish(std::move(p));
  }
  const auto adopted = std::any_of(actions.events.begin(), actions.events.end(), [](const auto& e) {
    return e.what == client_event::kind::following;
  });
  for (const auto& change : actions.changes) {
    if (adopted && faults_.tells_no_difference) {
      continue;
    }
    if (change.erased()) {
      one.notified.erase(change.key);
    } else {
      one.notified.insert_or_assign(change.key, change.value);
    }
  }
  for (const auto& c : actions.completions) {
    complete(c);
  }
  // Events come last: earlier changes and completions belong to the loss that an event reports.
  for (const auto& e : actions.events) {
    on_event(e);
  }
}

void client_process::check_rest(sequence last) {
  auto& books = here().books();
  const auto s = life_->state.status();
  if (!s.following) {
    books.report(violation::not_converged, name() + " follows no server");
    return;
  }
  if (s.sent + s.unsent != 0 || !life_->updates.empty()) {
    books.report(violation::stuck, name() + " has " + std::to_string(s.sent + s.unsent) +
                                       " updates that are not committed");
  }
  books.check_map(name(), replica_of(life_->state.map()), last, options_.subtree);
  books.check_map("a watcher of " + name(), life_->notified, last, options_.subtree);
}

}  // namespace chp::simulation
