#pragma once
// Logs why the connections of a broker closed.

#include "mdp/broker.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

namespace zinc {

// Logs at most once a second for each reason, so that no peer can flood the log. `broker` must
// outlive the object.
class refusal_log {
public:
  refusal_log(const boost::asio::any_io_executor& executor, const mdp::broker& broker);

  void cancel() { timer_.cancel(); }
  // Logs what has happened since the last time.
  void write();

private:
  void wait();

  boost::asio::steady_timer timer_;
  const mdp::broker& broker_;
  decltype(zmtp::socket_counters::ended) logged_{};
  decltype(mdp::broker_counters::invalid_messages) invalid_logged_{};
};

}  // namespace zinc
