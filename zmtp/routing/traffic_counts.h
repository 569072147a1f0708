#pragma once
// The counters of a socket and of its peers.

#include "zmtp/counters.h"
#include "zmtp/error.h"
#include "zmtp/routing/pipe.h"

#include <cstddef>
#include <cstdint>

namespace zmtp {

class traffic_counts {
public:
  traffic_counts(const traffic_counts&) = delete;
  traffic_counts& operator=(const traffic_counts&) = delete;

  [[nodiscard]] const socket_counters& counters() const noexcept { return counters_; }

  // Count the bytes of a connection: for its pipe, or for a peer without a pipe yet.
  void count_read(peer_counters& of, std::size_t bytes) noexcept {
    counters_.bytes_received += bytes;
    of.bytes_received += bytes;
  }
  void count_written(peer_counters& of, std::size_t bytes) noexcept {
    counters_.bytes_sent += bytes;
    of.bytes_sent += bytes;
  }
  // Call with the number of subscriptions that were above a limit of the connection.
  void on_refused_subscriptions(std::uint64_t count) noexcept {
    counters_.refused_subscriptions += count;
  }
  // Call with the number of unwritten messages that a newer one replaced.
  void on_conflated(std::size_t messages) noexcept { counters_.dropped_conflated += messages; }
  // Call when the peer is alive but answers no PING: its application does not read.
  void on_not_reading(pipe& p) noexcept {
    ++counters_.not_reading;
    ++p.counters.not_reading;
  }
  // Call when a connection has ended, before or after its handshake.
  void on_ended(error_code reason) noexcept {
    if (reason.category() == zmtp_category()) {
      ++counters_.ended[static_cast<std::size_t>(reason.value())];
    }
  }
  // Call when a listener pauses because there are no file descriptors or no memory.
  void on_accepting_paused() noexcept { ++counters_.accept_pauses; }

protected:
  traffic_counts() = default;
  ~traffic_counts() = default;

  void count_sent(pipe& p, std::size_t messages = 1) noexcept {
    counters_.messages_sent += messages;
    p.counters.messages_sent += messages;
  }
  // Counts a message that is dropped because the queue of this peer is full.
  void drop_full(pipe& p) noexcept {
    const bool over = !p.out.at_mark() && p.out.over_quota();
    ++(over ? counters_.dropped_over_budget : counters_.dropped_full);
    ++(over ? p.counters.dropped_over_budget : p.counters.dropped_full);
  }

  socket_counters counters_;
};

}  // namespace zmtp
