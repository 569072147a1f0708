#pragma once
// Prints the lines of the Guide's clone clients about their server and its changes.

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
  // Start of a line about a change, for each server.
  std::vector<std::string> received{};
  // Endpoints of the servers for model six, which names the server it waits for. Empty for other models.
  std::vector<std::string> servers{};
  line_printer print = say_line;
};

class clone_reports {
public:
  explicit clone_reports(clone_client_words words) : words_{std::move(words)} {}

  // Call as soon as the client exists. Nothing is printed after the end of the client.
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
