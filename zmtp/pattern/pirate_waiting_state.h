#pragma once
// The requests of a pirate queue that wait for a worker: their order, limits and expiry. Pure;
// `pirate_queue_state` owns it.

#include "zmtp/message.h"
#include "zmtp/pattern/liveness.h"
#include "zmtp/peer.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace zmtp {

// Bodies of one part and bodies of several parts wait in separate lines, because some workers
// accept only one part. The functions append the clients that the queue must read from again to
// `resume`.
class pirate_waiting_state {
public:
  using time_point = std::chrono::steady_clock::time_point;

  struct request {
    peer_id client;
    message envelope;
    message body;

    [[nodiscard]] bool has_several_parts() const noexcept { return body.size() != 1; }
  };
  // See pirate_queue_options.
  struct limits {
    std::size_t requests;
    std::size_t bytes;
    std::chrono::milliseconds unserved_timeout;
  };

  // `liveness` must outlive this object.
  pirate_waiting_state(const limits& limit, const liveness& liveness) noexcept
      : limit_{limit}, liveness_{liveness} {}

  // Adds `change` to the number of workers that accept bodies of one part or, if `multipart`, of
  // any number of parts.
  void count_worker(bool multipart, int change, time_point now) noexcept;

  // Adds a new request. Returns true if the queue must stop reading from its client.
  [[nodiscard]] bool push(request&& what, time_point now);
  // Adds a request that its worker did not take, in front of all others.
  void push_front(request&& what, time_point now);
  // Takes the oldest request that such a worker accepts.
  [[nodiscard]] std::optional<request> take(bool multipart, std::vector<peer_id>& resume);
  // Drops the requests of a client that has disconnected. Returns their number.
  [[nodiscard]] std::size_t drop(peer_id client, std::vector<peer_id>& resume);

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // Takes a request that has waited too long without a suitable worker.
  [[nodiscard]] std::optional<request> take_expired(time_point now, std::vector<peer_id>& resume);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
  struct waiting : request {
    std::size_t bytes;
    time_point since;
    std::uint64_t number;  // order of arrival; zero: in front
  };
  // Requests for the same set of workers.
  struct line {
    std::deque<waiting> requests{};
    std::size_t workers = 0;  // registered workers that accept these requests
    time_point unserved_since{};
  };

  void add(request&& what, bool in_front, time_point now);
  [[nodiscard]] request take_front(line& of, std::vector<peer_id>& resume);
  void leave(const waiting& what, std::vector<peer_id>& resume);
  [[nodiscard]] bool full() const noexcept;
  [[nodiscard]] bool roomy() const noexcept;
  [[nodiscard]] std::optional<time_point> expiry_of(const line& one) const noexcept;

  const limits limit_;
  const liveness& liveness_;
  std::array<line, 2> lines_;  // bodies of one part, bodies of several parts
  std::size_t size_ = 0;
  std::size_t bytes_ = 0;
  std::uint64_t last_number_ = 0;
  std::unordered_map<peer_id, std::size_t> per_client_;
  std::unordered_set<peer_id> paused_;  // clients that the queue does not read from
};

}  // namespace zmtp
