#include "zmtp/authenticators/password_list.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <new>
#include <utility>

namespace zmtp {

namespace {

constexpr std::size_t longest_user = 255;  // bytes, in HELLO of PLAIN
constexpr std::string_view hash_start = "$argon2id$";

// Calls `use(line)` for each line, without its end.
template <class Use>
void for_each_line(std::string_view text, Use use) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    use(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

bool is_comment(std::string_view line) noexcept { return line.empty() || line.front() == '#'; }

// A hash has no colon, so a user may have one.
std::string_view user_in(std::string_view line) noexcept {
  const auto colon = is_comment(line) ? std::string_view::npos : line.rfind(':');
  return colon == std::string_view::npos ? std::string_view{} : line.substr(0, colon);
}

// libsodium declares that it reads this much.
using hash_text = std::array<char, crypto_pwhash_STRBYTES>;

hash_text padded(const std::string& hash) noexcept {
  hash_text text{};
  std::copy_n(hash.begin(), std::min(hash.size(), text.size() - 1), text.begin());
  return text;
}

bool is_hash(const std::string& text) {
  return text.starts_with(hash_start) && text.size() < crypto_pwhash_STRBYTES &&
         ::crypto_pwhash_str_needs_rehash(padded(text).data(), crypto_pwhash_OPSLIMIT_INTERACTIVE,
                                          crypto_pwhash_MEMLIMIT_INTERACTIVE) >= 0;
}

}  // namespace

password_list parse_password_list(std::string_view text) {
  password_list read;
  std::size_t number = 0;
  for_each_line(text, [&](std::string_view line) {
    ++number;
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    if (is_comment(line)) {
      return;
    }
    const std::string user{user_in(line)};
    const auto fail = [&](std::string what) { read.faults.push_back({number, std::move(what)}); };
    if (auto fault = fault_of_user(user)) {
      return fail(std::move(*fault));
    }
    std::string hash{line.substr(user.size() + 1)};
    if (!is_hash(hash)) {
      return fail("not an Argon2id hash behind the user; write the line with zinc passwd");
    }
    if (!read.hashes.try_emplace(user, std::move(hash)).second) {
      fail("the user has a line above; remove one of them");
    }
  });
  return read;
}

std::string with_user(std::string_view text, std::string_view user, std::string_view hash) {
  const auto line = std::string{user}.append(":").append(hash).append("\n");
  std::string made;
  bool replaced = false;
  for_each_line(text, [&](std::string_view old) {
    if (user_in(old) != user) {
      made.append(old).append("\n");
    } else if (!std::exchange(replaced, true)) {
      made.append(line);
    }
  });
  return replaced ? made : made.append(line);
}

std::optional<std::string> without_user(std::string_view text, std::string_view user) {
  std::string made;
  bool removed = false;
  for_each_line(text, [&](std::string_view old) {
    if (user_in(old) == user) {
      removed = true;
    } else {
      made.append(old).append("\n");
    }
  });
  return removed ? std::optional{std::move(made)} : std::nullopt;
}

std::optional<std::string> fault_of_user(std::string_view user) {
  if (user.empty()) {
    return "no user; write `user:hash`";
  }
  if (user.size() > longest_user) {
    return "the user has more than 255 bytes; choose a shorter name";
  }
  if (user.front() == '#' || std::ranges::any_of(user, [](char c) {
        return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
      })) {
    return "the user begins with # or has a control character; choose another name";
  }
  return std::nullopt;
}

std::string hash_password(std::string_view password) {
  hash_text hash;
  if (::sodium_init() < 0 || ::crypto_pwhash_str_alg(hash.data(), password.data(), password.size(),
                                                     crypto_pwhash_OPSLIMIT_INTERACTIVE,
                                                     crypto_pwhash_MEMLIMIT_INTERACTIVE,
                                                     crypto_pwhash_ALG_ARGON2ID13) != 0) {
    throw std::bad_alloc{};
  }
  return hash.data();
}

bool is_password(const std::string& hash, std::string_view password) {
  return ::crypto_pwhash_str_verify(padded(hash).data(), password.data(), password.size()) == 0;
}

}  // namespace zmtp
