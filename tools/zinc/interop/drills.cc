#include "tools/zinc/interop/drills.h"

#include "tools/zinc/interop/drill_groups.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace zinc::interop {

namespace {

using std::string;

std::vector<pair> make_all() {
  std::vector<pair> all;
  for (const auto make : {pirate_pairs, majordomo_pairs, binary_star_pairs, freelance_pairs,
                          publishing_pairs, clone_pairs}) {
    for (auto& one : make()) {
      all.push_back(std::move(one));
    }
  }
  return all;
}

const start* started_by(const step& one) {
  if (const auto* const repeated = std::get_if<until>(&one.what)) {
    return &repeated->what;
  }
  return std::get_if<start>(&one.what);
}

}  // namespace

const std::vector<pair>& all_pairs() {
  static const auto all = make_all();
  return all;
}

std::vector<pair> chosen_pairs(const words& names) {
  if (names.empty()) {
    return all_pairs();
  }
  std::set<string> unknown{names.begin(), names.end()};
  std::vector<pair> chosen;
  for (const auto& one : all_pairs()) {
    const auto is_meant = [&one](const string& name) {
      return name == one.group || name == one.name();
    };
    if (std::any_of(names.begin(), names.end(), is_meant)) {
      chosen.push_back(one);
      unknown.erase(one.group);
      unknown.erase(one.name());
    }
  }
  if (!unknown.empty()) {
    throw std::invalid_argument{"there is no pair " + *unknown.begin() +
                                "; --list names them and their groups"};
  }
  return chosen;
}

std::set<string> programs_of(const drill& one, side of) {
  std::set<string> found;
  for (const auto& s : one.steps) {
    if (const auto* const started = started_by(s); started != nullptr && started->of == of) {
      found.insert(started->program);
    }
  }
  return found;
}

std::vector<combination> combinations_of(const drill& one) {
  const bool both = !programs_of(one, server).empty() && !programs_of(one, client).empty();
  std::vector<combination> all{{origin::ours, origin::ours}};
  if (both) {
    all.push_back({origin::ours, origin::theirs});
    all.push_back({origin::theirs, origin::ours});
  }
  all.push_back({origin::theirs, origin::theirs});
  if (one.only_if) {
    all.erase(std::remove_if(all.begin(), all.end(),
                             [&one](const combination& c) { return !c.meets(*one.only_if); }),
              all.end());
  }
  return all;
}

words our_arguments(std::string_view program) {
  if (program == "lpserver" || program == "spworker" || program == "ppworker") {
    return {"--calm"};
  }
  if (program == "mdclient" || program == "mdclient2" || program == "flclient2" ||
      program == "flclient3") {
    return {"--count", std::to_string(short_count)};
  }
  return {};
}

}  // namespace zinc::interop
