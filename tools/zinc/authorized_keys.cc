#include "tools/zinc/authorized_keys.h"

#include "zmtp/curve/certificate_file.h"
#include "zmtp/curve/key.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>

namespace zinc {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& why) {
  throw CLI::ValidationError{option, why};
}

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

void add_keys_of_folder(zmtp::allowed_keys& to, const std::string& folder) {
  std::error_code ec;
  for (fs::directory_iterator at{folder, ec}, end; !ec && at != end; at.increment(ec)) {
    const auto name = at->path().filename().string();
    std::error_code ignored;
    if (name.starts_with('.') || name.ends_with("_secret") || name.ends_with('~') ||
        !at->is_regular_file(ignored)) {
      continue;
    }
    const auto found = certificate_of(authorized_option, at->path().string());
    auto user = name;
    for (const auto& [key, value] : found.metadata) {
      if (key == "name") {
        user = value;
      }
    }
    to.allow(found.public_key, user);
  }
  if (ec) {
    refuse(authorized_option, fmt::format("cannot read the folder {}: {}; check the permissions",
                                          folder, ec.message()));
  }
}

}  // namespace

std::string text_of_file(const std::string& option, const std::string& path) {
  const auto fail = [&](int error) {
    refuse(option, fmt::format("cannot read {}: {}; check the name and the permissions", path,
                               std::strerror(error)));
  };
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    fail(EISDIR);
  }
  std::ifstream input{path, std::ios::binary};
  if (!input) {
    fail(errno);
  }
  std::string text{std::istreambuf_iterator<char>{input}, {}};
  if (input.bad()) {
    fail(EIO);
  }
  return text;
}

zmtp::curve_certificate certificate_of(const std::string& option, const std::string& path) {
  try {
    return zmtp::load_certificate(path);
  } catch (const zmtp::certificate_error& e) {
    refuse(option, e.what());
  }
}

std::shared_ptr<zmtp::allowed_keys> load_authorized_keys(const std::string& path) {
  auto keys = std::make_shared<zmtp::allowed_keys>();
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    add_keys_of_folder(*keys, path);
  } else {
    std::istringstream text{text_of_file(authorized_option, path)};
    std::size_t number = 0;
    for (std::string line; std::getline(text, line);) {
      add_key_of_line(*keys, line, fmt::format("{}:{}", path, ++number));
    }
  }
  if (keys->size() == 0) {
    refuse(authorized_option,
           fmt::format("{} has no key, so no client may connect; add the public certificate of a "
                       "client",
                       path));
  }
  return keys;
}

}  // namespace zinc
