#include "tools/zinc/http_flags.h"

#include "tools/zinc/security_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>

namespace zinc {

namespace {

constexpr auto operator_option = "--http-operator-file";

// Returns the first line of the file. Throws CLI::ValidationError.
std::string token_of(const std::string& file) {
  constexpr std::size_t least = 16;
  auto token = text_of_file(operator_option, file);
  token.resize(std::min(token.size(), token.find_first_of("\r\n")));
  const bool printable =
      std::ranges::all_of(token, [](char byte) { return byte > ' ' && byte <= '~'; });
  if (token.size() < least || !printable) {
    refuse(operator_option,
           fmt::format("the token in {} must have at least {} printable ASCII characters without "
                       "blanks; write one with openssl rand -hex 32",
                       file, least));
  }
  warn_if_others_may_read(operator_option, file);
  return token;
}

}  // namespace

void add_http(CLI::App& app, std::optional<http::address>& to) {
  app.add_option_function<std::string>(
         "--http",
         [&to](const std::string& text) {
           try {
             to = http::parse_address(text);
           } catch (const http::address_error& e) {
             throw CLI::ValidationError{"--http", e.what()};
           }
         },
         "serve a page, /metrics, /status, /healthz and /readyz over HTTP; a port alone is one of "
         "127.0.0.1 [off]")
      ->type_name("ADDRESS");
}

void add_http_operator(CLI::App& app, std::string& to, const std::string& action) {
  app.add_option_function<std::string>(
         operator_option, [&to](const std::string& file) { to = token_of(file); },
         "file with a token; " + action + " over HTTP if a request has this token [off]")
      ->type_name("FILE")
      ->needs("--http");
}

}  // namespace zinc
