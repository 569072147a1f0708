// PEERS connections that receive what publisher publishes; prints the deliveries per second.
#include "bench/nats/connection.h"
#include "bench/nats/fan_out.h"
#include "bench/support/arguments.h"
#include "bench/support/credit.h"
#include "bench/support/fan_out.h"

#include <deque>

namespace bench::nats {
namespace {

class subscriber {
public:
  subscriber(const tcp_endpoint& server, std::uint64_t peers, std::uint64_t size,
             std::uint64_t count)
      : size_{size},
        deliveries_per_credit_{messages_per_credit(deliveries_on_their_way(size), peers) * peers},
        receiver_{peers, size, count} {
    for (std::uint64_t peer = 0; peer < peers; ++peer) {
      connections_.emplace_back(context_, server).subscribe(data_subject);
    }
  }

  // Returns the program's exit code.
  int run() {
    for (auto& each : connections_) {
      receive(each);
    }
    context_.run();
    return receiver_.report();
  }

private:
  // Takes what was read, and goes on when there is more.
  void receive(connection& from) {
    while (const auto m = from.next()) {
      if (take(from, *m) == fan_out_step::finish) {
        context_.stop();
        return;
      }
    }
    from.flush();
    from.socket().async_wait(boost::asio::socket_base::wait_read,
                             [this, &from](const boost::system::error_code&) {
                               from.read();
                               receive(from);
                             });
  }

  fan_out_step take(connection& from, const message& m) {
    const auto step = receiver_.on_message(std::as_bytes(std::span{m.payload}));
    if (step == fan_out_step::send_go) {
      from.publish(control_subject, fan_out_go);
    } else if (!m.payload.empty() && m.payload.front() == static_cast<char>(data_mark)) {
      if (m.payload.size() != size_) [[unlikely]] {
        fail("a message of another size: give both programs the same arguments");
      }
      if (++delivered_ % deliveries_per_credit_ == 0) {
        from.publish(control_subject, more_credit);
      }
    }
    return step;
  }

  boost::asio::io_context context_{1};
  std::deque<connection> connections_{};
  std::uint64_t size_;
  std::uint64_t deliveries_per_credit_;
  std::uint64_t delivered_ = 0;
  fan_out_receiver receiver_;
};

}  // namespace
}  // namespace bench::nats

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT PEERS SIZE COUNT"};
  const auto peers = arguments.number(1);
  bench::allow_descriptors(peers);
  return bench::nats::subscriber{bench::parse_endpoint(arguments.text(0)), peers,
                                 arguments.number(2), arguments.number(3)}
      .run();
}
