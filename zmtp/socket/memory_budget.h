#pragma once
// What peers may take of the process as a whole, beyond what its options allow each of them: many that
// keep to their limits can be too many together.

#include <cstddef>
#include <cstdint>

namespace zmtp {

// Of all sockets in all threads together, in octets.
struct memory_budget {
  // What waits in the queues of sockets to be sent or to be received, in the memory that it takes; a block
  // that is in several queues, as publishers have it, counts once. While half is free the marks of each
  // socket alone hold. When more is used, a queue takes messages only while it holds less than a 32nd of
  // the budget (from three quarters on, a 256th; from seven eighths on, 4 KiB), so that who does not read
  // stops, and others go on moving theirs: a queue in which nothing waits takes one always, of whatever
  // size, and by so much the budget may be exceeded. A queue that takes nothing is as one that is full at
  // its mark: sending waits, or drops (socket_counters::dropped_over_budget), and its connection is not
  // read. Conflating sockets are counted and never stopped: they hold one message for each peer.
  std::size_t queued;
  // On TCP and ipc: memory of messages that have not come whole, which grows with what has come, to their
  // size or half as much again. Those of which less than 64 KiB wait are not counted: they leave the
  // buffers that connections share; others keep one, of 256 KiB, or have a larger block. When a message in
  // progress would grow beyond the budget, the connection with the largest half message closes
  // (errc::half_message_evicted), be it the one that grows; of equals, the one that has not grown for
  // longest. What alone is larger than the budget cannot be received. A connection of another thread
  // closes as soon as its executor gets to it, and what it holds is in excess until then.
  std::size_t half_messages;
};

// At first a quarter of the memory that the process may have, the machine's, or what its cgroups leave
// of it: three quarters of that for what is queued. Thread safety of both: safe.
[[nodiscard]] memory_budget process_memory_budget();
// Holds from now on. Take process_memory_budget(), change it, give it back. Nothing that is held goes
// before somebody wants more.
void set_process_memory_budget(const memory_budget& budget);

struct memory_use {
  // Each socket tells at the end of a turn, and not of less than a 4096th of the budget (but 16 KiB at
  // least, 256 KiB at most) while half of it is free; over inproc, until then, only with its next flush of
  // what its peers have taken.
  std::size_t queued = 0;
  std::size_t half_messages = 0;
  std::uint64_t times_scarce = 0;  // that more than half of the budget came to be queued
};

// What is held now. Thread safety: safe.
[[nodiscard]] memory_use process_memory_use();

}  // namespace zmtp
