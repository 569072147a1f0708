// Clients of the clustered hashmap, all in one process, that set and erase keys at a steady rate and keep
// books of what was committed, while somebody else kills and cuts off the servers:
//
//     chp_storm --group 10=HOST:PORT,HOST:PORT --rate 2000
//
// Each client has keys of its own, /c<client>/<number>, so that what is last in one is known; those of --shared
// are everybody's. It prints a line of JSON when all follow a server, and one for each line that it reads:
//
//     fault             something happens to the servers now: how long each client then waits at most for the
//                       next commit, while it has something to commit, is counted until the next such line
//     settle [backup]   once each client has committed something new; with "backup", on a server that has one
//     status            at once
//     join HOST:PORT,… [SUBTREE]   one client more, which only follows
//     check             nothing new is set until all is committed and all maps are the same; they are compared
//                       with the books; then it goes on
//
// At its end of input it checks a last time, and ends with 0 if all was good, else with 1.

#include "chp/client.h"
#include "test/interop/update_ledger.h"

#include <CLI/CLI.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/crc.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;
using chp::test::update_ledger;
using std::chrono::milliseconds;

constexpr std::string_view lifetime_keys = "/ttl/";
constexpr auto look_again = 10ms;
constexpr std::uint64_t erase_one_of = 20;

struct group {
  std::size_t clients = 0;
  std::vector<chp::server_address> servers{};
};

