#pragma once
// Black Box (the Guide, chapter 5): a fast subscriber. One thread only receives. The other threads,
// each with an io_context of its own, process the topics.

#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/message_batch.h"
#include "zmtp/options.h"

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace zmtp {

// Maps a topic to a shard, with the same result in every run and on every machine. Returns a number
// below `shards`, which must not be zero. Uses FNV-1a with the 64-bit mix of MurmurHash3. Without
// the mix, the last bytes of a topic would have too little effect. Publishers of a stream that is
// split earlier can use this function too.
[[nodiscard]] constexpr std::size_t shard_of(std::string_view topic, std::size_t shards) noexcept {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325;
  for (const char byte : topic) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100'0000'01b3;
  }
  hash ^= hash >> 33;
  hash *= 0xff51'afd7'ed55'8ccd;
  hash ^= hash >> 33;
  return static_cast<std::size_t>(hash % shards);
}

struct sharded_subscriber_options {
  std::size_t shards = 2;
  // Queue of one shard. It is full at either limit, and exceeds the limits by at most one batch.
  std::size_t queue_messages = 8'192;
  std::size_t queue_bytes = 64 * 1024 * 1024;  // framed; of a large message, its whole memory
  // If true, the socket closes when a shard is full, so that the application knows that it misses
  // messages. If false, receiving pauses for all shards until this shard has space, and the
  // publisher's high-water marks apply.
  bool close_when_full = false;
  socket_options socket{};
};

// Counters of one shard since its creation.
struct shard_counters {
  std::uint64_t received = 0;   // queued for the shard
  std::uint64_t processed = 0;  // messages whose handler has returned
  std::uint64_t full = 0;       // times that the receiving thread found the shard full
  std::size_t most_waiting = 0;
};

struct sharded_subscriber_handlers {
  // Called in the thread of shard `shard`, with messages in the order of arrival. The batch is valid
  // until the handler returns. The handler must not throw.
  std::function<void(std::size_t shard, const message_batch& batch)> on_messages;
  // Called in the receiving thread after it has closed the socket because a shard was full.
  std::function<void(error_code why)> on_end{};
};

// The topic, which is the first part, selects the shard (zmtp/pattern/shard_of.h). So messages of
// one topic keep their order. Each message goes to a handler once. Only publishers drop messages.
//
// Executor: handlers run in the threads of this object.
//
// Lifetime: the destructor waits for all threads, so handlers must not call it.
//
// Thread safety: any thread and any handler may call the members at any time, except the
// destructor.
class sharded_subscriber {
public:
  // Starts the threads. Throws boost::system::system_error: errc::bad_option, also for zero shards
  // or queue limits of zero.
  sharded_subscriber(const sharded_subscriber_options& options,
                     sharded_subscriber_handlers handlers);
  sharded_subscriber(const sharded_subscriber&) = delete;
  sharded_subscriber& operator=(const sharded_subscriber&) = delete;
  // Stops, and waits until the shards have processed all received messages.
  ~sharded_subscriber();

  // Work as those of sub_socket, and wait for the receiving thread. Throw
  // boost::system::system_error.
  void subscribe(std::string_view topic);
  void connect(std::string_view publisher);
  endpoint bind(std::string_view at);
  // Stops receiving. The shards process the received messages. Does not wait.
  void stop();

  [[nodiscard]] std::vector<shard_counters> counters() const;
  // Returns the executor of a shard, for other work in its thread. Valid while this object exists.
  [[nodiscard]] boost::asio::any_io_executor executor(std::size_t shard) const;

private:
  class intake;
  class shard;

  std::vector<std::unique_ptr<shard>> shards_;
  std::unique_ptr<intake> intake_;
};

}  // namespace zmtp
