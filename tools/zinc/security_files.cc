#include "tools/zinc/security_files.h"

#include "zmtp/authenticators/allowed_keys.h"
#include "zmtp/authenticators/certificate_folder.h"
#include "zmtp/authenticators/password_file.h"
#include "zmtp/curve/certificate_file.h"
#include "zmtp/curve/key.h"
#include "zmtp/curve/private_file.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <utility>
#include <variant>

namespace zinc {

namespace fs = std::filesystem;

namespace {

void add_key_of_line(zmtp::allowed_keys& to, std::string_view line, const std::string& place) {
  constexpr std::string_view blanks = " \t\r";
  const auto first = line.find_first_not_of(blanks);
  if (first == std::string_view::npos) {
    return;
  }
  line.remove_prefix(first);
  const auto word = line.substr(0, line.find_first_of(blanks));
  line.remove_prefix(word.size());
  const auto key = zmtp::parse_public_key(word);
  // A key may begin with # too.
  if (!key && word.front() == '#') {
    return;
  }
  if (!key) {
    refuse(authorized_option,
           fmt::format("{}: '{}' is not a key of 40 characters in Z85; give the key that zinc "
                       "keygen printed, and a user id behind it if you like",
                       place, word));
  }
  const auto user = line.find_first_not_of(blanks);
  to.allow(*key, user == std::string_view::npos
                     ? std::string{word}
                     : std::string{line.substr(user, line.find_last_not_of(blanks) + 1 - user)});
}

// Makes an authenticator that reads a file again when it changes. `make` gets the handler of its
// faults. A fault at the start is one of the option. A later one is logged.
template <class Make>
std::shared_ptr<zmtp::authenticator> watching(const std::string& option, Make make) {
  struct starting {
    bool now = true;
    std::string fault;
  };
  const auto start = std::make_shared<starting>();
  std::shared_ptr<zmtp::authenticator> made;
  try {
    made = make([option, start](const std::string& fault) {
      if (start->now) {
        start->fault = fault;
      } else {
        spdlog::error("{}: {}", option, fault);
      }
    });
  } catch (const std::runtime_error& e) {
    refuse(option, e.what());
  }
  start->now = false;
  if (!start->fault.empty()) {
    refuse(option, start->fault);
  }
  return made;
}

std::shared_ptr<zmtp::authenticator> keys_of_file(const std::string& path) {
  auto keys = std::make_shared<zmtp::allowed_keys>();
  std::istringstream text{text_of_file(authorized_option, path)};
  std::size_t number = 0;
  for (std::string line; std::getline(text, line);) {
    add_key_of_line(*keys, line, fmt::format("{}:{}", path, ++number));
  }
  if (keys->size() == 0) {
    refuse(authorized_option,
           fmt::format("{} has no key, so no client may connect; add the public key of a client",
                       path));
  }
  return keys;
}

}  // namespace

void warn(const std::string& text) {
  static std::set<std::string> said;
  if (said.insert(text).second) {
    // Does not throw, unlike fmt::print().
    std::fprintf(stderr, "zinc: warning: %s\n", text.c_str());
  }
}

void warn_if_others_may_read(const std::string& option, const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0 && (found.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    warn(fmt::format("{}: other users may read {}, which has mode {:04o}; run chmod 600", option,
                     path, static_cast<unsigned>(found.st_mode) & 07777U));
  }
}

void refuse(const std::string& option, const std::string& why) {
  throw CLI::ValidationError{option, why};
}

namespace {

[[noreturn]] void refuse_file(const std::string& option, const std::string& path,
                              const zmtp::unread_file& fault) {
  refuse(option,
         fmt::format("cannot read {}: {}; check the name and the permissions", path, fault.why));
}

}  // namespace

void check_file(const std::string& option, const std::string& path) {
  if (const auto fault = zmtp::fault_of_file(path)) {
    refuse_file(option, path, *fault);
  }
}

std::string text_of_file(const std::string& option, const std::string& path,
                         std::size_t most_bytes) {
  auto read = zmtp::read_private_file(path, most_bytes);
  if (const auto* const unread = std::get_if<zmtp::unread_file>(&read)) {
    refuse_file(option, path, *unread);
  }
  return std::move(std::get<std::string>(read));
}

zmtp::curve_certificate certificate_of(const std::string& option, const std::string& path) {
  try {
    return zmtp::load_certificate(path);
  } catch (const zmtp::certificate_error& e) {
    refuse(option, e.what());
  }
}

std::shared_ptr<zmtp::authenticator> load_authorized_keys(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) {
    return keys_of_file(path);
  }
  return watching(authorized_option, [&](auto on_fault) {
    return std::make_shared<zmtp::certificate_folder>(path, std::move(on_fault));
  });
}

std::shared_ptr<zmtp::authenticator> load_plain_users(const std::string& path) {
  return watching(plain_users_option, [&](auto on_fault) {
    return std::make_shared<zmtp::password_file>(
        path, zmtp::password_file_options{.on_fault = std::move(on_fault)});
  });
}

}  // namespace zinc
