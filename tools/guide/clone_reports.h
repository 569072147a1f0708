#pragma once
// What the Guide's clone clients print of what they hear.

#include "chp/client.h"
#include "chp/client_actions.h"
#include "tools/guide/program.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace guide {

struct clone_client_words {
  // In front of what is received, by server.
  std::vector<std::string> received{};
  // Where servers are, of model six, which says which one it waits for.
  std::vector<std::string> servers{};
  line_printer print = say_line;
};

class clone_reports {
public:
  explicit clone_reports(clone_client_words words) : words_{std::move(words)} {}

  // As soon as there is one. Nothing is printed once it is gone.
  void begin(const std::shared_ptr<const chp::client>& of);
  void on_event(const chp::client_event& event);
  void on_changes(const std::vector<chp::change>& changes);

private:
  void look(const chp::client_status& now);
  void say_received(std::size_t server, const char* what) const;
  void say_waiting(std::size_t server) const;

  clone_client_words words_;
  std::weak_ptr<const chp::client> client_;
  std::uint64_t snapshots_ = 0;
  chp::sequence said_ = 0;
};

}  // namespace guide
