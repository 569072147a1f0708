// The command line of zinc top.

#include "tools/zinc/help.h"
#include "tools/zinc/option_values.h"
#include "tools/zinc/status/top_command.h"

#include <algorithm>
#include <cctype>

namespace zinc::status {

std::string sort_key_of(std::string option) {
  std::transform(option.begin(), option.end(), option.begin(),
                 [](unsigned char each) { return static_cast<char>(std::tolower(each)); });
  return option.ends_with("/s") ? option.substr(0, option.size() - 2) : option;
}

void add_top(CLI::App& app, top_arguments& to) {
  to.from.about = subject::services;
  set_help(app, {.summary = "Shows the figures and rates of a server, again and again.",
                 .details = "On a terminal, it redraws the screen until q or Ctrl-C. Otherwise it "
                            "prints one screen after "
                            "the other. If the server goes away, it says so and tries again.",
                 .examples = {"zinc top --connect tcp://localhost:5555",
                              "zinc top --connect http://localhost:9100",
                              "zinc top --show workers --count 2 --interval 5s"},
                 .done = "stopped by q, a signal or --count",
                 .failed = "no server at the start, or other failure",
                 .was_refused = "the server does not permit it",
                 .no_answer = "no answer in time at the start"});
  add_choice<subject>(app, "--show", to.from.about,
                      {{"services", subject::services},
                       {"workers", subject::workers},
                       {"clients", subject::clients}},
                      "the table");
  auto* const sort = app.add_option("--sort", to.sort,
                                    "column that orders the rows, such as waiting [the first rate]")
                         ->type_name("COLUMN");
  add_duration(app, "--interval", to.interval, "time between two screens");
  add_number(app, "--count", to.count, "stop after N screens");
  app.add_flag("--json", to.from.json, "print JSON")->excludes(sort);
  add_source(app, to.from);
}

}  // namespace zinc::status
