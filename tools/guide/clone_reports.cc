#include "tools/guide/clone_reports.h"

#include <fmt/format.h>

namespace guide {

void clone_reports::begin(const std::shared_ptr<const chp::client>& of) {
  client_ = of;
  say_waiting(0);
}

void clone_reports::on_event(const chp::client_event& event) {
  using enum chp::client_event::kind;
  const auto client = client_.lock();
  if (!client) {
    return;
  }
  const auto now = client->status();
  switch (event.what) {
    case following: look(now); return;
    // The Guide's program prints the same line for each of these reasons.
    case server_lost:
    case server_unreachable:
    case server_silent:
      if (!words_.servers.empty()) {
        words_.print(fmt::format("I: server at {} didn't give HUGZ", words_.servers[event.server]));
        say_waiting(now.server);
      }
      return;
    case gap:
    case too_large:
    case history_refused:
    case forbidden:
    case history_lost:
    case lost:
    case session_forgotten:
    case degraded:
    case replicated: words_.print(fmt::format("W: {}", chp::to_string(event.what))); return;
  }
}

void clone_reports::on_changes(const std::vector<chp::change>& changes) {
  const auto client = client_.lock();
  if (!client) {
    return;
  }
  const auto now = client->status();
  look(now);
  for (const auto& one : changes) {
    if (one.number > said_) {
      said_ = one.number;
      say_received(now.server, one.erased() ? "delete" : "update");
    }
  }
}

// Prints one line for a new snapshot. Its number covers the entries of the snapshot and the updates that arrived with
// it, so that they get no lines of their own.
void clone_reports::look(const chp::client_status& now) {
  if (now.counters.snapshots != snapshots_) {
    snapshots_ = now.counters.snapshots;
    said_ = now.number;
    say_received(now.server, "snapshot");
  }
}

void clone_reports::say_received(std::size_t server, const char* what) const {
  words_.print(fmt::format("{} {}={}", words_.received[server], what, said_));
}

void clone_reports::say_waiting(std::size_t server) const {
  if (!words_.servers.empty()) {
    words_.print(fmt::format("I: waiting for server at {}...", words_.servers[server]));
  }
}

}  // namespace guide
