#pragma once
// The answers to requests of HTTP: the figures, the page, and the operations.

#include "tools/zinc/http/counters.h"
#include "tools/zinc/http/history.h"
#include "tools/zinc/http/messages.h"
#include "tools/zinc/http/operations.h"
#include "tools/zinc/http/pending.h"
#include "tools/zinc/http/report.h"
#include "tools/zinc/http/routes.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace zinc::http {

// Must outlive its coroutines.
class answers {
public:
  // `counted` must outlive this object.
  answers(const boost::asio::any_io_executor& executor, reporter of, operations of_operator,
          const counters& counted);

  [[nodiscard]] boost::asio::awaitable<response> to(route where, const std::string& body);
  // The content of /status.
  [[nodiscard]] boost::asio::awaitable<std::string> status();
  // Adds a sample to the history. Throws the exception of the reporter.
  [[nodiscard]] boost::asio::awaitable<void> take_sample();
  // The first message to a page.
  [[nodiscard]] std::string history_text() const;
  [[nodiscard]] std::string_view token() const noexcept { return operations_.token; }
  // Ends all waits for results, by the exception `stopped`.
  void stop();

private:
  [[nodiscard]] boost::asio::awaitable<report> read(extent wanted);
  [[nodiscard]] boost::asio::awaitable<report> collect(extent wanted);
  [[nodiscard]] boost::asio::awaitable<operation_result> list();
  [[nodiscard]] boost::asio::awaitable<operation_result> change(const std::string& id);

  const reporter reporter_;
  const operations operations_;
  const counters& counters_;
  const std::shared_ptr<pending<report>> reports_;
  const std::shared_ptr<pending<operation_result>> results_;
  history past_;
};

}  // namespace zinc::http
