#pragma once
// --config: a file whose lines are options of the command line. The options of a subcommand are described once, and
// the file, the command line, --help and the man page follow this description.

#include <spdlog/common.h>

#include <cstddef>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace zinc {

// Has one line for each fault: the place (file, line and name, or the option), the fault and the remedy.
class config_fault : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// The values of options in the order of their lines, by name: {"bind", {"tcp://*:5555"}}.
using option_words = std::map<std::string, std::vector<std::string>>;

// The file and the options of a subcommand.
struct config_source {
  std::string file{};                                         // or empty
  bool check_only = false;                                    // --check-config
  std::map<std::string, std::vector<std::size_t>> lines{};    // that set an option, by its name
  option_words words{};                                       // from the file and the command line
  spdlog::level::level_enum log_level = spdlog::level::info;  // when they are read again
};

// Adds --config and --check-config to `app`. Must be called before other options are added, because options are applied
// in this order. Options of the command line override those of the same name in the file. Parsing throws config_fault
// with all faults of the file. `to` outlives `app`.
void add_config(CLI::App& app, config_source& to);

// With --check-config, throws CLI::ValidationError if the folder of the file that `option` names does not exist. At a
// start, this is a failure and no invalid argument: a service manager tries again, and the folder may come later.
void check_place(const config_source& of, const std::string& option, const std::string& file);

// Returns the values of all options that were given, in the file or on the command line.
[[nodiscard]] option_words words_of(const CLI::App& app);

// The names of options that have other values than before.
struct option_changes {
  std::vector<std::string> live{};    // can change while the program runs
  std::vector<std::string> frozen{};  // change at the next start
};
// `live`: the names that can change while the program runs. Rules that come or go are frozen nevertheless: a map server
// takes none while it runs, and a file that is just being written must not open a server.
[[nodiscard]] option_changes changes_between(const option_words& before, const option_words& now,
                                             const std::set<std::string>& live);

// Returns a hash of each file that is read only at the start, by the name of its option. Throws CLI::ValidationError.
[[nodiscard]] std::map<std::string, std::size_t> contents_of(const option_words& words);

// Returns an error of the command line with the file and the line in front, if it begins with an option that has one
// line in the file: `a.conf:3: --peer needs --primary or --backup`. If the option has several lines, only the
// file is in front.
[[nodiscard]] std::string with_place(const std::string& error, const config_source& of);

}  // namespace zinc
