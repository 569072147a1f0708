// Majordomo client on a REQ, until SIGTERM: calls a service a few milliseconds after each answer, and prints when the
// answer came. Without an answer within TIMEOUT_MS the client sends the request again on a new socket, as the Guide's
// does.
#include "bench/libzmq/majordomo.h"
#include "bench/support/steady_calls.h"
#include "bench/support/stop_request.h"

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace bench::libzmq {
namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

class client {
public:
  client(context& in, std::string endpoint, std::string service, milliseconds timeout)
      : context_{in},
        endpoint_{std::move(endpoint)},
        service_{std::move(service)},
        timeout_{timeout} {
    reconnect();
  }

  void call(const std::string& body) {
    for (send(body); !receive(body); send(body)) {
      reconnect();
    }
  }

private:
  void reconnect() {
    req_.emplace(context_, ZMQ_REQ);
    req_->set(ZMQ_LINGER, 0);
    req_->connect(endpoint_);
  }

  void send(std::string_view body) {
    req_->send_copy(client_header, more_parts::yes);
    req_->send_copy(service_, more_parts::yes);
    req_->send_copy(body);
  }

  // Returns whether the answer came in time.
  bool receive(std::string_view body) {
    const auto end = clock::now() + timeout_;
    for (auto now = clock::now(); now < end; now = clock::now()) {
      // A signal ends the wait early.
      if (req_->wait_readable(std::chrono::ceil<milliseconds>(end - now).count())) {
        receive_all(*req_, parts_);
        if (parts_.size() != 3 || parts_[2].text() != body) {
          fail("the answer is not to this request: is another program at this endpoint?");
        }
        return true;
      }
    }
    return false;
  }

  context& context_;
  std::string endpoint_;
  std::string service_;
  milliseconds timeout_;
  std::optional<socket> req_{};
  multipart parts_{};
};

void run(const arguments& arguments) {
  accept_stop_requests();
  context context;
  client calls{context, arguments.endpoint(0), arguments.text(1),
               milliseconds{arguments.number(2)}};
  for (std::uint64_t number = 1; !stop_requested(); ++number) {
    calls.call(std::to_string(number));
    print_answer(number);
    std::this_thread::sleep_for(pause_between_calls);
  }
}

}  // namespace
}  // namespace bench::libzmq

int main(int count, char** values) {
  bench::libzmq::run(
      bench::arguments{count, values, "ENDPOINT SERVICE TIMEOUT_MS", bench::longest_run_seconds});
}
