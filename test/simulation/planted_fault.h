#pragma once
// Faults to put between a simulated socket and its connections, to see that they are noticed.

#include <cstddef>
#include <functional>
#include <string_view>

namespace zmtp {
struct pipe;
}

namespace zmtp::simulation {

struct planted_fault {
  // Edits the decoded messages before the socket gets them.
  std::function<void(pipe&)> received{};
  // Edits the messages that are about to be sent, once the socket knows the subscription of the
  // peer.
  std::function<void(pipe&, bool subscribe, std::string_view topic)> subscribed{};
  // Changes the number of bytes that the kernel reports as taken.
  std::function<std::size_t(std::size_t)> taken{};
  bool ignores_marks = false;   // decodes whether there is room or not
  bool never_resumes = false;   // forgets connections that waited for room
  bool forgets_topics = false;  // sends no topics to a new connection
  bool forgets_detach = false;  // does not report to the socket that connections end
  bool forgets_cancel = false;  // … or that a peer wants a topic no longer
};

}  // namespace zmtp::simulation
