#pragma once
// Prints the lines of the Guide's clone servers about their work, from the status of a chp::server. Pure.

#include "chp/server_actions.h"

#include <functional>
#include <string>
#include <string_view>

namespace guide {

// Formats of the lines, each with a place for the sequence number. An empty format prints nothing.
struct clone_words {
  std::string_view update = "I: publishing update={}";
  std::string_view expired = "I: publishing delete={}";
  std::string_view pending = "I: publishing pending={}";
  std::string_view followed = "I: received update={}";
  // The Guide's spelling, which scripts may search for.
  std::string_view snapshot = "I: sending shapshot={}";
};

class clone_log {
public:
  using printer = std::function<void(const std::string& line)>;

  clone_log(const clone_words& words, printer print);

  // Prints a line for each change since the last turn. `now` is the status of the server after a turn.
  void on_turn(const chp::server_status& now);
  // Prints nothing about changes before `now`.
  void skip_to(const chp::server_status& now) noexcept { before_ = now; }

private:
  void print(std::string_view words, chp::sequence number) const;

  clone_words words_;
  printer print_;
  chp::server_status before_;
};

}  // namespace guide
