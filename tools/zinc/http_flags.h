#pragma once
// The option --http.

#include "tools/zinc/http/address.h"

#include <CLI/CLI.hpp>

#include <optional>

namespace zinc {

void add_http(CLI::App& app, std::optional<http::address>& to);

}  // namespace zinc
