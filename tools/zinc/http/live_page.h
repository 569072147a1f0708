#pragma once
// The WebSocket of a page, which receives the status again and again.

#include "tools/zinc/http/connection.h"
#include "tools/zinc/http/counters.h"
#include "tools/zinc/http/limits.h"
#include "tools/zinc/http/messages.h"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <string>

namespace zinc::http {

// The part of a server that a page needs.
struct page_source {
  std::shared_ptr<void> owner;  // keeps the objects of the references alive
  const limits& at_most;
  counters& counted;
  std::function<boost::asio::awaitable<std::string>()> status;
  std::function<std::string()> history;
};

// Answers the upgrade, sends the history once, then sends the status until the page is closed or does not read.
[[nodiscard]] boost::asio::awaitable<void> serve_page(page_source from,
                                                      std::shared_ptr<connection> on,
                                                      request asked);

}  // namespace zinc::http
