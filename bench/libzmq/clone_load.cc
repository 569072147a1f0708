// A client that sets and one that follows, in a thread each, of a clone server at ENDPOINT and the two
// ports behind it; prints the updates per second that the follower heard.
#include "bench/libzmq/socket.h"
#include "bench/support/endpoint.h"
#include "bench/support/updates.h"

#include <chrono>
#include <string>
#include <thread>

namespace bench::libzmq {
namespace {

void send_update(socket& to, std::string_view key, std::uint64_t number) {
  static constexpr std::string_view no_sequence{"\0\0\0\0\0\0\0\0", 8};
  const auto uuid = update_uuid(number);
  to.send_copy(key, more_parts::yes);
  to.send_copy(no_sequence, more_parts::yes);
  to.send_copy({reinterpret_cast<const char*>(uuid.data()), uuid.size()}, more_parts::yes);
  to.send_copy("", more_parts::yes);
  to.send_copy(update_value);
}

void set_all(context& context, const tcp_endpoint& at, std::uint64_t count, const update_run& run) {
  socket pub{context, ZMQ_PUB};
  pub.set(ZMQ_XPUB_NODROP, 1);
  pub.set(ZMQ_SNDHWM, 0);
  pub.connect(at.further(2).text());
  std::uint64_t number = 0;
  while (!run.live()) {
    send_update(pub, probe_key, number++);
    std::this_thread::sleep_for(std::chrono::milliseconds{update_probe_milliseconds});
  }
  std::array<char, 20> text;
  for (std::uint64_t i = 0; i < count; ++i) {
    send_update(pub, update_key(i, text), number++);
  }
  send_update(pub, end_key, number);
}

void follow(context& context, const tcp_endpoint& at, update_run& run) {
  socket sub{context, ZMQ_SUB};
  sub.set(ZMQ_RCVHWM, 0);
  sub.set(ZMQ_RCVTIMEO, update_deadline_milliseconds);
  sub.subscribe("");
  sub.connect(at.further(1).text());
  message key;
  message part;
  for (bool on = true; on && sub.try_receive(key, 0);) {
    std::uint64_t sequence = 0;
    bool first = true;
    for (bool more = key.more(); more; more = part.more()) {
      sub.receive(part);
      if (first) {
        sequence = update_sequence(part.text());
        first = false;
      }
    }
    on = run.on_update(key.text(), sequence);
  }
}

}  // namespace
}  // namespace bench::libzmq

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT COUNT"};
  const auto at = bench::parse_endpoint(arguments.text(0));
  bench::libzmq::context context;
  bench::update_run run{arguments.number(1)};
  std::thread setter{[&] { bench::libzmq::set_all(context, at, arguments.number(1), run); }};
  bench::libzmq::follow(context, at, run);
  // The setter's socket lingers until the server has taken everything. So after a failure the program exits without
  // waiting for the setter.
  const int code = run.report();
  std::fflush(stdout);
  if (code != 0) {
    std::_Exit(code);
  }
  setter.join();
}
