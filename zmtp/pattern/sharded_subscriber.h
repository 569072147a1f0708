#pragma once
// Black Box: a fast subscriber, whose one thread does nothing but receive, and whose others, each with an
// io_context of its own, share the topics among them.

#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/message.h"
#include "zmtp/options.h"

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace zmtp {

struct sharded_subscriber_options {
  std::size_t shards = 2;
  // What waits for one shard. It is full when either is reached, and exceeds them by one batch at most.
  std::size_t queue_messages = 8'192;
  std::size_t queue_octets = 64 * 1024 * 1024;
  // A shard is full: nothing more is received until it has room, for any of them, and the publisher's own
  // marks count; or, if this is set, the socket is closed, so that what is missed is known to be missed.
  bool close_when_full = false;
  socket_options socket{};
};

// Of one shard, since it was made.
struct shard_counters {
  std::uint64_t received = 0;   // queued for it
  std::uint64_t processed = 0;  // of these: its handler has returned
  std::uint64_t full = 0;       // times that the receiving thread found it so
  std::size_t most_waiting = 0;
};

struct sharded_subscriber_handlers {
  // Called in the thread of shard `shard`, with messages in the order in which they were received; they end
  // when it returns. It
  // must not throw.
  std::function<void(std::size_t shard, std::span<const message> batch)> on_messages;
  // Called in the receiving thread when it has closed the socket because a shard was full.
  std::function<void(error_code why)> on_end{};
};

// The topic, a message's first part, decides upon the shard (zmtp/pattern/shard_of.h): messages of one topic
// keep their order, and each is given to a handler once. A message is dropped by publishers alone.
//
// Thread safety: its members may be called from any thread, also from its handlers; the destructor not from
// these.
class sharded_subscriber {
public:
  // Starts the threads. Throws boost::system::system_error with errc::bad_option, also for no shard or
  // queues of no size.
  sharded_subscriber(const sharded_subscriber_options& options,
                     sharded_subscriber_handlers handlers);
  sharded_subscriber(const sharded_subscriber&) = delete;
  sharded_subscriber& operator=(const sharded_subscriber&) = delete;
  // Stops, and waits until the shards have processed what they have.
  ~sharded_subscriber();

  // As sub_socket's; they wait for the receiving thread. Throw boost::system::system_error.
  void subscribe(std::string_view topic);
  void connect(std::string_view publisher);
  endpoint bind(std::string_view at);
  // Nothing is received any more; what was received is processed. Does not wait.
  void stop();

  [[nodiscard]] std::vector<shard_counters> counters() const;
  // Of a shard, for what else its thread is to do. Valid as long as this is.
  [[nodiscard]] boost::asio::any_io_executor executor(std::size_t shard) const;

private:
  class intake;
  class shard;

  std::vector<std::unique_ptr<shard>> shards_;
  std::unique_ptr<intake> intake_;
};

}  // namespace zmtp
