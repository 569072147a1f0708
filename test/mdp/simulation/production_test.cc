// The production broker, workers and clients in a simulation, each in its own process, while
// processes are killed and paused and the network is cut. What a client is told about a request is
// compared with what the workers did.
#include "mdp/broker.h"
#include "mdp/client.h"
#include "mdp/worker.h"
#include "test/simulation/run_result.h"
#include "test/simulation/seeds.h"
#include "zmtp/simulation/world.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mdp {
namespace {

namespace asio = boost::asio;
namespace simulation = zmtp::simulation;
using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::seconds;
using zmtp::message;

enum class violation : std::uint8_t {
  executed_twice,   // a request that must not be
  executed_anyway,  // a request of which the client knows that it was not
  never_executed,   // a request that was answered
  wrong_reply,      // the reply to another request
  never_answered,   // a request that may be repeated until it is answered
};

std::string_view to_string(violation v) noexcept {
  switch (v) {
    case violation::executed_twice: return "executed twice";
    case violation::executed_anyway: return "executed anyway";
    case violation::never_executed: return "never executed";
    case violation::wrong_reply: return "wrong reply";
    case violation::never_answered: return "never answered";
  }
  return {};
}

using result = simulation::run_result<violation>;

constexpr std::string_view broker_at = "tcp://broker:5555";
constexpr int clients = 3;
constexpr int workers = 4;
constexpr int requests_each = 60;

// What a worker does wrong: the tests of the checks use these.
struct planted {
  bool refuses_after_work = false;
  bool answers_another = false;
};

class scenario {
public:
  explicit scenario(std::uint64_t seed, const planted& faults = {})
      : world_{seed}, planted_{faults} {}

  result run() {
    world_.net().here().notes.print_to(simulation::printer_asked_for());
    const auto began = world_.now();
    auto& broker_process = world_.add("broker");
    add(broker_process, [this] { return broker_program(); });
    for (int i = 0; i < workers; ++i) {
      const std::string service = i % 2 == 0 ? "echo" : "once";
      add(world_.add("worker" + std::to_string(i)),
          [this, service] { return worker_program(service); });
    }
    for (int i = 0; i < clients; ++i) {
      auto& process = world_.add("client" + std::to_string(i));
      process.run([this, i] { return ask(i); });
    }
    troubled_ = true;
    make_trouble_later();
    world_.run_for(seconds{world_.random().between(5, 40)});
    troubled_ = false;
    if (!world_.run_until([this] { return done_ == clients; }, 30min)) {
      report(violation::never_answered, std::to_string(clients - done_) + " clients still wait");
    }
    world_.run_for(10s);  // late executions
    check();
    auto& here = world_.net().here();
    here.note("answered", {answered_});
    return {{.description = "Majordomo",
             .trace_hash = here.notes.hash(),
             .events = here.events.happened(),
             .virtual_time = world_.now() - began,
             .figures = {{"requests", asked_.size()}, {"answered", answered_}, {"faults", made_}}},
            findings_};
  }

private:
  using program = simulation::process::program;
  struct record {
    std::optional<outcome> told;
    int executed = 0;
    bool once = false;
  };

  struct restartable {
    simulation::process* in;
    std::function<program()> make;
  };

  void add(simulation::process& in, std::function<program()> make) {
    programs_.push_back({&in, std::move(make)});
    in.start(programs_.back().make());
  }

  program broker_program() {
    return [](const asio::any_io_executor& in) {
      broker_options options;
      options.heartbeat = 500ms;
      options.rules = {{"echo", {.attempts = 100}}, {"once", {.idempotent = false}}};
      auto made = std::make_shared<broker>(in, options);
      made->bind("tcp://*:5555");
      return made;
    };
  }

  program worker_program(const std::string& service) {
    return [this, service](const asio::any_io_executor& in) {
      worker_options options;
      options.service = service;
      options.heartbeat = 500ms;
      options.reconnect_delay = 100ms;
      options.in_flight = 3;
      return std::make_shared<worker>(in, broker_at, options,
                                      [this](worker_request r) { execute(std::move(r)); });
    };
  }

  void execute(worker_request r) {
    const std::string key{r.body().front()};
    ++asked_[key].executed;
    if (planted_.refuses_after_work && world_.random().chance(10)) {
      (void)r.refuse();
      return;
    }
    if (planted_.answers_another && world_.random().chance(10)) {
      (void)r.reply(message{"the reply to something else"});
      return;
    }
    (void)r.reply(message{"done " + key});
  }

