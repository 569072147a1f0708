#pragma once
// Finds the addresses of a host, for a caller that may stop to wait.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>

#include <functional>
#include <memory>
#include <string>

namespace zinc::status {

struct addresses {
  boost::system::error_code ec;
  boost::asio::ip::tcp::resolver::results_type found;
};

// Asks the resolver of the system. It blocks, and nothing ends it before its own limits.
[[nodiscard]] addresses addresses_of(const std::string& host, const std::string& port);

// Each search has a thread of its own, for which neither the caller nor the end of the process waits. The resolver
// of a context would be waited for.
class name_lookup {
public:
  using function = std::function<addresses(const std::string& host, const std::string& port)>;

  explicit name_lookup(const boost::asio::any_io_executor& executor, function how = addresses_of);
  name_lookup(const name_lookup&) = delete;
  name_lookup& operator=(const name_lookup&) = delete;
  ~name_lookup();

  // Errors: timed_out at the deadline, operation_aborted after stop(), and those of the resolver. Searches must not
  // overlap.
  boost::asio::awaitable<addresses> find(std::string host, std::string port,
                                         boost::asio::steady_timer::time_point deadline);
  void stop();

private:
  struct desk;

  void leave();

  const function how_;
  boost::asio::steady_timer end_;
  bool stopped_ = false;
  std::shared_ptr<desk> desk_;  // shared with the search in progress, or null
};

}  // namespace zinc::status
