// zinc titanic list | show | close | purge

#include "tools/zinc/titanic_store_command.h"

#include "tools/zinc/json_of.h"
#include "tools/zinc/printable.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zinc {

namespace {

namespace json = boost::json;
namespace titanic = mdp::titanic;
using boost::system::error_code;

std::string_view name_of(titanic::outcome state) noexcept {
  switch (state) {
    case titanic::outcome::pending: return "pending";
    case titanic::outcome::answered: return "answered";
    case titanic::outcome::given_up: return "given_up";
  }
  return "unknown";
}

// Returns the age in the two largest units.
std::string age_text(std::chrono::seconds age) {
  const auto seconds = age.count();
  if (seconds < 60) {
    return fmt::format("{}s", seconds);
  }
  if (seconds < 3'600) {
    return fmt::format("{}m{}s", seconds / 60, seconds % 60);
  }
  if (seconds < 86'400) {
    return fmt::format("{}h{}m", seconds / 3'600, seconds / 60 % 60);
  }
  return fmt::format("{}d{}h", seconds / 86'400, seconds / 3'600 % 24);
}

std::string joined(const zmtp::message& parts) {
  std::string text;
  for (const auto part : parts) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", printable(part));
  }
  return text;
}

json::array json_of_parts(const zmtp::message& parts) {
  json::array all;
  for (const auto part : parts) {
    all.push_back(json_of(part));
  }
  return all;
}

json::object json_of_request(const titanic::stored_request& one) {
  return {{"id", one.id.to_string()},
          {"state", json::string_view{name_of(one.state).data(), name_of(one.state).size()}},
          {"service", json_of(one.service)},
          {"principal", json_of(one.principal)},
          {"attempts", one.attempts},
          {"age_seconds", one.age.count()}};
}

// The store of a stopped Titanic. Its requests are in the order of acceptance.
class stopped_store {
public:
  stopped_store(const titanic_arguments& arguments, titanic::sqlite_options options)
      : arguments_{arguments}, file_{std::move(options)} {}

  [[nodiscard]] int run() {
    if (!std::filesystem::exists(arguments_.store)) {
      spdlog::error("cannot open {}: no such file; give the store of a Titanic as --store",
                    arguments_.store);
      return exit_code::failed;
    }
    if (const auto ec = file_.open(slots_)) {
      spdlog::error("cannot open {}: {}{}", arguments_.store, ec.message(),
                    ec == zmtp::storage_errc::store_in_use
                        ? "; or ask the running Titanic: `zinc request --service "
                          "titanic.reply ID`, titanic.close ID or mmi.titanic \"\""
                        : "");
      return exit_code::failed;
    }
    std::erase_if(slots_, [](const auto& one) { return one.accepted == 0; });
    std::sort(slots_.begin(), slots_.end(),
              [](const auto& a, const auto& b) { return a.accepted < b.accepted; });
    return do_it();
  }

private:
  int do_it() {
    switch (arguments_.task) {
      case titanic_task::list: return list();
      case titanic_task::show: return show();
      case titanic_task::close: return close_named();
      case titanic_task::purge: return purge();
      case titanic_task::serve: break;
    }
    return exit_code::misused;
  }

  int list() {
    for (const auto& one : slots_) {
      if (arguments_.json) {
        fmt::print("{}\n", json::serialize(json_of_request(one)));
      } else {
        fmt::print("{} {} {} {} {}\n", one.id.to_string(), name_of(one.state), one.attempts,
                   age_text(one.age), printable(one.service));
      }
    }
    return exit_code::done;
  }

  int show() {
    const auto all = find(arguments_.ids.front());
    const auto shown =
        std::all_of(all.begin(), all.end(), [&](const auto* one) { return show(*one); });
    return shown && !all.empty() ? exit_code::done : exit_code::failed;
  }

  // Logs an error and returns false if the request cannot be read.
  bool show(const titanic::stored_request& one) {
    const auto answered = one.state == titanic::outcome::answered;
    std::vector<titanic::store_operation> both{
        {.what = titanic::operation::read_request, .number = one.number}};
    if (answered) {
      both.push_back({.what = titanic::operation::read_reply, .number = one.number});
    }
    std::vector<titanic::store_result> read;
    file_.carry_out(both, read);
    for (const auto& each : read) {
      if (each.ec) {
        spdlog::error("cannot read {}: {}", one.id.to_string(), each.ec.message());
        return false;
      }
    }
    if (arguments_.json) {
      auto all = json_of_request(one);
      all["request"] = json_of_parts(read[0].body);
      if (answered) {
        all["reply"] = json_of_parts(read[1].body);
      }
      fmt::print("{}\n", json::serialize(all));
      return true;
    }
    fmt::print("id {}\nstate {}\nservice {}\nprincipal {}\nattempts {}\nage {}\nrequest {}\n",
               one.id.to_string(), name_of(one.state), printable(one.service),
               one.principal.empty() ? "anonymous" : printable(one.principal), one.attempts,
               age_text(one.age), joined(read[0].body));
    if (answered) {
      fmt::print("reply {}\n", joined(read[1].body));
    }
    return true;
  }

  int close_named() {
    std::vector<const titanic::stored_request*> all;
    for (const auto& id : arguments_.ids) {
      const auto found = find(id);
      if (found.empty()) {
        return exit_code::failed;
      }
      if (std::find(all.begin(), all.end(), found.front()) == all.end()) {
        all.insert(all.end(), found.begin(), found.end());
      }
    }
    return close(all);
  }

  int purge() {
    std::vector<const titanic::stored_request*> all;
    for (const auto& one : slots_) {
      if (one.state != titanic::outcome::pending && one.age >= arguments_.older) {
        all.push_back(&one);
      }
    }
    return close(all);
  }

  // Prints how many requests it removed, also after an error.
  int close(const std::vector<const titanic::stored_request*>& all) {
    constexpr std::size_t at_once = 1'000;
    std::size_t closed = 0;
    error_code failed;
    for (std::size_t begin = 0; begin < all.size() && !failed; begin += at_once) {
      std::vector<titanic::store_operation> batch;
      for (auto i = begin; i < std::min(begin + at_once, all.size()); ++i) {
        batch.push_back({.what = titanic::operation::close, .number = all[i]->number});
      }
      std::vector<titanic::store_result> results;
      file_.carry_out(batch, results);
      file_.tidy();
      for (const auto& one : results) {
        failed = one.ec ? one.ec : failed;
        closed += one.ec ? 0U : 1U;
      }
    }
    if (failed) {
      spdlog::error("cannot close: {}", failed.message());
    }
    if (arguments_.json) {
      fmt::print("{{\"closed\":{}}}\n", closed);
    } else {
      fmt::print("closed {}\n", closed);
    }
    return failed ? exit_code::failed : exit_code::done;
  }

  // Returns the requests with this id, of which each principal can have one. Logs an error if there
  // are none.
  [[nodiscard]] std::vector<const titanic::stored_request*> find(const std::string& text) const {
    const auto id = titanic::request_id::parse(text);
    std::vector<const titanic::stored_request*> known;
    for (const auto& one : slots_) {
      if (one.id == id) {
        known.push_back(&one);
      }
    }
    if (known.empty()) {
      spdlog::error("unknown request {} in {}; zinc titanic list prints all requests", text,
                    arguments_.store);
    }
    return known;
  }

  const titanic_arguments& arguments_;
  titanic::slot_file file_;
  std::vector<titanic::stored_request> slots_;
};

}  // namespace

int run_titanic_store(const titanic_arguments& arguments, titanic::sqlite_options options) {
  return stopped_store{arguments, std::move(options)}.run();
}

}  // namespace zinc
