#pragma once
// Faults to put between a simulated socket and its connections, to see that they are noticed.

#include <cstddef>
#include <functional>
#include <string_view>

namespace zmtp {
struct pipe;
}

namespace zmtp::simulation {

struct sabotage {
  // Has its way with what was decoded before the socket learns of it.
  std::function<void(pipe&)> received{};
  // Edits the messages that are about to be sent, once the socket knows the subscription of the
  // peer.
  std::function<void(pipe&, bool subscribe, std::string_view topic)> subscribed{};
  // How much the queue is told that the kernel has taken.
  std::function<std::size_t(std::size_t)> taken{};
  bool ignores_marks = false;   // decodes whether there is room or not
  bool never_resumes = false;   // forgets connections that waited for room
  bool forgets_topics = false;  // tells a new connection no topics
  bool forgets_detach = false;  // does not tell the socket that connections end
  bool forgets_cancel = false;  // … or that a peer wants a topic no longer
};

}  // namespace zmtp::simulation
