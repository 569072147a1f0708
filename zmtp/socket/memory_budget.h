#pragma once
// Memory limits of the whole process for data of peers. Many peers can exceed the available memory
// together, even if each keeps the limits of its socket.

#include <cstddef>
#include <cstdint>

namespace zmtp {

// Limits in bytes for all sockets in all threads together.
struct memory_budget {
  // Memory of all messages in send and receive queues. A block that several queues share counts
  // once.
  //
  // While at least half of the budget is free, only the high-water marks of each socket apply.
  // Above that, each queue has a quota: 1/32 of the budget, from 3/4 of the budget on 1/256, and
  // from 7/8 on 4,096 bytes. So a peer that does not read stalls, and other peers can still
  // exchange messages. An empty queue always takes one message of any size. These messages can
  // exceed the budget.
  //
  // A queue at its quota behaves like a queue at its high-water mark: sending waits or drops
  // (socket_counters::dropped_over_budget), and the socket does not read from the connection.
  // Conflating sockets count but have no quota, because they hold one message per peer.
  std::size_t queued;
  // Memory of partial messages, except on inproc. The memory of a message grows with the received
  // bytes, up to its size or 1.5 times of that. If it comes in fragments of WebSocket, it can be 3.5
  // times of that for a moment. A partial message below 64 KiB does not count, because it leaves the
  // buffer that connections share. A larger one keeps a buffer of 256 KiB or a larger block.
  //
  // If a partial message would exceed the budget, the connection with the largest one closes
  // (errc::partial_message_evicted), even if that is the growing one. Among equals, the one that has
  // not grown for longest closes. A message above the budget cannot be received. A connection in
  // another thread closes when its executor runs the request, and its memory exceeds the budget
  // until then.
  std::size_t partial_messages;
};

// Initially a quarter of the memory available to the process, which is the memory of the machine or
// the limit of its cgroups. Three quarters of that are for queued messages. Thread safety of both
// functions: safe.
[[nodiscard]] memory_budget process_memory_budget();
// Sets the budget. Copy process_memory_budget(), change the copy and pass it. Nothing is evicted
// until a connection needs more memory.
void set_process_memory_budget(const memory_budget& budget);

struct memory_use {
  // A socket reports its use at the end of a turn. While half of the budget is free, it does not
  // report changes below 1/4096 of the budget (at least 16 KiB, at most 256 KiB). Over inproc, a
  // socket learns only with its next flush which messages its peers have taken.
  std::size_t queued = 0;
  std::size_t partial_messages = 0;
  std::uint64_t times_scarce = 0;  // times that the use rose above half of the budget
};

// Returns the current use. Thread safety: safe.
[[nodiscard]] memory_use process_memory_use();

}  // namespace zmtp
