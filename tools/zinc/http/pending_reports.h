#pragma once
// Reports that connections wait for.

#include "tools/zinc/http/report.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <exception>
#include <functional>
#include <list>
#include <memory>

namespace zinc::http {

class pending_reports : public std::enable_shared_from_this<pending_reports> {
public:
  // Ends a coroutine that waits for a report when the server stops.
  struct stopped {};

  pending_reports(boost::asio::any_io_executor executor, reporter of);

  // Throws `stopped`, or the exception of the reporter.
  [[nodiscard]] boost::asio::awaitable<report> next(extent wanted);
  // Ends all waits.
  void stop();

private:
  using finisher = std::function<void(std::exception_ptr, report)>;

  void finish(const std::shared_ptr<finisher>& what, const std::exception_ptr& failure,
              report&& now);

  boost::asio::any_io_executor executor_;
  reporter reporter_;
  std::list<std::shared_ptr<finisher>> all_;
};

}  // namespace zinc::http
