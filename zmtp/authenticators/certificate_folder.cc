#include "zmtp/authenticators/certificate_folder.h"

#include "zmtp/authenticators/reported_faults.h"
#include "zmtp/curve/certificate_file.h"
#include "zmtp/runtime/runtime.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

namespace zmtp {

namespace {

constexpr std::size_t most_waiting = 4'096;  // handshakes; an answer takes microseconds

bool is_ignored(std::string_view name) noexcept {
  return name.starts_with('.') || name.ends_with('~') || name.ends_with("_secret");
}

// One file, as it was when it was read.
struct client_file {
  watched_file file;
  std::optional<curve_public_key> key{};
  std::string user_id{};
  std::string fault{};

  void read(const std::string& name) {
    key.reset();
    fault.clear();
    if (!file.present()) {
      return;
    }
    try {
      const auto read = load_certificate(file.path());
      key = read.public_key;
      const auto named = std::ranges::find_if(
          read.metadata, [](const auto& fact) { return fact.first == "name"; });
      user_id = named != read.metadata.end() && !named->second.empty() ? named->second : name;
    } catch (const certificate_error& e) {
      fault = e.what();
    }
  }
};

}  // namespace

class certificate_folder::contents {
public:
  contents(std::string folder, fault_handler on_fault, std::chrono::milliseconds interval)
      : folder_{std::move(folder)}, faults_{std::move(on_fault)}, interval_{interval} {
    if (const auto names = list(); !list_fault_.empty()) {
      throw certificate_error{list_fault_};
    }
    refresh();
  }

  [[nodiscard]] verdict answer(const curve_public_key& key) {
    if (runtime::system().now() >= next_check_) {
      refresh();
    }
    const auto found = users_.find(key);
    return found == users_.end() ? verdict{refusal{.status = "400"}}
                                 : verdict{principal{.user_id = found->second->user_id}};
  }

private:
  void refresh() {
    next_check_ = runtime::system().now() + interval_;
    const auto names = list();
    const auto now = runtime::system().wall_clock();
    std::erase_if(files_, [&](const auto& entry) { return !names.contains(entry.first); });
    for (const auto& name : names) {
      auto& entry =
          files_.try_emplace(name, client_file{watched_file{folder_ + "/" + name}}).first->second;
      if (entry.file.changed(now)) {
        entry.read(name);
      }
    }
    index();
  }

  // Returns the names of the files that may be certificates.
  std::set<std::string> list() {
    std::set<std::string> names;
    std::error_code failure;
    std::filesystem::directory_iterator at{folder_, failure};
    for (; !failure && at != std::filesystem::directory_iterator{}; at.increment(failure)) {
      if (auto name = at->path().filename().string(); !is_ignored(name)) {
        names.insert(std::move(name));
      }
    }
    list_fault_.clear();
    if (failure) {
      names.clear();
      list_fault_ = "cannot read the folder of certificates " + folder_ + ": " + failure.message() +
                    "; create it, or check the path";
    }
    return names;
  }

  void index() {
    users_.clear();
    std::vector<std::string> faults;
    if (!list_fault_.empty()) {
      faults.push_back(list_fault_);
    }
    for (const auto& [name, entry] : files_) {
      if (!entry.fault.empty()) {
        faults.push_back(entry.fault);
      } else if (entry.key) {
        const auto [other, is_new] = users_.try_emplace(*entry.key, &entry);
        if (!is_new) {
          faults.push_back("ignored " + entry.file.path() + ": " + other->second->file.path() +
                           " has the same key; remove one of them");
        }
      }
    }
    faults_.report(std::move(faults));
  }

  std::string folder_;
  reported_faults faults_;
  std::chrono::milliseconds interval_;
  runtime::time_point next_check_{};
  std::map<std::string, client_file> files_;
  std::map<curve_public_key, const client_file*> users_;
  std::string list_fault_;
};

certificate_folder::certificate_folder(const std::string& folder, fault_handler on_fault,
                                       std::chrono::milliseconds check_interval)
    : contents_{std::make_unique<contents>(folder, std::move(on_fault), check_interval)},
      thread_{most_waiting, [this](question& asked) {
                auto answer = contents_->answer(asked.key);
                std::move(asked.done)(std::move(answer));
              }} {}

certificate_folder::~certificate_folder() = default;

void certificate_folder::authenticate(const peer_info&, const credentials& shown, handler done) {
  const auto* const curve = std::get_if<curve_credentials>(&shown);
  if (curve == nullptr) {
    std::move(done)(refusal{.status = "400"});
    return;
  }
  question asked{curve->public_key, std::move(done)};
  if (!thread_.give(asked)) {
    std::move(asked.done)(refusal{});
  }
}

}  // namespace zmtp
