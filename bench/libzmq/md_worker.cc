// Majordomo worker that echoes one request after the other, until SIGTERM.
#include "bench/libzmq/majordomo.h"
#include "bench/support/steady_calls.h"
#include "bench/support/stop_request.h"

#include <chrono>
#include <optional>

namespace bench::libzmq {
namespace {

using clock = std::chrono::steady_clock;

// One conversation with the broker.
class worker {
public:
  worker(context& context, const std::string& endpoint, std::string_view service,
         std::chrono::milliseconds heartbeat_interval)
      : dealer_{context, ZMQ_DEALER}, heartbeat_interval_{heartbeat_interval} {
    dealer_.set(ZMQ_LINGER, 0);
    dealer_.connect(endpoint);
    send_command(ready, more_parts::yes);
    dealer_.send_copy(service);
  }

  // Serves until the broker sends DISCONNECT or is unresponsive.
  void serve() {
    for (open_ = true; open_ && !stop_requested();) {
      if (dealer_.wait_readable(stop_check_milliseconds)) {
        silent_since_.reset();
        answer();
      } else {
        check_silence();
      }
      // A clock read per request, as the Guide's worker has it.
      if (const auto now = clock::now(); now >= next_heartbeat_) {
        next_heartbeat_ = now + heartbeat_interval_;
        send_command(heartbeat, more_parts::no);
      }
    }
  }

  void leave() {
    dealer_.set(ZMQ_LINGER, 1000);
    send_command(disconnect, more_parts::no);
  }

private:
  void answer() {
    receive_all(dealer_, parts_);
    if (parts_.size() < 3 || !parts_[0].text().empty() || parts_[1].text() != worker_header) {
      fail("the broker does not speak Majordomo 0.1: start md_broker at this endpoint");
    }
    const std::string_view command = parts_[2].text();
    if (command == request) {
      // The client's address and the empty part go back as they came, before the body.
      send_command(reply, more_parts::yes);
      send_from(dealer_, parts_, 3);
    } else if (command == disconnect) {
      open_ = false;
    }
  }

  void check_silence() {
    const auto now = clock::now();
    if (!silent_since_) {
      silent_since_ = now;
    }
    open_ = now < *silent_since_ + heartbeat_liveness * heartbeat_interval_;
  }

  void send_command(std::string_view command, more_parts more) {
    dealer_.send_copy("", more_parts::yes);
    dealer_.send_copy(worker_header, more_parts::yes);
    dealer_.send_copy(command, more);
  }

  socket dealer_;
  multipart parts_{};
  bool open_ = true;
  std::chrono::milliseconds heartbeat_interval_;
  clock::time_point next_heartbeat_ = clock::now() + heartbeat_interval_;
  std::optional<clock::time_point> silent_since_{};
};

void run(const arguments& arguments) {
  const std::string endpoint = arguments.endpoint(0);
  const std::string service = arguments.text(1);
  const std::chrono::milliseconds interval{
      arguments.number_or(2, heartbeat_milliseconds, longest_heartbeat_milliseconds)};
  accept_stop_requests();
  context context;
  while (!stop_requested()) {
    worker conversation{context, endpoint, service, interval};
    conversation.serve();
    if (stop_requested()) {
      conversation.leave();
    }
  }
}

}  // namespace
}  // namespace bench::libzmq

int main(int count, char** values) {
  bench::libzmq::run(bench::arguments{count, values, "ENDPOINT SERVICE [HEARTBEAT_MS]",
                                      bench::longest_run_seconds});
}
