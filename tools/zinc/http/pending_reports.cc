#include "tools/zinc/http/pending_reports.h"

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace zinc::http {

namespace asio = boost::asio;

pending_reports::pending_reports(asio::any_io_executor executor, reporter of)
    : executor_{std::move(executor)}, reporter_{std::move(of)} {}

// A plain function, because GCC 12 has faults in the initiation of operations inside coroutines.
asio::awaitable<report> pending_reports::next(extent wanted) {
  return asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr, report)>(
      [this, wanted](auto handler) {
        const auto shared = std::make_shared<decltype(handler)>(std::move(handler));
        const auto added = std::make_shared<finisher>(
            [executor = executor_, shared](const std::exception_ptr& failure, report now) {
              asio::post(executor, [shared, failure, now = std::move(now)]() mutable {
                std::move (*shared)(failure, std::move(now));
              });
            });
        all_.push_back(added);
        try {
          reporter_(wanted, [reports = weak_from_this(), added](report now) {
            if (const auto self = reports.lock()) {
              self->finish(added, nullptr, std::move(now));
            }
          });
        } catch (...) {
          finish(added, std::current_exception(), {});
        }
      },
      asio::use_awaitable);
}

void pending_reports::stop() {
  while (!all_.empty()) {
    const auto first = all_.front();
    finish(first, std::make_exception_ptr(stopped{}), {});
  }
}

// Does nothing if the wait has ended already.
void pending_reports::finish(const std::shared_ptr<finisher>& what,
                             const std::exception_ptr& failure, report&& now) {
  if (auto end = std::exchange(*what, nullptr)) {
    all_.remove(what);
    end(failure, std::move(now));
  }
}

}  // namespace zinc::http
