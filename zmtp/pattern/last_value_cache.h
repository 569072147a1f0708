#pragma once
// Last value cache: between publishers and subscribers, with the last message of each topic for who comes
// late. Shell of zmtp/routing/last_values.h, by way of an XPUB.

#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/options.h"

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace zmtp {

struct last_value_cache_options {
  last_value_limits limit{};
  // What a subscriber is sent of what is kept: the topic that he has named, as the Guide's cache has it, or
  // all that begin so, which is what he will hear of.
  xpub_options::matching matching = xpub_options::matching::topic;
  // Of the socket towards publishers, and of that towards subscribers, of which `xpub` is the cache's own.
  socket_options frontend{};
  socket_options backend{};
};

struct last_value_cache_status {
  std::size_t topics = 0;  // that are kept, and
  std::size_t octets = 0;  // what they take
  std::uint64_t forwarded = 0;
  std::uint64_t subscriptions = 0;
};

// Subscribes to everything there is, forwards each message, and keeps it until there is a newer one of its
// topic, the first part. Who subscribes to a topic is sent what is kept of it: he alone, and every one who
// does, others that have subscribed before notwithstanding. A subscriber who is too slow misses messages, as
// with any publisher.
//
// A cache that is behind another subscribes to everything there: the first one's `matching` is `prefix`.
//
// Lifetime: destroying it closes its sockets, which write what is queued while the context runs.
//
// Thread safety: distinct objects safe, one object not; call its members in its executor.
class last_value_cache {
public:
  // A subscription to `topic` has come. `known`: there is a last value for it.
  using subscription_handler = std::function<void(std::string_view topic, bool known)>;

  // Throws boost::system::system_error with errc::bad_option.
  explicit last_value_cache(const boost::asio::any_io_executor& executor,
                            const last_value_cache_options& options = {},
                            subscription_handler on_subscription = {});
  last_value_cache(const last_value_cache&) = delete;
  last_value_cache& operator=(const last_value_cache&) = delete;
  ~last_value_cache();

  // Where publishers are, or come to; and where subscribers do. As socket::connect() and bind(): an
  // endpoint with a wildcard can be bound, not connected to.
  // Throws boost::system::system_error.
  void connect(std::string_view publisher);
  endpoint bind_for_publishers(std::string_view at);
  void connect_to_subscriber(std::string_view subscriber);
  endpoint bind(std::string_view at);

  // Nothing is forwarded any more. What is queued is written.
  void stop();
  [[nodiscard]] last_value_cache_status status() const;

private:
  class core;
  std::shared_ptr<core> core_;
};

}  // namespace zmtp
