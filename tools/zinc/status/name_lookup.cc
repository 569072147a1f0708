#include "tools/zinc/status/name_lookup.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace zinc::status {

namespace asio = boost::asio;

// The thread and the caller share it.
struct name_lookup::desk {
  std::mutex mutex;
  asio::steady_timer* caller;  // null: the caller has left
  std::optional<addresses> result{};

  explicit desk(asio::steady_timer& of) : caller{&of} {}

  void wake() {
    const std::lock_guard lock{mutex};
    if (caller != nullptr) {
      caller->cancel();
    }
  }
};

addresses addresses_of(const std::string& host, const std::string& port) {
  asio::io_context own;
  asio::ip::tcp::resolver resolver{own};
  addresses made;
  made.found = resolver.resolve(host, port, made.ec);
  return made;
}

name_lookup::name_lookup(const asio::any_io_executor& executor, function how)
    : how_{std::move(how)}, end_{executor} {}

name_lookup::~name_lookup() { leave(); }

asio::awaitable<addresses> name_lookup::find(std::string host, std::string port,
                                             asio::steady_timer::time_point deadline) {
  if (!stopped_) {
    desk_ = std::make_shared<desk>(end_);
    end_.expires_at(deadline);
    std::thread{[own = desk_, how = how_, host = std::move(host), port = std::move(port)] {
      auto result = how(host, port);
      const std::lock_guard lock{own->mutex};
      own->result = std::move(result);
      // The context exists as long as the caller waits.
      if (own->caller != nullptr) {
        asio::post(own->caller->get_executor(), [own] { own->wake(); });
      }
    }}.detach();
    co_await end_.async_wait(asio::as_tuple(asio::use_awaitable));
  }
  const auto own = std::exchange(desk_, nullptr);
  if (stopped_) {
    co_return addresses{.ec = asio::error::operation_aborted, .found = {}};
  }
  const std::lock_guard lock{own->mutex};
  own->caller = nullptr;
  co_return own->result ? *std::move(own->result)
                        : addresses{.ec = asio::error::timed_out, .found = {}};
}

void name_lookup::stop() {
  stopped_ = true;
  leave();
  end_.cancel();
}

void name_lookup::leave() {
  if (const auto own = std::exchange(desk_, nullptr)) {
    const std::lock_guard lock{own->mutex};
    own->caller = nullptr;
  }
}

}  // namespace zinc::status
