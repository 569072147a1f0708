#pragma once
// SIGHUP: reads the command line of a running program again, with --config and the other files that it names.

#include "tools/zinc/config_file.h"
#include "tools/zinc/repeated_signal.h"

#include <boost/asio/any_io_executor.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <csignal>
#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>

namespace zinc {

// Arguments has `config`, and `read_again`, which throws config_fault.
template <class Arguments>
class config_reload {
public:
  // Handles the signal only if the command line names a file that it reads again. `live` has the options that `apply`
  // applies. It gets the new arguments. A fault changes nothing. A file that has lost all its lines is a fault, because
  // an editor may be writing it. The names of all other options that have changed are logged, at each signal.
  config_reload(const boost::asio::any_io_executor& executor, const Arguments& start,
                std::set<std::string> live, std::function<void(const Arguments& now)> apply)
      : start_{start},
        live_{std::move(live)},
        apply_{std::move(apply)},
        running_{start.config.words},
        contents_{contents_of(running_)} {
    live_.insert("log-level");
    for (const auto* const file : {"config", "rules", "authorized-keys", "plain-users"}) {
      if (running_.contains(file) && !signal_) {
        signal_.emplace(executor, SIGHUP, [this] { reload(); });
      }
    }
  }

  void cancel() {
    if (signal_) {
      signal_->cancel();
    }
  }

private:
  void reload() {
    try {
      const Arguments now = start_.read_again();
      if (now.config.lines.empty() && !start_.config.lines.empty()) {
        throw config_fault{now.config.file + " has no line any more; write one"};
      }
      apply_(now);
      spdlog::default_logger()->set_level(now.config.log_level);
      report(now.config.words);
    } catch (const std::exception& fault) {
      std::istringstream faults{fault.what()};
      for (std::string line; std::getline(faults, line);) {
        spdlog::error("settings not reloaded: {}", line);
      }
    }
  }

  void report(const option_words& now) {
    const auto changes = changes_between(running_, now, live_);
    const auto rules = now.find("rules");
    spdlog::info("settings reloaded: changed={}{}",
                 changes.live.empty() ? "none" : fmt::format("{}", fmt::join(changes.live, ",")),
                 rules != now.end() && running_.contains("rules") ? " rules=" + rules->second.back()
                                                                  : std::string{});
    for (const auto& name : changes.live) {
      running_.erase(name);
      if (const auto set = now.find(name); set != now.end()) {
        running_.insert(*set);
      }
    }
    for (const auto& name : changes.frozen) {
      spdlog::warn("setting not reloaded: {} changes at the next start", name);
    }
    for (const auto& [name, content] : contents_of(running_)) {
      if (const auto old = contents_.find(name); old != contents_.end() && old->second != content) {
        spdlog::warn("file not reloaded: {}: {} is read at the next start", name,
                     running_.at(name).back());
      }
    }
  }

  const Arguments& start_;
  std::set<std::string> live_;
  std::function<void(const Arguments&)> apply_;
  option_words running_;                         // the values in use
  std::map<std::string, std::size_t> contents_;  // hashes of its files
  std::optional<repeated_signal> signal_;
};

}  // namespace zinc
