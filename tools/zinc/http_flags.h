#pragma once
// The option --http.

#include "tools/zinc/http/address.h"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

namespace zinc {

void add_http(CLI::App& app, std::optional<http::address>& to);
// Adds --http-operator-file, which writes the token of the file to `to`. `action` completes the help: "drains workers".
void add_http_operator(CLI::App& app, std::string& to, const std::string& action);

}  // namespace zinc
