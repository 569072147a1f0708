#pragma once
// An executor that runs every function under a lock. Another thread that holds the lock may
// therefore use objects of the executor.

#include "zmtp/blocking/monitor.h"

#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>

#include <type_traits>
#include <utility>

namespace zmtp::blocking {

namespace asio = boost::asio;

// `Inner` must run functions serially. The lock must outlive them.
template <class Inner>
class locked_executor {
public:
  locked_executor(Inner inner, monitor& lock) noexcept : inner_{std::move(inner)}, lock_{&lock} {}

  template <class Property>
  requires asio::can_query_v<const Inner&, Property>
  [[nodiscard]] auto query(const Property& property) const
      noexcept(asio::is_nothrow_query_v<const Inner&, Property>) -> decltype(auto) {
    return asio::query(inner_, property);
  }
  template <class Property>
  requires asio::can_require_v<const Inner&, Property>
  [[nodiscard]] auto require(const Property& property) const {
    return on(asio::require(inner_, property));
  }
  template <class Property>
  requires asio::can_prefer_v<const Inner&, Property>
  [[nodiscard]] auto prefer(const Property& property) const {
    return on(asio::prefer(inner_, property));
  }

  template <class Function>
  void execute(Function&& function) const {
    inner_.execute([lock = lock_, f = std::forward<Function>(function)]() mutable {
      const monitor::scope alone{*lock};
      // Destroy the function under the lock too, because it may own objects of the executor.
      auto own = std::move(f);
      std::move(own)();
    });
  }

  friend bool operator==(const locked_executor& a, const locked_executor& b) noexcept {
    return a.inner_ == b.inner_ && a.lock_ == b.lock_;
  }
  friend bool operator!=(const locked_executor& a, const locked_executor& b) noexcept {
    return !(a == b);
  }

private:
  template <class Other>
  [[nodiscard]] locked_executor<std::decay_t<Other>> on(Other&& other) const {
    return {std::forward<Other>(other), *lock_};
  }

  Inner inner_;
  monitor* lock_;
};

}  // namespace zmtp::blocking
