#include "tools/zinc/status/status_commands.h"

#include <CLI/CLI.hpp>

namespace zinc::status {

void commands::add_to(CLI::App& app) {
  for (const auto& [name, about] :
       {std::pair{"status", subject::all}, std::pair{"services", subject::services},
        std::pair{"workers", subject::workers}, std::pair{"clients", subject::clients}}) {
    auto& added = all_.emplace_back(app.add_subcommand(name), arguments{});
    add_status(*added.first, about, added.second);
  }
  top_app_ = app.add_subcommand("top");
  add_top(*top_app_, top_);
}

bool commands::parsed() const { return top_app_->parsed() || chosen() != nullptr; }

void commands::read_security_files() {
  if (top_app_->parsed()) {
    status::read_security_files(top_.from);
  }
  for (auto& each : all_) {
    if (each.first->parsed()) {
      status::read_security_files(each.second);
    }
  }
}

int commands::run() const {
  return top_app_->parsed() ? run_top(top_) : run_status(chosen()->second);
}

const std::pair<CLI::App*, arguments>* commands::chosen() const {
  for (const auto& each : all_) {
    if (each.first->parsed()) {
      return &each;
    }
  }
  return nullptr;
}

}  // namespace zinc::status
