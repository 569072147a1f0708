// The command line of zinc bench.

#include "tools/zinc/bench/stamped_message.h"
#include "tools/zinc/bench_command.h"
#include "tools/zinc/help.h"
#include "tools/zinc/option_values.h"
#include "tools/zinc/security_flags.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <vector>

namespace zinc {

namespace {

bool sends(zmtp::socket_type type) {
  using enum zmtp::socket_type;
  return type == push || type == pub || type == dealer || type == req;
}

}  // namespace

void add_bench(CLI::App& app, bench_arguments& to) {
  using enum zmtp::socket_type;
  set_help(
      app,
      {.summary = "Measures throughput and latency between two endpoints.",
       .details =
           "PUSH and PUB send, PULL and SUB receive and measure the time from when a message "
           "was due. DEALER and REQ send, and measure until the reply. ROUTER and REP reply; "
           "those of any library do. Without an endpoint, both ends run in this process. With "
           "--rate, messages are due at fixed times, however slow the peer is. A message that "
           "is sent late counts as slow.",
       .examples = {"zinc bench dealer", "zinc bench router --bind tcp://*:5555",
                    "zinc bench dealer --connect tcp://localhost:5555 --rate 10000 --size 1KiB",
                    "zinc bench pull --bind tcp://*:5556 --json",
                    "zinc bench push --connect tcp://localhost:5556 --count 1000000"},
       .done = "measured",
       .failed = "failure",
       .no_answer = "no peer, message or reply in time"});
  // The value is always given.
  add_choice<zmtp::socket_type>(
      app, "TYPE", to.type,
      {{"push", push},
       {"pull", pull},
       {"pub", pub},
       {"sub", sub},
       {"dealer", dealer},
       {"router", router},
       {"req", req},
       {"rep", rep}},
      "type of the socket: push, pull, pub, sub, dealer, router, req, rep")
      ->default_str("")
      ->required();
  auto* const bind = app.add_option("--bind", to.bind,
                                    "endpoint to bind; prints `bound ENDPOINT` on standard error")
                         ->check(bindable())
                         ->expected(1)
                         ->type_name("ENDPOINT");
  app.add_option("--connect", to.connect, "endpoint to connect to")
      ->check(connectable())
      ->expected(1)
      ->type_name("ENDPOINT")
      ->excludes(bind);
  auto* const size = add_size(app, "--size", to.size, "size of each message",
                              {.least = bench::stamp_size, .most = std::uint64_t{64} << 20});
  auto* const rate =
      add_number(app, "--rate", to.rate, "messages that are due each second [as fast as possible]");
  auto* const count =
      add_number(app, "--count", to.count, "stop after N messages, instead of after --duration",
                 {.most = 1'000'000'000'000});
  auto* const duration =
      add_duration(app, "--duration", to.duration,
                   "time that messages are due in; with a --rate that is too high, sending them "
                   "takes longer")
          ->excludes(count);
  auto* const in_flight =
      add_number(app, "--in-flight", to.in_flight,
                 "requests in flight at once, for a DEALER without --rate", {.most = 1'000'000})
          ->excludes(rate);
  add_duration(app, "--timeout", to.timeout, "time to wait for the peer, and for each message");
  app.add_flag("--json", to.json, "print JSON");
  add_security(app, to.security);
  const std::vector<const CLI::Option*> of_senders{size, rate, count, duration, in_flight};
  app.callback([&app, &to, of_senders, in_flight] {
    const bool alone = to.bind.empty() && to.connect.empty();
    if (alone && app.get_option_group("security")->count_all() != 0) {
      throw CLI::ValidationError{
          "options for security need --bind or --connect; without them, no connection leaves this "
          "process"};
    }
    const auto given = [](const CLI::Option* one) { return one->count() != 0; };
    const auto found = std::ranges::find_if(of_senders, given);
    if (!alone && !sends(to.type) && found != of_senders.end()) {
      throw CLI::ValidationError{(*found)->get_name(),
                                 "is for the end that sends; give it to the other end"};
    }
    if (given(in_flight) && to.type != dealer && !(alone && to.type == router)) {
      throw CLI::ValidationError{in_flight->get_name(), "is for a DEALER; omit it"};
    }
  });
}

}  // namespace zinc
