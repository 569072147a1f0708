// The cost of misbehaving peers for a server and for its other peers. They open more connections than the
// server has descriptors for. They also send commands as fast as they can, even between the parts of a large
// message. The misbehaving peers have the lowest priority, so that the server is measured and not other load
// on its processor.
//
// bazel run -c opt //bench:bad_neighbours -- --help

#include "bench/neighbourhood.h"
#include "zmtp/command.h"
#include "zmtp/frame.h"

#include <CLI/CLI.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace bench {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using clock_type = std::chrono::steady_clock;

struct arguments {
  rlim_t descriptors = 64;
  std::size_t connects = 500;
  double seconds = 3;
  std::size_t part = 48;  // MiB
};

void print(const char* when, const latencies& l) {
  std::printf("%s: p50 %.1f, p99 %.1f, longest %.0f [us]\n", when, l.p50, l.p99, l.longest);
}

// Share of a processor that the server uses while no peer sends anything.
double idle_share(const server& of, seconds lasting) {
  const auto before = of.processor_time();
  const auto began = clock_type::now();
  ::usleep(static_cast<::useconds_t>(lasting.count() * 1e6));
  return (of.processor_time() - before) / seconds{clock_type::now() - began};
}

void exhaust_descriptors(const arguments& how) {
  asio::io_context context;
  const seconds lasting{how.seconds};
  const server limited{how.descriptors};
  peer first{context, limited.at().router, "DEALER"};
  const auto quiet = measure(first, lasting);
  const auto idle = idle_share(limited, lasting);

  std::vector<std::unique_ptr<peer>> all;
  for (std::size_t i = 0; i < how.connects; ++i) {
    all.push_back(std::make_unique<peer>(context, limited.at().router, "DEALER"));
    all.back()->ask();
  }
  measure(first, lasting / 4);  // the server has accepted all peers that it has descriptors for
  std::vector<std::unique_ptr<peer>> waiting;
  std::vector<std::unique_ptr<peer>> served;
  for (auto& p : all) {
    (p->can_be_read() ? served : waiting).push_back(std::move(p));
  }
  std::printf("connects: %zu, of which %zu are served with a limit of %zu descriptors\n",
              how.connects, served.size(), static_cast<std::size_t>(how.descriptors));
  require(!waiting.empty() && !served.empty(), "running short of descriptors");
  std::printf("CPU with descriptors: %.2f [%%]\n", idle * 100);
  std::printf("CPU without: %.2f [%%]\n", idle_share(limited, lasting) * 100);
  print("round trip with descriptors", quiet);
  print("round trip without", measure(first, lasting));
  const auto began = clock_type::now();
  served.clear();
  while (std::none_of(waiting.begin(), waiting.end(), [](auto& p) { return p->can_be_read(); })) {
    require(clock_type::now() - began < std::chrono::seconds{30}, "accepting again");
    ::usleep(1'000);
  }
  std::printf("next accepted after descriptors are free: %.0f [ms]\n",
              seconds{clock_type::now() - began}.count() * 1e3);
}

struct traffic {
  std::atomic<std::uint64_t> said{0};
  std::atomic<std::uint64_t> received{0};
  std::atomic<std::uint64_t> connections{0};
  std::atomic<std::uint64_t> interrupted{0};  // messages
};

// In memory that its processes share.
class shared_traffic {
public:
  shared_traffic() {
    void* const at =
        ::mmap(nullptr, sizeof(traffic), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    require(at != MAP_FAILED, "sharing memory");
    traffic_ = new (at) traffic;
  }
  shared_traffic(const shared_traffic&) = delete;
  shared_traffic& operator=(const shared_traffic&) = delete;
  ~shared_traffic() { ::munmap(traffic_, sizeof(traffic)); }
  [[nodiscard]] traffic& operator*() const noexcept { return *traffic_; }

private:
  traffic* traffic_;
};

// One way to misbehave: `begin` is sent once on each connection, and then `bytes` again and again.
struct kind {
  const char* name;
  std::string_view type;
  std::string begin;
  std::string bytes;
};

// Sends until the server closes the connection.
void churn_once(peer& bad, const kind& what, traffic& count) {
  auto& socket = bad.socket();
  boost::system::error_code refused;
  count.said += asio::write(socket, asio::buffer(what.begin), refused);
  if (refused) {
    return;
  }
  count.interrupted += what.begin.empty() ? 0 : 1;
  const std::string_view bytes = what.bytes;
  socket.non_blocking(true);
  std::array<char, 64 * 1024> answers;
  const auto goes_on = [](const boost::system::error_code& ec) {
    return !ec || ec == asio::error::would_block;
  };
  for (std::size_t at = 0;;) {
    boost::system::error_code ec;
    const auto said = socket.write_some(asio::buffer(bytes.substr(at)), ec);
    count.said += said;
    at = (at + said) % bytes.size();
    boost::system::error_code none;
    while (const auto received = socket.read_some(asio::buffer(answers), none)) {
      count.received += received;
    }
    if (!goes_on(ec) || !goes_on(none)) {
      return;
    }
    if (ec) {
      ::pollfd either{.fd = socket.native_handle(), .events = POLLIN | POLLOUT, .revents = 0};
      ::poll(&either, 1, -1);
    }
  }
}

// Says it again and again, and comes back when it is turned out, as soon as peers do.
void churn(std::uint16_t port, const kind& what, traffic& count) {
  ::setpriority(PRIO_PROCESS, 0, 19);
  for (;;) {
    asio::io_context context;
    peer bad{context, port, what.type};
    ++count.connections;
    churn_once(bad, what, count);
    ::usleep(100'000);
  }
}

std::string repeated(const std::string& what) {
  std::string all;
  while (all.size() < 256 * 1024) {
    all += what;
  }
  return all;
}

std::string pings() {
  std::string all;
  zmtp::command::put_ping(all, 0, "0123456789abcdef");
  return repeated(all);
}

std::string subscriptions() {
  std::string all;
  for (int i = 0; i < 1'000; ++i) {
    const auto topic = "topic " + std::to_string(i);
    zmtp::command::put_subscribe(all, topic, 1);
    zmtp::command::put_cancel(all, topic, 1);
  }
  return repeated(all);
}

std::string cancellations() {
  std::string all;
  zmtp::command::put_cancel(all, "never subscribed to", 1);
  return repeated(all);
}

std::string command(std::string_view name, std::string_view data = {}) {
  std::string one;
  zmtp::command::put(one, name, data);
  return one;
}

// A part of a message that goes on.
std::string part(std::size_t size) {
  std::string one(zmtp::frame::max_header_size, '\0');
  auto* const at = reinterpret_cast<std::byte*>(one.data());
  const auto* const end = zmtp::frame::put_header(at, zmtp::frame::more, size);
  one.resize(static_cast<std::size_t>(end - at) + size, 'p');
  return one;
}

std::vector<kind> all_kinds(const arguments& how) {
  const auto large = part(how.part * 1024 * 1024);
  std::string ping;
  zmtp::command::put_ping(ping, 0, "");
  const auto mix = ping + command("PONG") + command("SUBSCRIBE", "topic") + part(0) +
                   command("CANCEL", "topic") + command("PONG", "context");
  return {{"PING", "DEALER", "", pings()},
          {"SUBSCRIBE and CANCEL", "SUB", "", subscriptions()},
          {"CANCEL", "SUB", "", cancellations()},
          {"unknown commands in a message", "DEALER", large, repeated(command("X"))},
          {"PONG in a message", "DEALER", large, repeated(command("PONG"))},
          {"all commands in a message", "DEALER", large, repeated(mix)}};
}

void wait_for_interruption(const traffic& count) {
  const auto began = clock_type::now();
  while (count.interrupted == 0) {
    require(clock_type::now() - began < std::chrono::seconds{30}, "interrupting a message");
    ::usleep(1'000);
  }
}

void suffer_churn(const arguments& how) {
  const seconds lasting{how.seconds};
  for (const auto& what : all_kinds(how)) {
    const auto* const name = what.name;
    asio::io_context context;
    const server one;
    peer good{context, one.at().router, "DEALER"};
    const shared_traffic shared;
    auto& count = *shared;
    const auto port = what.type == "SUB" ? one.at().xpub : one.at().router;
    const child bad{[&] { churn(port, what, count); }};
    if (!what.begin.empty()) {
      wait_for_interruption(count);
    }
    // In turns: a machine is seldom as fast now as it was a second ago.
    constexpr int turns = 10;
    std::vector<double> without;
    std::vector<double> with;
    for (int i = 0; i < turns; ++i) {
      bad.pause();
      measure(good, lasting / 50);  // until the server has read all pending bytes
      ask_for(good, lasting / turns, without);
      bad.resume();
      measure(good, lasting / 50);
      ask_for(good, lasting / turns, with);
    }
    bad.pause();
    const auto quiet = latencies_of(std::move(without));
    const auto busy = latencies_of(std::move(with));
    const auto said = static_cast<double>(count.said);
    const auto received = static_cast<double>(count.received);
    print((std::string{"round trip, no "} + name).c_str(), quiet);
    print((std::string{"round trip, "} + name).c_str(), busy);
    std::printf("%s: p99 ratio %.2f, %.1f MB/s in, %.4f bytes out for each, %zu connections\n",
                name, busy.p99 / quiet.p99, said / how.seconds * 1e-6,
                said == 0 ? 0 : received / said, static_cast<std::size_t>(count.connections));
    std::printf("%s: longest %.1f ms more, %zu messages interrupted\n", name,
                (busy.longest - quiet.longest) * 1e-3, static_cast<std::size_t>(count.interrupted));
  }
}

}  // namespace
}  // namespace bench

int main(int count, char** values) {
  CLI::App app{"Measures what misbehaving peers cost a server and its other peers."};
  bench::arguments how;
  app.add_option("--descriptors", how.descriptors, "The server's limit, 64")
      ->check(CLI::Range(32, 1'000));
  app.add_option("--connects", how.connects, "Beyond it, 500")->check(CLI::Range(100, 10'000));
  app.add_option("--seconds", how.seconds, "Of each measurement, 3")->check(CLI::Range(0.05, 60.));
  app.add_option("--part", how.part, "MiB of the message that commands interrupt, 48")
      ->check(CLI::Range(1, 60));
  CLI11_PARSE(app, count, values);
  // Prints each line when it is complete, before the next measurement ends.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    bench::exhaust_descriptors(how);
    bench::suffer_churn(how);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
