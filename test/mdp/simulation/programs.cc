#include "test/mdp/simulation/programs.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace mdp::simulation {

namespace {

using std::chrono::milliseconds;

class choice {
public:
  choice(setting& in, const scenario_options& options, const program_settings& settings)
      : in_{in}, options_{options}, settings_{settings} {}

  [[nodiscard]] programs make() {
    choose_trades();
    choose_brokers();
    choose_workers();
    choose_clients();
    if (settings_.with_titanic) {
      choose_titanic();
    }
    return std::move(made_);
  }

private:
  [[nodiscard]] random_source& random() noexcept { return in_.random(); }
  void choose_trades();
  void choose_brokers();
  void choose_workers();
  void choose_clients();
  void choose_titanic();
  [[nodiscard]] broker_process& home();
  [[nodiscard]] std::vector<std::string> all_brokers();
  [[nodiscard]] labour some_labour(const trade& of);
  template <class Kind, class... Arguments>
  void add(std::vector<std::unique_ptr<Kind>>& to, const char* what, Arguments&&... arguments);

  setting& in_;
  const scenario_options& options_;
  const program_settings settings_;
  programs made_;
};

template <class Kind, class... Arguments>
void choice::add(std::vector<std::unique_ptr<Kind>>& to, const char* what,
                 Arguments&&... arguments) {
  to.push_back(std::make_unique<Kind>(in_, what + std::to_string(to.size() + 1),
                                      std::forward<Arguments>(arguments)...));
  made_.all.push_back(to.back().get());
}

// Chooses the services of this run, and the settings of the broker for them.
void choice::choose_trades() {
  for (const auto* const name : {"echo", "once", "hangs", "raw", "absent"}) {
    if (made_.trades.size() > 1 && random().chance(40)) {
      continue;
    }
    made_.trades.push_back(std::make_unique<trade>(trade{.name = name}));
    auto& added = *made_.trades.back();
    added.idempotent = added.name != "once";
    if (added.name == "hangs") {
      added.busy_timeout = milliseconds{random().between(500, 2'000)};
    }
    if (added.name == "echo" && random().chance(20)) {
      added.busy_expiry = 4 * settings_.heartbeat;
    }
    made_.asked.push_back(&added);
    if (added.name != "absent") {
      made_.served.push_back(&added);
    }
  }
}

void choice::choose_brokers() {
  broker_options o;
  o.heartbeat = settings_.heartbeat;
  o.worker_in_flight = random().between(1, 20);
  o.client_limit.requests = random().between(1, 30);
  o.client_limit.bytes = random().between(2'000, 20'000);
  o.services.unserved_timeout = milliseconds{random().between(300, 6'000)};
  o.services.attempts = static_cast<unsigned>(random().between(2, 4));
  o.services.limit.bytes = random().between(2'000, 40'000);
  for (const auto& of : made_.trades) {
    auto how = o.services;
    how.idempotent = of->idempotent;
    how.busy_expiry = of->busy_expiry;
    how.busy_timeout = of->busy_timeout;
    how.raw_client_address = of->name == "raw";
    if (random().chance(20)) {
      how.queue_timeout = milliseconds{random().between(1'000, 6'000)};
    }
    if (of->name != "absent" || random().chance(50)) {
      o.rules.push_back({of->name, how});
    }
  }
  if (options_.adjust) {
    options_.adjust(o);
  }
  while (made_.brokers.size() != settings_.brokers) {
    add(made_.brokers, "broker", o);
    if (options_.spoil_broker) {
      options_.spoil_broker(*made_.brokers.back());
    }
  }
}

// Returns a broker that stays, for a process that knows only one broker.
broker_process& choice::home() {
  const auto staying = settings_.brokers - (settings_.loses_broker ? 1 : 0);
  return *made_.brokers[random().pick(staying)];
}

// In the order in which one of them turns to them.
std::vector<std::string> choice::all_brokers() {
  std::vector<std::string> names;
  for (const auto& one : made_.brokers) {
    names.push_back(endpoint_of(one->name()));
  }
  std::rotate(names.begin(),
              names.begin() + static_cast<std::ptrdiff_t>(random().pick(names.size())),
              names.end());
  return names;
}

labour choice::some_labour(const trade& of) {
  labour how;
  how.longest = milliseconds{random().between(1, 100)};
  how.in_parts = random().chance(40) ? 50 : 0;
  how.fails = random().chance(20) ? 3 : 0;
  how.refuses = random().chance(20) ? 10 : 0;
  how.hangs = of.busy_timeout ? 3 : 0;
  return how;
}

void choice::choose_workers() {
  for (const auto* const of : made_.served) {
    // The first serves all brokers, where there are several.
    bool everywhere = settings_.brokers > 1;
    for (auto left = random().between(1, 3); left != 0; --left) {
      // A worker that is silent while it works is declared dead if the service has a busy expiry.
      if (random().chance(30) && !of->busy_expiry && !everywhere) {
        const stock_worker_process::options o{settings_.heartbeat,
                                              milliseconds{random().between(10, 1'000)}};
        const auto at = endpoint_of(home().name());
        add(made_.stock_workers, "stock-worker", at, *of, o, some_labour(*of));
        continue;
      }
      worker_options o;
      o.protocol = random().chance(50) ? version::v01 : version::v02;
      o.heartbeat = settings_.heartbeat;
      o.reconnect_delay = milliseconds{random().between(10, 1'000)};
      o.in_flight = random().chance(50) ? 1 : random().between(2, 8);
      auto how = some_labour(*of);
      if (o.protocol == version::v01) {
        how.in_parts = 0;
      }
      auto at = all_brokers();
      if (random().chance(50) && !std::exchange(everywhere, false)) {
        at.resize(1);
      }
      add(made_.workers, "worker", at, *of, o, how);
      if (options_.spoil_worker) {
        options_.spoil_worker(*made_.workers.back());
      }
    }
  }
}

void choice::choose_clients() {
  for (auto left = random().between(1, 4); left != 0; --left) {
    client_options o;
    o.protocol = random().chance(50) ? version::v01 : version::v02;
    o.timeout = milliseconds{random().between(50, 2'500)};
    o.attempts = static_cast<unsigned>(random().between(1, 4));
    o.backoff = milliseconds{random().between(0, 200)};
    manners how;
    how.pace = milliseconds{random().between(10, 400)};
    how.in_flight = random().between(1, 8);
    how.calls = random().between(10, 60);
    add(made_.callers, "caller", all_brokers(), made_.asked, o, how);
    if (options_.spoil_caller) {
      options_.spoil_caller(*made_.callers.back());
    }
  }
  for (auto left = random().between(0, 2); left != 0; --left) {
    const auto at = endpoint_of(home().name());
    stock_client_process::options o;
    o.timeout = milliseconds{random().between(100, 2'500)};
    o.attempts = static_cast<unsigned>(random().between(1, 3));
    o.calls = random().between(5, 30);
    if (options_.spoil_stock_client) {
      options_.spoil_stock_client(o);
    }
    add(made_.stock_clients, "stock-client", at, made_.asked, o);
  }
  if (random().chance(30)) {
    const auto* const of = made_.served[random().pick(made_.served.size())];
    const auto& at = home();
    add(made_.floods, "flood", at, *of, random().between(20, 200));
  }
}

void choice::choose_titanic() {
  std::vector<const trade*> asks;
  std::copy_if(made_.served.begin(), made_.served.end(), std::back_inserter(asks),
               [](const trade* of) { return of->idempotent; });
  titanic::server_options o;
  o.protocol = random().chance(50) ? version::v01 : version::v02;
  o.third_party_broker = random().chance(20);
  // A third party's broker gets as many workers, for each of five services.
  o.in_flight = random().between(1, o.third_party_broker ? 3 : 12);
  o.heartbeat = settings_.heartbeat;
  o.reconnect_delay = milliseconds{random().between(10, 1'000)};
  o.core.service = {.in_flight = random().between(1, 4),
                    .timeout = milliseconds{random().between(500, 4'000)},
                    .attempts = static_cast<unsigned>(random().between(2, 5))};
  o.core.max_requests = random().chance(20) ? 15 : 1'000;
  o.core.held_bytes = random().chance(50) ? 2'000 : 1'000'000;
  o.core.lookup_timeout = milliseconds{random().between(100, 1'000)};
  o.core.presence = milliseconds{random().between(10, 1'000)};
  o.core.most_backoff = milliseconds{random().between(100, 1'000)};
  made_.stored = std::make_unique<titanic_history>(in_.calls(), o.core.service.attempts,
                                                   asks.size() * o.core.service.in_flight);
  const auto at = endpoint_of(home().name());
  made_.titanic = std::make_unique<titanic_process>(in_, at, *made_.stored, o);
  made_.all.push_back(made_.titanic.get());
  if (options_.spoil_titanic) {
    options_.spoil_titanic(*made_.titanic);
  }
  for (auto left = random().between(1, 4); left != 0; --left) {
    durable_process::options how;
    how.client.protocol = random().chance(50) ? version::v01 : version::v02;
    how.client.timeout = milliseconds{random().between(200, 2'500)};
    how.client.attempts = static_cast<unsigned>(random().between(1, 3));
    how.pace = milliseconds{random().between(20, 400)};
    how.requests = random().between(5, 30);
    add(made_.durables, "durable-client", at, *made_.stored, asks, how);
  }
}

}  // namespace

programs choose_programs(setting& in, const scenario_options& options,
                         const program_settings& settings) {
  return choice{in, options, settings}.make();
}

std::string programs::description() const {
  auto text = std::to_string(brokers.size()) + " brokers, " + std::to_string(workers.size()) +
              " workers, " + std::to_string(stock_workers.size()) + " stock workers, " +
              std::to_string(callers.size()) + " callers, " +
              std::to_string(stock_clients.size() + floods.size()) + " stock clients";
  for (const auto& of : trades) {
    text += ", " + of->name;
  }
  return text + (titanic ? ", Titanic" : "");
}

}  // namespace mdp::simulation
