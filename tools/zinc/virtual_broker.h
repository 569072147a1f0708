#pragma once
// One of the brokers of `zinc broker`, each of which has a thread of its own.

#include "mdp/broker.h"
#include "tools/zinc/commands.h"
#include "tools/zinc/http/report.h"
#include "tools/zinc/refusal_log.h"
#include "zmtp/endpoint.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace zinc {

// A broker and its context, which one thread runs. Brokers share nothing.
class virtual_broker {
public:
  virtual_broker(const mdp::broker_options& options, std::vector<std::string> endpoints);

  [[nodiscard]] boost::asio::any_io_executor executor() { return context_.get_executor(); }

  // Binds every endpoint and prints it. Must be called before run().
  [[nodiscard]] exit_code bind();
  [[nodiscard]] const std::vector<zmtp::endpoint>& bound() const noexcept { return bound_; }
  // `on_stopped` is called in the context when the broker has stopped. Must be called before run().
  void notify(std::function<void()> on_stopped) { on_stopped_ = std::move(on_stopped); }
  // Runs until the broker stops. Returns false after a failure.
  [[nodiscard]] bool run();
  // Returns whether the broker left requests unanswered. Must be called after run().
  [[nodiscard]] bool cut_short() const noexcept { return cut_short_; }

  // Any thread may call these.
  void stop();
  // Answers the accepted requests for at most this time, then stops.
  void drain(std::chrono::milliseconds at_most);
  void change_services(const mdp::broker_options& options);
  void change_access(const zmtp::access_rules& rules);
  void log_state();

  // For HTTP. Must be called in the context.
  [[nodiscard]] http::report read(http::extent wanted) const;
  [[nodiscard]] std::vector<mdp::worker_status> workers(std::size_t count) const {
    return broker_.workers(count);
  }
  // Returns whether the worker is known.
  [[nodiscard]] bool drain_worker(zmtp::peer_id worker);

private:
  std::vector<std::string> endpoints_;
  std::vector<zmtp::endpoint> bound_;
  boost::asio::io_context context_{1};
  mdp::broker broker_;
  refusal_log refusals_;
  std::string name_;  // endpoints of the broker
  bool cut_short_ = false;
  std::function<void()> on_stopped_ = [] {};
};

}  // namespace zinc