  asio::awaitable<void> ask(int number) {
    const auto in = co_await asio::this_coro::executor;
    client_options options;
    options.timeout = 1s;
    client own{in, broker_at, options};
    for (int i = 0; i < requests_each; ++i) {
      const bool once = world_.random().chance(50);
      const auto key = std::to_string(number) + "." + std::to_string(i);
      asked_[key].once = once;
      request_options how;
      how.idempotent = !once;
      how.attempts = once ? 1U : 1'000U;
      const std::string service = once ? "once" : "echo";
      const auto [ec, reply] = co_await own.async_request(service, message{key}, how,
                                                          asio::as_tuple(asio::use_awaitable));
      asked_[key].told = outcome_of(ec);
      if (!ec) {
        ++answered_;
        if (reply != message{"done " + key}) {
          report(violation::wrong_reply, key);
        }
      }
    }
    ++done_;
  }

  void check() {
    for (const auto& [key, r] : asked_) {
      if (!r.told) {
        continue;  // its client still waits, which is reported
      }
      if (r.once && r.executed > 1) {
        report(violation::executed_twice, key);
      }
      if ((r.told == outcome::not_sent || r.told == outcome::refused) && r.executed != 0) {
        report(violation::executed_anyway, key);
      }
      if (r.told == outcome::answered && r.executed == 0) {
        report(violation::never_executed, key);
      }
      if (!r.once && r.told != outcome::answered) {
        report(violation::never_answered, key);
      }
    }
  }

  void make_trouble_later() {
    world_.after(world_.random().up_to(milliseconds{800}), [this] {
      if (troubled_) {
        make_trouble();
        make_trouble_later();
      }
    });
  }

  void make_trouble() {
    ++made_;
    auto& random = world_.random();
    const auto& one = programs_[random.pick(programs_.size())];
    auto& process = *one.in;
    switch (random.pick(4)) {
      case 0:
        process.kill(random.chance(30) ? simulation::death::power : simulation::death::process);
        world_.after(random.up_to(milliseconds{500}), [&one] {
          if (!one.in->running()) {
            one.in->start(one.make());
          }
        });
        return;
      case 1:
        process.pause();
        world_.after(random.up_to(milliseconds{4'000}), [&process] { process.resume(); });
        return;
      case 2: {
        const auto living = world_.net().living();
        if (!living.empty()) {
          const auto& s = living[random.pick(living.size())];
          const auto learns = random.up_to(milliseconds{100});
          s->cut(learns, random.chance(50)
                             ? std::nullopt
                             : std::optional<zmtp::simulation::event_queue::duration>{learns});
        }
        return;
      }
      default: {
        auto& broker = *programs_.front().in;
        if (&broker != &process) {
          world_.net().part(process.machine(), broker.machine());
          world_.after(random.up_to(milliseconds{3'000}), [this, &process, &broker] {
            world_.net().rejoin(process.machine(), broker.machine());
          });
        }
      }
    }
  }

  void report(violation what, std::string text) { findings_.push_back({what, std::move(text)}); }

  simulation::world world_;
  planted planted_;
  std::vector<restartable> programs_;
  std::map<std::string, record> asked_;
  std::vector<simulation::finding<violation>> findings_;
  std::size_t answered_ = 0;
  std::size_t made_ = 0;
  int done_ = 0;
  bool troubled_ = false;
};

TEST(majordomo_in_a_simulation, clients_are_told_the_truth) {
  simulation::expect_no_findings("//test/mdp/simulation:production_test",
                                 [](std::uint64_t seed) { return scenario{seed}.run(); });
}

TEST(majordomo_in_a_simulation, the_same_seed_gives_the_same_trace) {
  simulation::expect_same_traces([](std::uint64_t seed) { return scenario{seed}.run(); });
}

TEST(planted_faults, a_worker_that_refuses_what_it_has_executed_is_noticed) {
  EXPECT_TRUE(simulation::noticed(violation::executed_twice, [](std::uint64_t seed) {
    return scenario{seed, {.refuses_after_work = true}}.run();
  }));
}

TEST(planted_faults, a_wrong_reply_is_noticed) {
  EXPECT_TRUE(simulation::noticed(violation::wrong_reply, [](std::uint64_t seed) {
    return scenario{seed, {.answers_another = true}}.run();
  }));
}

}  // namespace
}  // namespace mdp

int main(int count, char** arguments) { return zmtp::simulation::run_tests(count, arguments); }
