#pragma once
// What peers may take of the process as a whole, beyond what its options allow each of them: many that
// keep to their limits can be too many together.

#include <cstddef>

namespace zmtp {

// Of all sockets on TCP and ipc in all threads together, in octets. inproc has none: what is sent there
// is the process's own.
struct memory_budget {
  // Memory of messages that have not come whole, which grows with what has come, to their size or half
  // as much again. Those of which less than 64 KiB wait are not counted: they leave the buffers that
  // connections share; others keep one, of 256 KiB, or have a larger block. When a message in progress would grow beyond the budget, the connection with the
  // largest half message closes (errc::half_message_evicted), be it the one that grows; of equals, the
  // one that has not grown for longest. What alone is larger than the budget cannot be received. A
  // connection of another thread closes as soon as its executor gets to it, and what it holds is in
  // excess until then.
  std::size_t half_messages;
};

// At first a sixteenth of the memory that the process may have: the machine's, or what its cgroups
// leave of it. Thread safety of both: safe.
[[nodiscard]] memory_budget process_memory_budget();
// Holds from now on; nobody has to go before somebody wants more.
void set_process_memory_budget(const memory_budget& budget);

// What is held of it now. Thread safety: safe.
[[nodiscard]] memory_budget process_memory_use();

}  // namespace zmtp