struct arguments {
  std::vector<std::string> groups;
  std::uint64_t rate = 2'000;
  std::uint64_t keys = 100;
  std::uint64_t shared = 0;
  std::uint64_t preload = 0;
  std::uint64_t lifetimes = 0;
  std::uint64_t longest_ttl = 10;
  std::size_t size = 32;
  milliseconds heartbeat{1'000};
  milliseconds server_ttl{5'000};
  milliseconds patience{30'000};
};

std::vector<chp::server_address> servers_of(const std::string& list) {
  std::vector<chp::server_address> all;
  std::istringstream in{list};
  for (std::string one; std::getline(in, one, ',');) {
    all.push_back(chp::server_address::at(one));
  }
  return all;
}

std::int64_t count(clock_type::duration d) {
  return std::chrono::duration_cast<milliseconds>(d).count();
}

// Of a share of them; they are ordered by it.
template <class Sample>
Sample percentile(std::vector<Sample>& samples, double share) {
  if (samples.empty()) {
    return {};
  }
  const auto at = samples.begin() +
                  static_cast<std::ptrdiff_t>(share * static_cast<double>(samples.size() - 1));
  std::nth_element(samples.begin(), at, samples.end());
  return *at;
}

class storm {
public:
  storm(asio::io_context& context, const arguments& how)
      : context_{context}, how_{how}, input_{context, ::dup(STDIN_FILENO)} {
    for (const auto& text : how.groups) {
      const auto at = text.find('=');
      const auto servers = servers_of(at == std::string::npos ? text : text.substr(at + 1));
      for (auto left = at == std::string::npos ? 1 : std::stoul(text.substr(0, at)); left != 0;
           --left) {
        add(servers, {});
      }
    }
    writers_ = all_.size();
    asio::co_spawn(context, run(), [this](const std::exception_ptr& thrown, bool good) {
      good_ = good && !thrown;
      for (auto& p : all_) {
        p->client->stop();
      }
      if (thrown) {
        std::rethrow_exception(thrown);
      }
    });
  }

  [[nodiscard]] bool good() const noexcept { return good_; }

private:
  struct participant {
    std::uint32_t number = 0;
    std::string subtree;
    std::unique_ptr<chp::client> client;
    clock_type::time_point made{};
    milliseconds ready_after{-1};
    std::uint64_t waiting = 0;  // updates that are not committed
    std::uint64_t committed = 0;
    std::uint64_t next_key = 0;
    // When it last committed something, or had nothing to commit.
    clock_type::time_point progress{};
    clock_type::duration longest_wait{};
    chp::sequence seen = 0;
  };
  using token_type = asio::as_tuple_t<asio::use_awaitable_t<>>;
  static constexpr token_type token{};

  participant& add(const std::vector<chp::server_address>& servers, const std::string& subtree) {
    auto& p = *all_.emplace_back(std::make_unique<participant>());
    p.number = static_cast<std::uint32_t>(all_.size() - 1);
    p.subtree = subtree;
    p.made = p.progress = clock_type::now();
    chp::client_options options;
    options.subtree = subtree;
    options.heartbeat = how_.heartbeat;
    options.server_ttl = how_.server_ttl;
    p.client = std::make_unique<chp::client>(context_.get_executor(), servers, options,
                                             [this](const chp::client_event& event) {
                                               ++events_[static_cast<std::size_t>(event.what)];
                                             });
    asio::co_spawn(context_, watch(p), rethrow);
    return p;
  }

  static void rethrow(const std::exception_ptr& thrown) {
    if (thrown) {
      std::rethrow_exception(thrown);
    }
  }

  asio::awaitable<void> pause(clock_type::duration time) {
    asio::steady_timer timer{context_, time};
    co_await timer.async_wait(asio::use_awaitable);
  }

  asio::awaitable<void> watch(participant& p) {
    auto watcher = p.client->watch(p.subtree);
    if (std::get<0>(co_await p.client->async_wait_ready(token))) {
      co_return;
    }
    p.ready_after = std::chrono::duration_cast<milliseconds>(clock_type::now() - p.made);
    std::vector<chp::change> batch;
    for (;;) {
      const auto [ec, size] = co_await watcher.async_receive(batch, token);
      if (ec) {
        co_return;
      }
      const auto now = clock_type::now();
      for (const auto& change : batch) {
        out_of_order_ += change.number < p.seen ? 1U : 0U;
        p.seen = change.number;
        if (change.key.starts_with(lifetime_keys)) {
          if (change.erased()) {
            lifetimes_.gone(change.key, now);
          }
        } else if (!change.erased() && !ledger_.knows(change.key, change.value)) {
          ++invented_;
        }
      }
    }
  }

  void begin_waiting(participant& p, clock_type::time_point now) {
    if (p.waiting++ == 0) {
      p.progress = now;
    }
    ++waiting_;
  }
  void end_waiting(participant& p, clock_type::time_point began, clock_type::time_point now) {
    --p.waiting;
    --waiting_;
    ++p.committed;
    p.longest_wait = std::max(p.longest_wait, now - p.progress);
    p.progress = now;
    latencies_.push_back(std::chrono::duration_cast<std::chrono::microseconds>(now - began));
  }

  void update(participant& p, const std::string& key, update_ledger::kind what) {
    const auto began = clock_type::now();
    auto value = ledger_.begin(p.number, key, what, began, how_.size);
    const auto number = ledger_.begun(p.number);
    begin_waiting(p, began);
    auto done = [this, &p, number, began](boost::system::error_code ec) {
      if (ec) {
        failed_ += ec == asio::error::operation_aborted ? 0U : 1U;
        return;
      }
      const auto now = clock_type::now();
      ledger_.commit(p.number, number, now);
      end_waiting(p, began, now);
    };
    if (what == update_ledger::kind::erase) {
      p.client->async_erase(key, std::move(done));
    } else {
      p.client->async_set(key, std::move(value), std::move(done));
    }
  }

  void set_lifetime(participant& p) {
    const auto key = std::string{lifetime_keys} + std::to_string(next_lifetime_++);
    const std::chrono::seconds ttl{1 + next_lifetime_ % how_.longest_ttl};
    const auto began = clock_type::now();
    lifetimes_.begin(key, ttl, began);
    begin_waiting(p, began);
    p.client->async_set(key, "x", chp::set_options{.ttl = ttl},
                        [this, &p, key, began](boost::system::error_code ec) {
                          if (!ec) {
                            const auto now = clock_type::now();
                            lifetimes_.commit(key, now);
                            end_waiting(p, began, now);
                          }
                        });
  }

  void update_next(participant& p) {
    const auto drawn = random_();
    std::string key;
    if (how_.shared != 0 && drawn % 10 == 0) {
      key = "/shared/" + std::to_string(drawn / 10 % how_.shared);
    } else {
      key = "/c" + std::to_string(p.number) + '/' + std::to_string(p.next_key++ % how_.keys);
    }
    update(
        p, key,
        drawn / 1'000 % erase_one_of == 0 ? update_ledger::kind::erase : update_ledger::kind::set);
  }

  // What is due goes out once a look; who stood still has nothing to make up for.
  asio::awaitable<void> write() {
    std::uint64_t next = 0;
    double due = 0;
    double due_lifetimes = 0;
    for (auto last = clock_type::now(); !over_;) {
      co_await pause(2ms);
      const auto now = clock_type::now();
      const auto seconds =
          std::chrono::duration<double>{std::min<clock_type::duration>(now - last, 100ms)}.count();
      last = now;
      if (paused_) {
        continue;
      }
      for (due += seconds * static_cast<double>(how_.rate); due >= 1; due -= 1) {
        update_next(*all_[next++ % writers_]);
      }
      for (due_lifetimes += seconds * static_cast<double>(how_.lifetimes); due_lifetimes >= 1;
           due_lifetimes -= 1) {
        set_lifetime(*all_[next++ % writers_]);
      }
    }
  }

  [[nodiscard]] bool all_follow() const {
    return std::all_of(all_.begin(), all_.end(), [](const auto& p) {
      const auto now = p->client->status();
      return now.ready && now.following;
    });
  }

  template <class Condition>
  asio::awaitable<bool> wait_for(Condition condition) {
    for (const auto end = clock_type::now() + how_.patience; !condition();) {
      if (clock_type::now() > end) {
        co_return false;
      }
      co_await pause(look_again);
    }
    co_return true;
  }

  asio::awaitable<void> preload() {
    static constexpr std::uint64_t window = 5'000;
    auto& first = *all_.front();
    for (std::uint64_t i = 0; i < how_.preload;) {
      for (; i < how_.preload && first.waiting < window; ++i) {
        update(first, "/p/" + std::to_string(i), update_ledger::kind::set);
      }
      co_await pause(1ms);
    }
    if (!co_await wait_for(nothing_waits{*this})) {
      throw std::runtime_error{"what was to be set first was not committed in time"};
    }
    latencies_.clear();
  }

  asio::awaitable<bool> run() {
    const auto following = [this] { return all_follow(); };
    if (!co_await wait_for(following)) {
      throw std::runtime_error{"not all clients follow a server in time"};
    }
    co_await preload();
    asio::co_spawn(context_, write(), rethrow);
    print({{"ready", all_.size()}});
    std::string input;
    for (;;) {
      const auto [ec, size] =
          co_await asio::async_read_until(input_, asio::dynamic_buffer(input), '\n', token);
      if (ec) {
        break;
      }
      std::istringstream words{input.substr(0, size)};
      input.erase(0, size);
      co_await obey(words);
    }
    const bool good = co_await check();
    over_ = true;
    co_return good;
  }

  asio::awaitable<void> obey(std::istringstream& words) {
    std::string word;
    words >> word;
    if (word == "fault") {
      note_waits();
      counting_waits_ = true;
      print({{"fault", ++faults_}});
    } else if (word == "settle") {
      std::string with;
      words >> with;
      co_await settle(with == "backup");
    } else if (word == "status") {
      print(status());
    } else if (word == "join") {
      std::string at;
      std::string subtree;
      words >> at >> subtree;
      print({{"joined", add(servers_of(at), subtree).number}});
    } else if (word == "check") {
      co_await check();
      paused_ = false;
    } else {
      throw std::runtime_error{"no such command: " + word};
    }
  }

  // The longest waits since the fault before.
  void note_waits() {
    for (std::size_t i = 0; i < writers_; ++i) {
      auto& p = *all_[i];
      if (counting_waits_) {
        const auto now = clock_type::now();
        waits_.push_back(
            std::max(p.longest_wait, p.waiting == 0 ? clock_type::duration{} : now - p.progress));
      }
      p.longest_wait = {};
    }
  }

  asio::awaitable<void> settle(bool with_backup) {
    const auto began = clock_type::now();
    std::vector<std::uint64_t> committed;
    for (const auto& p : all_) {
      // What is on the way was begun before.
      committed.push_back(p->committed + p->waiting);
    }
    const auto settled = [&] {
      for (std::size_t i = 0; i < committed.size(); ++i) {
        const auto now = all_[i]->client->status();
        if (!now.following || (i < writers_ && all_[i]->committed <= committed[i]) ||
            (with_backup && i < writers_ && now.degraded)) {
          return false;
        }
      }
      return true;
    };
    const bool done = co_await wait_for(settled);
    print({{"settled", done}, {"ms", count(clock_type::now() - began)}});
  }

  // Of what begins so. Not of keys with a time to live, which go when they do.
  static std::uint32_t sum_of(const chp::client& client, std::string_view subtree) {
    boost::crc_32_type sum;
    client.for_each(subtree, [&sum](std::string_view key, std::string_view value) {
      const auto sizes = std::array{key.size(), value.size()};
      sum.process_bytes(sizes.data(), sizeof(sizes));
      sum.process_bytes(key.data(), key.size());
      sum.process_bytes(value.data(), value.size());
    });
    return sum.checksum();
  }

  [[nodiscard]] bool maps_equal() const {
    const auto& first = *all_.front()->client;
    const auto keys = first.status().keys;
    for (const auto& p : all_) {
      if (p->subtree.empty() && p->client->status().keys != keys) {
        return false;
      }
    }
    const auto sum = sum_of(first, {});
    return std::all_of(all_.begin() + 1, all_.end(), [&](const auto& p) {
      return sum_of(*p->client, {}) == (p->subtree.empty() ? sum : sum_of(first, p->subtree));
    });
  }

  [[nodiscard]] bool lifetimes_left() const {
    bool any = false;
    all_.front()->client->for_each(lifetime_keys,
                                   [&any](std::string_view, std::string_view) { any = true; });
    return any;
  }

  asio::awaitable<bool> check() {
    paused_ = true;
    const auto began = clock_type::now();
    const auto expired = [this] { return !lifetimes_left(); };
    const auto equal = [this] { return all_follow() && maps_equal(); };
    const bool all_committed = co_await wait_for(nothing_waits{*this});
    const bool all_expired = co_await wait_for(expired);
    const bool all_equal = co_await wait_for(equal);
    const auto took = clock_type::now() - began;
    update_ledger::map held;
    all_.front()->client->for_each({}, [&](std::string_view key, std::string_view value) {
      if (!key.starts_with(lifetime_keys)) {
        held.emplace(key, value);
      }
    });
    const auto found = ledger_.check(held);
    const auto lives = lifetimes_.make_report();
    note_waits();
    counting_waits_ = false;
    auto report = status();
    report["ms"] = count(took);
    report["keys"] = held.size();
    report["maps_equal"] = all_equal;
    report["lost"] = found.lost;
    report["resurrected"] = found.resurrected;
    report["invented"] = found.invented + invented_;
    report["out_of_order"] = out_of_order_;
    report["ttl_keys"] = lives.keys;
    report["ttl_early"] = lives.early;
    report["ttl_left"] = lives.left;
    report["ttl_latest_ms"] = lives.latest.count();
    const bool good = all_committed && all_expired && all_equal && found.good() && invented_ == 0 &&
                      out_of_order_ == 0 && failed_ == 0 && lives.early == 0 && lives.left == 0;
    report["good"] = good;
    if (good) {
      ledger_.forget_before(held);
    }
    print(report);
    for (const auto& fault : found.faults) {
      std::fprintf(stderr, "chp_storm: %s\n", fault.c_str());
    }
    co_return good;
  }

  json::object status() {
    json::object events;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      events[chp::to_string(static_cast<chp::client_event::kind>(i))] = events_[i];
    }
    json::array clients;
    std::uint64_t committed = 0;
    for (const auto& p : all_) {
      const auto now = p->client->status();
      committed += p->committed;
      if (p->number >= writers_) {
        clients.push_back({{"ready_ms", p->ready_after.count()},
                           {"keys", now.keys},
                           {"gaps", now.counters.gaps},
                           {"snapshots", now.counters.snapshots}});
      }
    }
    return {{"committed", committed},
            {"waiting", waiting_},
            {"failed", failed_},
            {"following", std::count_if(all_.begin(), all_.end(),
                                        [](auto& p) { return p->client->status().following; })},
            {"degraded", std::count_if(all_.begin(), all_.end(),
                                       [](auto& p) { return p->client->status().degraded; })},
            {"writing_again_p99_ms", count(percentile(waits_, 0.99))},
            {"writing_again_max_ms", count(percentile(waits_, 1))},
            {"commit_p50_us", percentile(latencies_, 0.5).count()},
            {"commit_p99_us", percentile(latencies_, 0.99).count()},
            {"events", std::move(events)},
            {"joined", std::move(clients)}};
  }

  static void print(const json::object& what) {
    std::printf("%s\n", json::serialize(what).c_str());
    std::fflush(stdout);
  }

  struct nothing_waits {
    const storm& of;
    bool operator()() const { return of.waiting_ == 0; }
  };

  asio::io_context& context_;
  const arguments& how_;
  asio::posix::stream_descriptor input_;
  std::vector<std::unique_ptr<participant>> all_;
  std::size_t writers_ = 0;  // those are the first
  update_ledger ledger_;
  chp::test::lifetime_ledger lifetimes_;
  std::mt19937_64 random_{18};
  bool paused_ = false;
  bool over_ = false;
  bool good_ = false;
  bool counting_waits_ = false;
  std::uint64_t faults_ = 0;
  std::uint64_t next_lifetime_ = 0;
  std::uint64_t waiting_ = 0;  // updates, of all
  std::uint64_t failed_ = 0;
  std::uint64_t invented_ = 0;      // values that somebody was told of
  std::uint64_t out_of_order_ = 0;  // changes whose sequence was below that of the one before
  std::vector<clock_type::duration> waits_;
  std::vector<std::chrono::microseconds> latencies_;
  std::array<std::uint64_t, static_cast<std::size_t>(chp::client_event::kind::replicated) + 1>
      events_{};
};

void describe(CLI::App& app, arguments& to) {
  const auto add_milliseconds = [&app](const std::string& name, milliseconds& value) {
    app.add_option_function<long>(name, [&value](const long& ms) { value = milliseconds{ms}; })
        ->check(CLI::Range(1L, 3'600'000L))
        ->default_str(std::to_string(value.count()));
  };
  app.add_option("--group", to.groups, "N=HOST:PORT,HOST:PORT: clients, and the servers they know")
      ->required();
  app.add_option("--rate", to.rate, "updates a second of all clients")->capture_default_str();
  app.add_option("--keys", to.keys, "of each client's own")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--shared", to.shared, "keys that all clients update")->capture_default_str();
  app.add_option("--preload", to.preload, "keys that are set before all else")
      ->capture_default_str();
  app.add_option("--lifetimes", to.lifetimes,
                 "keys a second that have a time to live, of a second at least")
      ->capture_default_str();
  app.add_option("--longest-ttl", to.longest_ttl, "seconds")
      ->check(CLI::Range(1, 3'600))
      ->capture_default_str();
  app.add_option("--size", to.size, "octets of a value at the least")->capture_default_str();
  add_milliseconds("--heartbeat", to.heartbeat);
  add_milliseconds("--server-ttl", to.server_ttl);
  add_milliseconds("--patience", to.patience);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"clients of the clustered hashmap that keep books"};
  arguments how;
  describe(app, how);
  CLI11_PARSE(app, argc, argv);
  try {
    asio::io_context context{1};
    storm one{context, how};
    context.run();
    return one.good() ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "chp_storm: %s\n", e.what());
    return 2;
  }
}
