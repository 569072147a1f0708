#include "test/zmtp/simulation/cast.h"

#include "test/support/certificates.h"

#include <chrono>
#include <memory>
#include <optional>

namespace zmtp::simulation {

using std::chrono::milliseconds;
using std::chrono::seconds;

cast::cast(world& in, const production_options& options, history& record)
    : world_{in}, random_{in.random()}, how_{options} {
  choose_net();
  const auto which = random_.pick(patterns.size());
  types_ = patterns[how_.pattern.value_or(which)];
  byte_marks_ = !how_.cut && random_.chance(40);
  heartbeats_ = !how_.cut && random_.chance(50);
  topic_changes_ = how_.cut ? 20 : random_.chance(50) ? 3 : 0;
  choose_troubles();
  const auto some_spokes = random_.between(1, 6);
  const auto spokes = types_.hub == socket_type::pair || how_.cut ? 1 : some_spokes;
  for (std::uint32_t number = 1; number <= spokes + 1; ++number) {
    auto& p = *all_.emplace_back(std::make_unique<participant>());
    p.number = number;
    p.in = &world_.add("host" + std::to_string(number));
    p.type = number == 1 ? types_.hub : types_.spokes;
    p.peers = number == 1 ? types_.spokes : types_.hub;
    p.transport = how_.transport;
    choose_options(p);
    choose_habits(p);
    if (how_.fault.adjust) {
      how_.fault.adjust(p);
    }
    record.add(number, *p.in, user_of(p), how_.fault.layer);
  }
  connect();
}

void cast::choose_net() {
  auto& net = world_.net().options();
  if (how_.cut) {
    net.most_delay = net.least_delay;
    return;
  }
  net.most_delay = milliseconds{random_.between(1, 50)};
  net.jitter = random_.chance(50) ? milliseconds{random_.between(1, 20)} : milliseconds{0};
  net.most_window = random_.between(16, 128) * 1024;
  net.least_window = random_.chance(30) ? 512 : net.most_window;
  net.cuts = random_.chance(70);
  net.failing_connects = random_.chance(30) ? 30 : 0;
}

void cast::choose_troubles() {
  if (how_.no_troubles || how_.cut || random_.chance(20)) {
    return;
  }
  troubles_ = {.cuts = random_.chance(60),
               .half_open = random_.chance(30),
               .kills = random_.chance(30),
               .pauses = random_.chance(30),
               .parts = random_.chance(20),
               .disconnects = random_.chance(20),
               .moves = random_.chance(15),
               .outages = random_.chance(20)};
}

void cast::choose_options(participant& p) {
  auto& o = p.options;
  if (how_.transport == "tls+tcp" || how_.transport == "wss") {
    o.transport.tls = test::tls_of_server();
    o.transport.tls.server_name = "localhost";
  }
  o.send_mark.messages = random_.between(1, 20);
  o.receive_mark.messages = random_.between(1, 20);
  if (byte_marks_) {
    o.send_mark.bytes = random_.between(100, 5000);
    o.receive_mark.bytes = random_.between(100, 5000);
  }
  // Subscriptions wait for room in the queue of an XPUB. The simulation cannot see which ones wait.
  if (p.type == socket_type::xpub) {
    o.receive_mark = {.messages = {}, .bytes = {}};
  }
  o.reconnect.initial = milliseconds{how_.cut ? 10 : random_.between(10, 100)};
  if (heartbeats_) {
    o.heartbeat.interval = seconds{1};
    o.heartbeat.timeout = seconds{1};
  } else {
    o.heartbeat.interval.reset();
  }
  const bool named = random_.chance(70);
  const bool sometimes = random_.chance(50);
  switch (p.type) {
    case socket_type::req:
      o.relaxed = sometimes;
      // A REP that connects sends its reply to the next process at the endpoint.
      o.correlate = sometimes || troubles_.kills;
      break;
    case socket_type::router:
      o.handover = sometimes;
      o.mandatory = true;
      break;
    case socket_type::xpub:
      o.xpub.manual = random_.chance(40);
      if (random_.chance(50)) {
        o.xpub.last_values.emplace().topics = random_.chance(50) ? 3 : 1000;
      }
      o.no_drop = sometimes;
      break;
    case socket_type::pub: o.no_drop = sometimes; break;
    default: break;
  }
  if (named && (p.type == socket_type::req || p.type == socket_type::dealer ||
                p.type == socket_type::router)) {
    o.routing_id = p.name();
  }
  o.announce_peers =
      p.type == socket_type::dealer || p.type == socket_type::router || p.type == socket_type::xpub;
}

void cast::choose_habits(participant& p) {
  p.to_send = random_.between(5, 60);
  p.burst = random_.between(1, 15);
  p.eager = random_.chance(60);
  p.pace = milliseconds{random_.between(5, 200)};
  p.sizes.large = byte_marks_ ? 0 : 3;
  p.topic_changes = topic_changes_;
  if (how_.cut) {
    // Most messages of a publisher do not match a subscription.
    p.to_send = how_.each_sends * (publishes(p.type) ? 2 : 1);
    p.burst = p.to_send;
    p.eager = true;
    p.pace = milliseconds{20};
    p.sizes.large = how_.large;
    p.options.no_drop = publishes(p.type);
  }
  if (!begins(p.type, p.peers)) {
    p.to_send = 0;
  }
}

// The hub binds, or the spokes do, or some of each.
void cast::connect() {
  auto& hub = *all_.front();
  const auto choice = random_.pick(3);
  for (std::size_t i = 1; i < all_.size(); ++i) {
    auto& spoke = *all_[i];
    const bool one_binds = choice == 2 ? random_.chance(50) : choice == 1;
    const bool hub_binds = how_.cut ? how_.hub_binds : one_binds;
    auto& binder = hub_binds ? hub : spoke;
    auto& connector = hub_binds ? spoke : hub;
    binder.binds = true;
    if (!how_.cut && random_.chance(30)) {
      binder.binds_after = milliseconds{random_.between(1, 300)};
    }
    connector.connects_to.push_back(&binder);
    ++hub.connections;
    ++spoke.connections;
  }
}

history::user cast::user_of(const participant& p) {
  history::user u{.type = p.type,
                  .send_mark = p.options.send_mark,
                  .receive_mark = p.options.receive_mark,
                  .no_drop = p.options.no_drop,
                  .announces = p.options.announce_peers};
  if (p.type == socket_type::xsub) {
    u.publishes = publishing{.to_all = true};
  } else if (publishes(p.type)) {
    const auto& kept = p.options.xpub.last_values;
    u.publishes = publishing{.manual = p.options.xpub.manual,
                             .last_values = kept ? std::optional{kept->topics} : std::nullopt};
  }
  return u;
}

std::string cast::description() const {
  return std::string{to_string(types_.hub)} + " with " + std::to_string(all_.size() - 1) + " " +
         std::string{to_string(types_.spokes)} + to_string(troubles_) +
         (byte_marks_ ? ", marks in bytes" : "") + (heartbeats_ ? ", heartbeats" : "");
}

}  // namespace zmtp::simulation
