#include "zmtp/curve/certificate.h"

#include <algorithm>
#include <cstddef>

namespace zmtp {

namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) noexcept {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool is_name_character(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.' || c == '/';
}

// Reads line by line. Keys are those of the section `curve`.
class reader {
public:
  [[nodiscard]] std::variant<curve_certificate, certificate_fault> read(std::string_view text) {
    while (!text.empty()) {
      ++line_;
      const auto end = std::min(text.find('\n'), text.size());
      if (!read_line(text.substr(0, end))) {
        return certificate_fault{line_, fault_};
      }
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (!has_public_key_) {
      return certificate_fault{0, "no public-key in the section curve; create it with zinc keygen"};
    }
    if (made_.secret_key && public_key_of(*made_.secret_key) != made_.public_key) {
      return certificate_fault{
          0, "the public-key does not belong to the secret-key; create both with zinc keygen"};
    }
    return std::move(made_);
  }

private:
  bool read_line(std::string_view line) {
    const auto content = trimmed(line);
    if (content.empty() || content.front() == '#') {
      return true;
    }
    const auto equals = content.find('=');
    const auto name = trimmed(content.substr(0, equals));
    if (!std::ranges::all_of(name, is_name_character) || name.empty()) {
      return fail("not a name; write a section, or `name = \"value\"`");
    }
    if (blanks.find(line.front()) == std::string_view::npos) {
      section_ = name;
      return true;
    }
    if (equals == std::string_view::npos) {
      return true;  // a section inside a section has nothing for us
    }
    const auto value = unquoted(trimmed(content.substr(equals + 1)));
    return value ? add(name, *value) : fail("the quote is not closed; end the value with a quote");
  }

  static std::optional<std::string_view> unquoted(std::string_view value) noexcept {
    if (value.empty() || (value.front() != '"' && value.front() != '\'')) {
      return value;
    }
    if (value.size() < 2 || value.back() != value.front()) {
      return std::nullopt;
    }
    return value.substr(1, value.size() - 2);
  }

  bool add(std::string_view name, std::string_view value) {
    if (section_ == "metadata") {
      made_.metadata.emplace_back(name, value);
    } else if (section_ == "curve" && name == "public-key") {
      const auto key = parse_public_key(value);
      if (!key || std::exchange(has_public_key_, true)) {
        return fail("the public-key is not one key of 40 characters; copy it again");
      }
      made_.public_key = *key;
    } else if (section_ == "curve" && name == "secret-key") {
      auto key = parse_secret_key(value);
      if (!key || made_.secret_key) {
        return fail("the secret-key is not one key of 40 characters; copy it again");
      }
      made_.secret_key = key;
    }
    return true;
  }

  bool fail(const char* what) {
    fault_ = what;
    return false;
  }

  std::size_t line_ = 0;
  std::string fault_;
  std::string section_;
  bool has_public_key_ = false;
  curve_certificate made_;
};

}  // namespace

std::variant<curve_certificate, certificate_fault> parse_certificate(std::string_view text) {
  return reader{}.read(text);
}

bool is_metadata(std::string_view name, std::string_view value) noexcept {
  return !name.empty() && std::ranges::all_of(name, is_name_character) &&
         std::ranges::all_of(value, [](char c) {
           return static_cast<unsigned char>(c) >= ' ' && c != '"' && c != '\x7f';
         });
}

std::string to_text(const curve_certificate& certificate) {
  std::string text = certificate.secret_key
                         ? "# CURVE secret certificate\n"
                           "# Keep this file secret. Its owner proves its identity with it.\n\n"
                         : "# CURVE public certificate\n"
                           "# Give this file to peers over a channel that others cannot alter.\n\n";
  const auto add = [&text](std::string_view name, std::string_view value) {
    text.append("    ").append(name).append(" = \"").append(value).append("\"\n");
  };
  text.append("metadata\n");
  for (const auto& [name, value] : certificate.metadata) {
    add(name, value);
  }
  text.append("curve\n");
  add("public-key", to_z85(certificate.public_key));
  if (certificate.secret_key) {
    add("secret-key", to_z85(*certificate.secret_key));
  }
  return text;
}

}  // namespace zmtp
