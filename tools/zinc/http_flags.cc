#include "tools/zinc/http_flags.h"

namespace zinc {

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
  app.add_option("--http-operator-file", to,
                 "file with a token; " + action + " over HTTP if a request has this token [off]")
      ->type_name("FILE")
      ->needs("--http");
}

}  // namespace zinc
