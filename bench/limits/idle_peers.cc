// Opens CONNECTIONS idle connections to the router at ENDPOINT, each with one message and its echo;
// holds them until stdin is closed, then sees that every one still answers.
#include "bench/limits/idle_peer.h"
#include "bench/limits/poller.h"
#include "bench/support/arguments.h"

#include <cinttypes>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>
#include <vector>

namespace bench::limits {
namespace {

constexpr unsigned deadline_seconds = 60;
// So that the router's backlog, 100 with libzmq, never overflows.
constexpr std::uint64_t opening_at_once = 64;
// Local ports are short by then.
constexpr std::uint64_t connections_per_address = 20'000;
// Behind the tags of the connections.
constexpr std::uint64_t input_tag = ~std::uint64_t{};

std::string source_address(const tcp_endpoint& router, std::uint64_t index) {
  return router.host.starts_with("127.") ? loopback_address(index / connections_per_address) : "*";
}

class crowd {
public:
  crowd(tcp_endpoint router, std::uint64_t count) : router_{std::move(router)}, count_{count} {
    peers_.reserve(count);
  }

  void open() {
    // The router may start after this program.
    connect_to(router_);
    while (answered_ < count_) {
      while (peers_.size() < count_ && peers_.size() - answered_ < opening_at_once) {
        const std::uint64_t tag = peers_.size();
        peers_.emplace_back(start_connecting(router_, source_address(router_, tag)));
        poller_.add(peers_.back().socket(), tag, interest::write);
      }
      turn();
    }
  }

  // Answers pings until stdin is closed.
  void hold() {
    const descriptor input{::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)};
    if (input.number() < 0) {
      return;
    }
    poller_.add(input, input_tag);
    for (input_open_ = true; input_open_;) {
      turn();
    }
  }

  void ask_again() {
    answered_ = 0;
    for (std::uint64_t asked = 0; answered_ < count_;) {
      for (; asked < count_ && asked - answered_ < opening_at_once; ++asked) {
        peers_[asked].send_message();
      }
      turn();
    }
  }

private:
  void turn() {
    for (const auto& event : poller_.wait()) {
      if (event.data.u64 == input_tag) {
        read_input();
        continue;
      }
      idle_peer& peer = peers_[event.data.u64];
      if ((event.events & EPOLLOUT) != 0) {
        finish_connecting(peer.socket());
        poller_.change(peer.socket(), event.data.u64, interest::read);
        peer.start();
      } else if (peer.on_readable()) {
        ++answered_;
      }
    }
  }

  void read_input() {
    char ignored[256];
    input_open_ = ::read(STDIN_FILENO, ignored, sizeof ignored) > 0;
  }

  tcp_endpoint router_;
  std::uint64_t count_;
  std::uint64_t answered_ = 0;
  bool input_open_ = false;
  std::vector<idle_peer> peers_{};
  poller poller_{};
};

}  // namespace
}  // namespace bench::limits

int main(int argument_count, char** values) {
  const bench::arguments arguments{argument_count, values, "ENDPOINT CONNECTIONS",
                                   bench::limits::deadline_seconds};
  const std::uint64_t connections = arguments.number(1);
  bench::limits::crowd crowd{bench::parse_endpoint(arguments.text(0)), connections};
  bench::allow_descriptors(connections);
  crowd.open();
  std::printf("connections: %" PRIu64 "\n", connections);
  std::fflush(stdout);
  crowd.hold();
  crowd.ask_again();
  std::puts("all still answer");
}
