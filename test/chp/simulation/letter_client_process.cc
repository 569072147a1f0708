#include "test/chp/simulation/letter_client_process.h"

#include "chp/command.h"
#include "chp/properties.h"
#include "zmtp/routing/pub_state.h"
#include "zmtp/routing/round_robin_state.h"
#include "zmtp/routing/subscriber_state.h"

#include <memory>
#include <variant>

namespace chp::simulation {

namespace {

// The Guide's clone client sends at most this number of requests to a server before it waits for an answer.
constexpr std::size_t most_requests = 2;

}  // namespace

void letter_client_process::begin() {
  publisher_ = &here().open(host(), std::make_unique<zmtp::pub_state>(zmtp::socket_options{}));
  for (const auto& name : servers_) {
    publisher_->connect(address_of(name).collector);
  }
  turn_to(0);
  watch_silence();
  wake_later();
}

void letter_client_process::end() {
  publisher_ = subscriber_ = snapshot_ = nullptr;
  active_ = false;
  map_.clear();
}

void letter_client_process::wake_later() {
  if (sets_.updates == 0) {
    return;
  }
  after(here().up_to(sets_.pace), [this] {
    if (sets_.updates != 0) {
      --sets_.updates;
      set();
    }
    wake_later();
  });
}

void letter_client_process::set() {
  auto& random = here().random();
  auto& books = here().books();
  std::optional<std::chrono::seconds> ttl;
  if (random.chance(sets_.mortal)) {
    ttl = std::chrono::seconds{random.between(1, 4)};
  }
  const auto key = sets_.keys[random.pick(sets_.keys.size())];
  const auto number = books.begin_update(key, !ttl && random.chance(sets_.erases), ttl);
  const auto high = random.next();
  const auto id = update_id::of_random(high, random.next());
  books.on_sent(number, id);
  std::string properties;
  if (ttl) {
    append_ttl(properties, *ttl);
  }
  (void)publisher_->send(make_set(form::kvmsg, key, id, properties, books.value_of(number)));
}

void letter_client_process::turn_to(std::size_t server) {
  server_ = server;
  requests_ = 0;
  active_ = false;
  incoming_.clear();
  behind_.clear();
  last_received_at_ = here().now();
  if (subscriber_ != nullptr) {
    subscriber_->abandon();
    snapshot_->abandon();
  }
  const auto at = address_of(servers_[server]);
  zmtp::socket_options o;
  auto& subscriber = here().open(host(), std::make_unique<zmtp::sub_state>(o));
  subscriber_ = &subscriber;
  subscriber.serve([this, &subscriber] { return subscriber_ == &subscriber && hear_subscriber(); });
  subscriber.subscribe(options_.subtree);
  subscriber.subscribe("HUGZ");
  subscriber.connect(at.publisher);
  auto& snapshot = here().open(host(), std::make_unique<zmtp::dealer_state>(o));
  snapshot_ = &snapshot;
  snapshot.serve([this, &snapshot] { return snapshot_ == &snapshot && hear_snapshot(); });
  snapshot.connect(at.snapshots);
  ask();
}

void letter_client_process::ask() {
  ++requests_;
  (void)snapshot_->send(make_snapshot_request(options_.subtree));
}

// Looks a few times in its time whether there was a sign of life.
void letter_client_process::watch_silence() {
  after(options_.server_ttl / 4, [this] {
    if (here().now() - last_received_at_ >= options_.server_ttl) {
      turn_to((server_ + 1) % servers_.size());
    } else if (!active_ && incoming_.empty() && requests_ < most_requests) {
      ask();
    }
    watch_silence();
  });
}

bool letter_client_process::hear_snapshot() {
  zmtp::message m;
  bool did = false;
  while (snapshot_->state().receive(m)) {
    did = true;
    last_received_at_ = here().now();
    const auto said = parse_snapshot(m, form::kvmsg, {});
    if (!said || active_) {
      continue;
    }
    if (const auto* const u = std::get_if<update>(&*said)) {
      incoming_.insert_or_assign(std::string{u->key}, std::string{u->value});
    } else if (const auto* const end = std::get_if<snapshot_end>(&*said)) {
      active_ = true;
      map_ = std::exchange(incoming_, {});
      number_ = end->number;
      for (const auto& one : std::exchange(behind_, {})) {
        on_publication(one);
      }
    }
  }
  return did;
}

bool letter_client_process::hear_subscriber() {
  zmtp::message m;
  bool did = false;
  while (subscriber_->state().receive(m)) {
    did = true;
    if (active_) {
      on_publication(m);
    } else {
      behind_.push_back(m);
    }
  }
  return did;
}

void letter_client_process::on_publication(const zmtp::message& m) {
  last_received_at_ = here().now();
  const auto said = parse_publication(m, form::kvmsg, {});
  const auto* const u = said ? std::get_if<update>(&*said) : nullptr;
  if (u == nullptr || u->number <= number_ || !u->key.starts_with(options_.subtree)) {
    return;
  }
  number_ = u->number;
  if (u->erases()) {
    map_.erase(std::string{u->key});
  } else {
    map_.insert_or_assign(std::string{u->key}, std::string{u->value});
  }
  here().books().check_known(name(), map_);
}

void letter_client_process::check_rest(sequence last) {
  if (!active_) {
    here().books().report(violation::not_converged, name() + " has no map");
    return;
  }
  here().books().check_map(name(), map_, last, options_.subtree);
}

}  // namespace chp::simulation
