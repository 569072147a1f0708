#include "zmtp/pattern/last_value_cache.h"

#include "zmtp/message.h"
#include "zmtp/message_batch.h"
#include "zmtp/routing/last_values.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <utility>

namespace zmtp {

capture_listener::capture_listener(boost::asio::any_io_executor executor, handler on_message)
    : executor_{std::move(executor)}, on_message_{std::move(on_message)} {}

send_status capture_listener::try_send(message_batch& batch) {
  while (!batch.empty()) {
    const auto next = batch.front().to_message();
    batch.pop_front();
    if (!next.empty()) {
      on_message_(next);
    }
  }
  return send_status::queued;
}

void capture_listener::async_send(message_batch& batch, count_done_handler done) {
  const auto before = batch.size();
  (void)try_send(batch);
  complete_later(executor_, std::move(done), error_code{}, before - batch.size());
}

namespace {

socket_options with_cache(const last_value_cache_options& options) {
  auto backend = options.backend;
  backend.xpub.notifications = xpub_options::notices::subscriptions;
  backend.xpub.last_values = options.limit;
  backend.xpub.last_values_of = options.matching;
  return backend;
}

}  // namespace

// Owned by its handlers until the sockets are closed.
class last_value_cache::core : public std::enable_shared_from_this<core> {
public:
  core(const boost::asio::any_io_executor& executor, const last_value_cache_options& options,
       subscription_handler on_subscription)
      : frontend{executor, options.frontend},
        backend{executor, with_cache(options)},
        matching_{options.matching},
        on_subscription_{std::move(on_subscription)} {
    frontend.subscribe("");
  }

  void start() {
    forward();
    listen();
  }
  void stop() {
    on_subscription_ = nullptr;
    frontend.close();
    backend.close();
  }

  sub_socket frontend;
  xpub_socket backend;
  last_value_cache_status counted;

private:
  void forward() {
    frontend.async_receive(messages_, [self = shared_from_this()](error_code ec, std::size_t) {
      if (!ec) {
        self->pass_on();
      }
    });
  }
  void pass_on() {
    backend.async_send(messages_, [self = shared_from_this()](error_code ec, std::size_t count) {
      self->counted.forwarded += count;
      if (!ec) {
        self->forward();
      }
    });
  }

  void listen() {
    backend.async_receive(notices_, [self = shared_from_this()](error_code ec, std::size_t) {
      if (!ec) {
        self->take_notices();
        self->listen();
      }
    });
  }
  void take_notices() {
    for (const auto notice : notices_) {
      const auto text = notice.empty() ? std::string_view{} : notice.front();
      if (text.starts_with('\1')) {
        ++counted.subscriptions;
        tell(text.substr(1));
      }
    }
  }
  void tell(std::string_view topic) {
    // The handler may destroy the cache, and itself with it.
    if (const auto handler = on_subscription_) {
      const auto* const kept = backend.last_values();
      const auto is_one = [](const message&) { return false; };
      handler(topic, kept != nullptr && !kept->visit(topic, matching_, topic, is_one));
    }
  }

  const xpub_options::matching matching_;
  subscription_handler on_subscription_;
  message_batch messages_;
  message_batch notices_;
};

last_value_cache::last_value_cache(const boost::asio::any_io_executor& executor,
                                   const last_value_cache_options& options,
                                   subscription_handler on_subscription)
    : core_{std::make_shared<core>(executor, options, std::move(on_subscription))} {
  core_->start();
}

last_value_cache::~last_value_cache() { core_->stop(); }

void last_value_cache::connect(std::string_view publisher) { core_->frontend.connect(publisher); }

endpoint last_value_cache::bind_for_publishers(std::string_view at) {
  return core_->frontend.bind(at);
}

void last_value_cache::connect_to_subscriber(std::string_view subscriber) {
  core_->backend.connect(subscriber);
}

endpoint last_value_cache::bind(std::string_view at) { return core_->backend.bind(at); }

void last_value_cache::stop() { core_->stop(); }

last_value_cache_status last_value_cache::status() const {
  auto now = core_->counted;
  if (const auto* const kept = core_->backend.last_values()) {
    now.topics = kept->topics();
    now.bytes = kept->bytes();
  }
  return now;
}

}  // namespace zmtp
