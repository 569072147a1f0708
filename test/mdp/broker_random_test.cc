// Clients and workers that connect and disconnect at random, among peers that send mutilated messages. A ledger
// checks these properties, also while the settings of the services change. A limit counts from its change on.
//
// - Every request is answered at most once, by the worker that has it, to the client that sent it.
// - No request is lost while there are workers.
// - No request that must not run twice is given twice.
// - A client that understands errors receives the outcome of every request.
// - No worker has more requests in flight than it accepts.
#include "mdp/request_error.h"
#include "test/mdp/broker_fixture.h"

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace mdp {
namespace {

constexpr std::string_view services[] = {"echo", "raw", "once"};

constexpr unsigned ever_again = 1'000'000;  // attempts

broker_options first_configuration() {
  return {.client_limit = {.requests = 2},
          .services = {.attempts = ever_again, .unserved_timeout = 24h, .limit = {.bytes = 2'000}},
          .rules = {
              {"raw",
               {.attempts = ever_again,
                .unserved_timeout = 24h,
                .raw_client_address = true,
                .limit = {.bytes = 2'000}}},
              {"once", {.idempotent = false, .unserved_timeout = 24h, .limit = {.requests = 3}}}}};
}

// Requests may end without a reply though there are workers.
bool may_fail(const service_options& of) {
  return !of.idempotent || of.attempts != ever_again || of.queue_timeout;
}

class random_life : public broker_setting {
public:
  // `changes`: of the configuration.
  explicit random_life(bool changes) : broker_setting{first_configuration()}, changes_{changes} {}
  void run(unsigned seed);
  [[nodiscard]] std::size_t most_in_flight() const noexcept { return most_in_flight_; }
  // Clients that were paused before a change of the configuration, and were not behind it.
  [[nodiscard]] std::size_t let_go() const noexcept { return let_go_; }

private:
  struct asked {
    std::string id;
    bool in_part = false;   // a PARTIAL was received
    bool may_fail = false;  // by the configuration, at some time since
  };
  struct client {
    version speaks;
    bool reads_errors;
    std::map<std::string, asked, std::less<>> open;  // by service, one request each
  };
  struct worker {
    std::string_view serves;
    dialect speaks;
    std::size_t capacity = 1;
    bool sees_raw_addresses = false;
    std::vector<given_request> in_flight;
  };

  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
  template <class Map>
  auto any(Map& of) {
    return std::next(of.begin(), pick(static_cast<unsigned>(of.size())));
  }

  void add_client() {
    const auto reads_errors = pick(2) == 0;
    clients_[attach(reads_errors ? "mdp-errors" : "")] = {
        pick(2) == 0 ? version::v01 : version::v02, reads_errors, {}};
  }
  void add_worker(std::string_view service) {
    const auto how = std::array{dialect::v01, dialect::v02, dialect::v02_delimited}[pick(3)];
    const auto capacity = pick(3) == 0 ? 1 : 1 + pick(16);
    const auto announced = capacity == 1 ? "" : "capacity=" + std::to_string(capacity);
    workers_[attach_worker(service, how, announced)] = {
        service, how, capacity, of(service).raw_client_address, {}};
  }
  void say_in(dialect how, zmtp::peer_id id, zmtp::message m) {
    if (how == dialect::v02_delimited) {
      m.push_front("");
    }
    say(id, std::move(m));
  }

  // By the configuration of now.
  [[nodiscard]] const service_options& of(std::string_view service) const {
    for (const auto& rule : configuration_.rules) {
      if (rule.name == service) {
        return rule.options;
      }
    }
    return configuration_.services;
  }
  [[nodiscard]] service_options some_options();
  void the_configuration_changes();

  // Unanswered requests of a service.
  struct load {
    std::size_t requests = 0;
    std::size_t bytes = 0;
  };
  [[nodiscard]] load load_of(std::string_view service) const;
  void check_limits();

  void step();
  void live();
  void a_client_asks();
  void clients_read();
  void a_worker_reads(zmtp::peer_id id, worker& w);
  void a_worker_works(zmtp::peer_id id, worker& w);
  void a_stranger_speaks();
  zmtp::message mutilated();
  void finish();

  std::mt19937 random_;
  bool changes_;
  broker_options configuration_ = first_configuration();
  std::size_t let_go_ = 0;
  unsigned last_id_ = 0;
  std::map<zmtp::peer_id, client> clients_;
  std::map<zmtp::peer_id, worker> workers_;
  std::vector<zmtp::peer_id> strangers_;
  std::vector<zmtp::message> seen_;  // parts for the messages of unknown peers
  std::size_t most_in_flight_ = 0;   // largest number of any worker
  std::set<std::string> given_once_;
};

void random_life::a_client_asks() {
  auto& [id, c] = *any(clients_);
  const auto service = services[pick(3)];
  // Paused clients mostly do not send. Messages that were in flight still arrive.
  if (c.open.count(service) != 0 || (paused.count(id) != 0 && pick(4) != 0)) {
    return;
  }
  auto& entry = c.open[std::string{service}];
  entry.id = "honest:" + std::to_string(++last_id_);
  entry.may_fail = may_fail(of(service));
  zmtp::message m{entry.id};
  if (pick(3) == 0) {
    m.push_back(std::string(pick(2000), 'b'));
  }
  push_client_request(m, c.speaks, service);
  seen_.push_back(m);
  say(id, std::move(m));
  const auto [requests, bytes] = load_of(service);
  const auto& limit = of(service).limit;
  if (bytes >= limit.bytes || requests >= limit.requests.value_or(SIZE_MAX)) {
    ASSERT_EQ(paused.count(id), 1U) << service << " is at its limit";
  }
}

random_life::load random_life::load_of(std::string_view service) const {
  for (const auto& one : broker.services()) {
    if (one.name == service) {
      const auto& c = one.counters;
      const auto ended =
          c.replies + c.expired + c.exhausted + c.cut_short + c.abandoned + c.oversized;
      return {c.requests - ended, one.bytes};
    }
  }
  return {};
}

// Every paused client must have a reason.
void random_life::check_limits() {
  for (const auto service : services) {
    const auto [requests, bytes] = load_of(service);
    const auto& limit = of(service).limit;
    if (bytes > limit.bytes / 2 || requests > limit.requests.value_or(SIZE_MAX) / 2) {
      return;
    }
  }
  for (const auto& [id, c] : clients_) {
    if (c.open.size() < configuration_.client_limit.requests) {
      ASSERT_EQ(paused.count(id), 0U) << "no service is near its limit";
    }
  }
}

service_options random_life::some_options() {
  service_options o;
  o.unserved_timeout = 24h;
  o.idempotent = pick(4) != 0;
  o.attempts = pick(4) == 0 ? 1 + pick(3) : ever_again;
  o.raw_client_address = pick(3) == 0;
  if (pick(4) == 0) {
    o.queue_timeout = std::chrono::milliseconds{500 + pick(3'000)};
  }
  o.limit.bytes = 600 + pick(6'000);
  if (pick(3) == 0) {
    o.limit.requests = 1 + pick(6);
  }
  return o;
}

// Requests of the service "once" never run twice.
void random_life::the_configuration_changes() {
  configuration_.services = some_options();
  configuration_.rules.clear();
  for (const auto service : services) {
    if (service == "once" || pick(2) == 0) {
      configuration_.rules.push_back({std::string{service}, some_options()});
    }
  }
  configuration_.rules.back().options.idempotent = false;
  const auto paused_before = paused.size();
  broker.change_services(configuration_, now, actions);
  carry_out();
  ASSERT_LE(paused.size(), paused_before);
  let_go_ += paused_before - paused.size();
  for (auto& [id, c] : clients_) {
    for (auto& [service, entry] : c.open) {
      entry.may_fail = entry.may_fail || may_fail(of(service));
    }
  }
}

void random_life::clients_read() {
  for (auto& [id, c] : clients_) {
    while (!silent(id)) {
      auto m = next(id);
      const auto reply = parse_for_client(m, c.speaks);
      ASSERT_TRUE(reply);
      const auto failed = reply->service == error_service;
      const auto at = c.open.find(failed ? m.back() : reply->service);
      ASSERT_NE(at, c.open.end()) << "a reply to nothing";
      if (failed) {
        ASSERT_TRUE(c.reads_errors);
        ASSERT_TRUE(at->second.may_fail || at->second.in_part);
        c.open.erase(at);
        continue;
      }
      for (const auto part : m) {
        // Unknown peers that register as workers may send anything, but must not reply to the request of
        // another.
        ASSERT_TRUE(!part.starts_with("honest:") || part == at->second.id);
      }
      if (reply->final) {
        c.open.erase(at);
      } else {
        at->second.in_part = true;
      }
    }
  }
}

void random_life::a_worker_reads(zmtp::peer_id id, worker& w) {
  while (!silent(id)) {
    auto m = next(id);
    if (m == heartbeat(w.speaks)) {
      continue;
    }
    const auto input = parse_for_worker(m, w.speaks);
    ASSERT_TRUE(input);
    const auto* given = std::get_if<broker_request>(&*input);
    ASSERT_NE(given, nullptr) << "an honest worker was sent away";
    const std::string address{given->address};
    ASSERT_EQ(address.starts_with("id"), w.sees_raw_addresses);
    m.pop_front();
    m.pop_front();
    if (w.serves == "once" && m.front().starts_with("honest:")) {
      ASSERT_TRUE(given_once_.insert(std::string{m.front()}).second) << m.front();
    }
    w.in_flight.push_back({address, m});
  }
  ASSERT_LE(w.in_flight.size(), w.sees_raw_addresses ? 1 : w.capacity);
  most_in_flight_ = std::max(most_in_flight_, w.in_flight.size());
}

void random_life::a_worker_works(zmtp::peer_id id, worker& w) {
  a_worker_reads(id, w);
  if (w.in_flight.empty()) {
    return;
  }
  // The worker may finish any request first.
  const auto done = w.in_flight.begin() + pick(static_cast<unsigned>(w.in_flight.size()));
  const auto address = done->address;
  zmtp::message body{done->body.front()};
  w.in_flight.erase(done);
  for (auto parts = pick(10) == 0 && w.speaks != dialect::v01 ? pick(4) : 0; parts != 0; --parts) {
    auto part = body;
    push_worker_reply(part, version_of(w.speaks), false, address);
    say_in(w.speaks, id, std::move(part));
  }
  if (pick(20) == 0) {
    detach(id);
    workers_.erase(id);
    return;
  }
  push_worker_reply(body, version_of(w.speaks), true, address);
  seen_.push_back(body);
  say_in(w.speaks, id, std::move(body));
}

// A message of honest peers with a few changes.
zmtp::message random_life::mutilated() {
  std::vector<std::string> parts;
  for (const auto part : seen_[pick(static_cast<unsigned>(seen_.size()))]) {
    parts.emplace_back(part.starts_with("honest:") ? "stranger" : part);
  }
  for (auto changes = pick(4); changes != 0 && !parts.empty(); --changes) {
    const auto at = parts.begin() + pick(static_cast<unsigned>(parts.size()));
    switch (pick(7)) {
      case 0: parts.erase(at); break;
      case 1: parts.insert(at, std::string{*at}); break;
      case 2: parts.insert(at, std::string{}); break;
      case 3: {
        const auto bytes = pick(300);
        parts.insert(at, std::string(bytes, static_cast<char>(pick(256))));
        break;
      }
      case 4: std::iter_swap(at, parts.begin()); break;
      case 5:
        if (!at->empty()) {
          (*at)[pick(static_cast<unsigned>(at->size()))] ^= static_cast<char>(1U << pick(8));
        }
        break;
      case 6:
        *at = std::array{"MDPC01"sv, "MDPC02"sv, "MDPW01"sv, "MDPW02"sv, "\x01"sv,
                         "\x02"sv,   "\x03"sv,   "\x04"sv,   "\x05"sv,   "\x06"sv,
                         "echo"sv,   ""sv,       "\x10"sv,   "\x11"sv}[pick(14)];
        break;
    }
  }
  zmtp::message m;
  for (const auto& part : parts) {
    m.push_back(part);
  }
  return m;
}

void random_life::a_stranger_speaks() {
  if (strangers_.size() < 5 || pick(10) == 0) {
    strangers_.push_back(attach(std::array{"", "capacity=3", "capacity=-1"}[pick(3)]));
    seen_.push_back(make_ready(version::v01, services[pick(3)]));
    seen_.push_back(make_ready(version::v02, services[pick(3)]));
    seen_.push_back(make_heartbeat(dialect::v02));
  }
  const auto at = pick(static_cast<unsigned>(strangers_.size()));
  const auto id = strangers_[at];
  // The peer returns the messages that it received, more or less unchanged.
  if (auto m = next(id); m.size() >= 5 && m.size() < 20) {
    seen_.push_back(m);
  }
  if (pick(8) == 0) {
    strangers_.erase(strangers_.begin() + at);
    detach(id);
  } else {
    say(id, mutilated());
  }
}

void random_life::step() {
  if (changes_ && pick(50) == 0) {
    the_configuration_changes();
  } else {
    live();
  }
  check_limits();
}

void random_life::live() {
  switch (pick(12)) {
    case 0: {
      const auto at = any(clients_);
      const auto id = at->first;
      clients_.erase(at);
      detach(id);
      add_client();
      break;
    }
    case 1:
      if (workers_.size() > 2 && pick(2) == 0) {
        const auto at = any(workers_);
        const auto id = at->first;
        const auto how = at->second.speaks;
        workers_.erase(at);
        if (pick(2) == 0) {
          say(id, make_disconnect(how));
        } else {
          detach(id);
        }
      } else {
        add_worker(services[pick(3)]);
      }
      break;
    case 2:
      pass(std::chrono::milliseconds{pick(2000)});
      for (const auto& [id, w] : workers_) {
        say(id, make_heartbeat(w.speaks));
      }
      break;
    case 3:
    case 4:
    case 5: a_client_asks(); break;
    case 6:
    case 7:
    case 8:
      if (!workers_.empty()) {
        auto& [id, w] = *any(workers_);
        a_worker_works(id, w);
      }
      break;
    case 9: clients_read(); break;
    default: a_stranger_speaks();
  }
}

void random_life::finish() {
  for (const auto id : strangers_) {
    detach(id);
  }
  strangers_.clear();
  for (const auto service : services) {
    add_worker(service);
  }
  for (int round = 0; round < 200; ++round) {
    for (auto at = workers_.begin(); at != workers_.end();) {
      const auto id = at->first;
      auto& w = at->second;
      ++at;
      a_worker_works(id, w);
    }
    for (const auto service : services) {
      add_worker(service);
    }
    clients_read();
    if (const auto s = broker.status(); s.waiting + s.working == 0) {
      break;
    }
  }
  for (const auto& [id, c] : clients_) {
    for (const auto& [service, entry] : c.open) {
      // The worker was lost in the middle of the reply, or its loss ends the request, and the client does not
      // read errors.
      EXPECT_TRUE(!c.reads_errors && (entry.in_part || entry.may_fail)) << entry.id << " was lost";
    }
    EXPECT_EQ(paused.count(id), 0U);
    EXPECT_EQ(closed.count(id), 0U);
  }
  for (const auto& [id, c] : clients_) {
    detach(id);
  }
  for (const auto& [id, w] : workers_) {
    EXPECT_EQ(closed.count(id), 0U);
    detach(id);
  }
  const auto s = broker.status();
  EXPECT_EQ(s.clients + s.workers + s.waiting + s.working + s.paused_clients, 0U);
  EXPECT_EQ(s.services, configuration_.rules.size());
  for (const auto& one : broker.services()) {
    EXPECT_EQ(one.workers + one.busy + one.waiting + one.working + one.bytes, 0U) << one.name;
  }
  EXPECT_FALSE(broker.next_deadline());
}

void random_life::run(unsigned seed) {
  random_.seed(seed);
  for (int i = 0; i < 6; ++i) {
    add_client();
  }
  for (const auto service : services) {
    add_worker(service);
  }
  for (int i = 0; i < 500 && !testing::Test::HasFailure(); ++i) {
    step();
  }
  finish();
}

TEST(broker_random, ledger) {  // MDP-31, D1, D3
  broker_counters sum;
  std::size_t most_in_flight = 0;
  std::size_t let_go = 0;
  for (unsigned seed = 0; seed < 400 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    random_life life{seed % 2 == 1};
    life.run(seed);
    let_go += life.let_go();
    const auto counted = life.counters();
    most_in_flight = std::max(most_in_flight, life.most_in_flight());
    sum.malformed_announcements += counted.malformed_announcements;
    sum.replies += counted.replies;
    sum.partials += counted.partials;
    sum.requeued += counted.requeued;
    sum.cut_short += counted.cut_short;
    sum.exhausted += counted.exhausted;
    sum.errors += counted.errors;
    sum.expired += counted.expired;
    sum.abandoned += counted.abandoned;
    sum.unwanted_replies += counted.unwanted_replies;
    sum.unexpected_commands += counted.unexpected_commands;
    sum.ignored_messages += counted.ignored_messages;
    sum.workers_expired += counted.workers_expired;
    sum.pauses += counted.pauses;
    for (std::size_t i = 0; i < errc_count; ++i) {
      sum.invalid_messages[i] += counted.invalid_messages[i];
    }
  }
  // All of it did happen.
  for (const auto count :
       {sum.replies, sum.partials, sum.requeued, sum.cut_short, sum.exhausted, sum.errors,
        sum.expired, sum.abandoned, sum.unwanted_replies, sum.unexpected_commands,
        sum.ignored_messages, sum.workers_expired, sum.pauses, sum.malformed_announcements}) {
    EXPECT_GT(count, 5U);
  }
  EXPECT_GT(most_in_flight, 4U);
  EXPECT_GT(let_go, 5U);
  for (auto fault = errc::no_header; fault <= errc::version_changed;
       fault = static_cast<errc>(static_cast<int>(fault) + 1)) {
    if (fault != errc::too_many_frames) {
      EXPECT_GT(sum.invalid_messages[static_cast<std::size_t>(fault)], 0U)
          << make_error_code(fault);
    }
  }
}

}  // namespace
}  // namespace mdp
