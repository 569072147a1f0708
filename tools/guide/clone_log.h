#pragma once
// What the Guide's clone servers print of their work, from what our server says of itself. Pure.

#include "chp/server_actions.h"

#include <functional>
#include <string>
#include <string_view>

namespace guide {

// Each has a place for the number; empty: nothing is printed.
struct clone_words {
  std::string_view update = "I: publishing update={}";
  std::string_view expired = "I: publishing delete={}";
  std::string_view pending = "I: publishing pending={}";
  std::string_view followed = "I: received update={}";
  // The Guide's spelling, which scripts may look for.
  std::string_view snapshot = "I: sending shapshot={}";
};

class clone_log {
public:
  using printer = std::function<void(const std::string& line)>;

  clone_log(const clone_words& words, printer print);

  // As the server stands after a turn: a line for each thing that it did since the last one.
  void on_turn(const chp::server_status& now);
  // What came before is not to be printed.
  void skip_to(const chp::server_status& now) noexcept { before_ = now; }

private:
  void print(std::string_view words, chp::sequence number) const;

  clone_words words_;
  printer print_;
  chp::server_status before_;
};

}  // namespace guide
