#pragma once
// The Guide's proxies for publish-subscribe (chapter 5): Espresso, which observes messages, and the
// last value cache. Shell of zmtp/routing/last_values.h, through an XPUB.

#include "zmtp/counters.h"
#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/message.h"
#include "zmtp/message_batch.h"
#include "zmtp/options.h"
#include "zmtp/socket/message_ends.h"

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace zmtp {

// Espresso: observes all messages that a proxy forwards in either direction. A capture for
// zmtp/socket/proxy.h without a socket.
//
// Pass this object to proxy::capture_to(). The object must outlive the runs of the proxy. The proxy
// calls the handler for each message, subscriptions included, before it forwards the message, and
// waits until the handler returns. Handlers run in the executor of the proxy.
//
// Thread safety: distinct objects safe, one object not.
class capture_listener {
public:
  using handler = std::function<void(const message&)>;

  capture_listener(boost::asio::any_io_executor executor, handler on_message);

  // The operations of a message_sink that is always writable.
  [[nodiscard]] send_status try_send(message_batch& batch);
  void async_send(message_batch& batch, count_done_handler done);

private:
  boost::asio::any_io_executor executor_;
  handler on_message_;
};

struct last_value_cache_options {
  last_value_limits limit{};
  // Stored messages that a new subscription delivers: the message of exactly this topic, as in the
  // Guide's cache, or the messages of all topics that begin with it.
  xpub_options::matching matching = xpub_options::matching::topic;
  // Options of the socket for publishers and of the socket for subscribers. The cache sets
  // `backend.xpub` itself.
  socket_options frontend{};
  socket_options backend{};
};

struct last_value_cache_status {
  std::size_t topics = 0;  // stored topics
  std::size_t bytes = 0;   // memory of the stored messages
  std::uint64_t forwarded = 0;
  std::uint64_t subscriptions = 0;
};

// Subscribes to all messages, forwards each one, and stores it until a newer message of its topic
// arrives. The topic is the first part. A subscriber receives the stored messages of its topics
// when it subscribes. Other subscribers do not receive them again. A subscriber that is too slow
// misses messages, as with any publisher.
//
// If a cache connects to another cache, it subscribes to all topics, so set `matching` of the first
// cache to `prefix`.
//
// Executor: the handler runs in the executor of the cache.
//
// Lifetime: destroying the cache closes its sockets. The context writes queued messages for the
// linger time.
//
// Thread safety: distinct objects safe, one object not. Call all members in its executor.
class last_value_cache {
public:
  // Called for each subscription to `topic`. `known`: there is a stored message for it.
  using subscription_handler = std::function<void(std::string_view topic, bool known)>;

  // Throws boost::system::system_error: errc::bad_option, with a text that names the option.
  explicit last_value_cache(const boost::asio::any_io_executor& executor,
                            const last_value_cache_options& options = {},
                            subscription_handler on_subscription = {});
  last_value_cache(const last_value_cache&) = delete;
  last_value_cache& operator=(const last_value_cache&) = delete;
  ~last_value_cache();

  // Connect or bind the socket for publishers, and the socket for subscribers. These work as
  // socket::connect() and socket::bind(). A wildcard endpoint can only be bound.
  // Throws boost::system::system_error.
  void connect(std::string_view publisher);
  endpoint bind_for_publishers(std::string_view at);
  void connect_to_subscriber(std::string_view subscriber);
  endpoint bind(std::string_view at);

  // Stops forwarding. The context writes queued messages for the linger time.
  void stop();
  [[nodiscard]] last_value_cache_status status() const;

private:
  class core;
  std::shared_ptr<core> core_;
};

}  // namespace zmtp
