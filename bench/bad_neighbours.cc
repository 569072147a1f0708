// What misbehaving peers cost a server, and those who behave: more connections than it has descriptors
// for, and commands as fast as one peer can say them. bazel run -c opt //bench:bad_neighbours -- --help
//
// The server is a process of its own with a ROUTER that echoes and an XPUB, in one thread. Who misbehaves
// has the lowest priority: what is measured is the server, not what it has to share a processor with.

#include "zmtp/command.h"
#include "zmtp/frame.h"
#include "zmtp/greeting.h"
#include "zmtp/mechanism/null.h"
#include "zmtp/socket/router_socket.h"
#include "zmtp/socket/xpub_socket.h"

#include <CLI/CLI.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <new>
#include <optional>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using clock_type = std::chrono::steady_clock;
using seconds = std::chrono::duration<double>;

struct arguments {
  rlim_t descriptors = 64;
  std::size_t connects = 500;
  double seconds = 3;
};

void require(bool done, const char* what) {
  if (!done) {
    throw std::runtime_error{std::string{what} + " failed"};
  }
}

// A process of this one's, which ends with it.
class child {
public:
  template <class Body>
  explicit child(Body&& body) : process_{::fork()} {
    require(process_ >= 0, "fork");
    if (process_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      try {
        body();
      } catch (const std::exception& e) {
        std::fprintf(stderr, "a process of it: %s\n", e.what());
      }
      ::_exit(1);
    }
  }
  child(const child&) = delete;
  child& operator=(const child&) = delete;
  ~child() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }

  void pause() const { ::kill(process_, SIGSTOP); }
  void resume() const { ::kill(process_, SIGCONT); }
  // That it has used.
  [[nodiscard]] seconds processor_time() const {
    ::clockid_t clock{};
    ::timespec used{};
    require(::clock_getcpuclockid(process_, &clock) == 0 && ::clock_gettime(clock, &used) == 0,
            "reading the processor time of the server");
    return seconds{static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9};
  }

private:
  ::pid_t process_;
};

struct ports {
  std::uint16_t router = 0;
  std::uint16_t xpub = 0;
};

// Writes its ports there; never returns.
void serve(int report, std::optional<rlim_t> descriptors) {
  if (descriptors) {
    const ::rlimit limit{*descriptors, *descriptors};
    require(::setrlimit(RLIMIT_NOFILE, &limit) == 0, "limiting descriptors");
  }
  asio::io_context context{1};
  zmtp::router_socket router{context.get_executor()};
  zmtp::xpub_socket xpub{context.get_executor()};
  const auto port_of = [](const zmtp::endpoint& at) { return at.tcp()->port; };
  const ports at{port_of(router.bind("tcp://127.0.0.1:*")),
                 port_of(xpub.bind("tcp://127.0.0.1:*"))};
  require(::write(report, &at, sizeof at) == sizeof at, "reporting the ports");
  for (;;) {
    context.run_one();
    for (zmtp::routed_message m; router.try_receive(m);) {
      (void)router.try_send(m.peer, std::move(m.content));
    }
    for (zmtp::routed_message m; xpub.try_receive(m);) {
    }
  }
}

class server {
public:
  explicit server(std::optional<rlim_t> descriptors = {})
      : pipe_{make_pipe()}, child_{[&] { serve(pipe_[1], descriptors); }} {
    require(::read(pipe_[0], &at_, sizeof at_) == sizeof at_, "starting the server");
  }
  ~server() {
    ::close(pipe_[0]);
    ::close(pipe_[1]);
  }

  [[nodiscard]] const ports& at() const noexcept { return at_; }
  [[nodiscard]] seconds processor_time() const { return child_.processor_time(); }

private:
  static std::array<int, 2> make_pipe() {
    std::array<int, 2> made{};
    require(::pipe(made.data()) == 0, "making a pipe");
    return made;
  }

  std::array<int, 2> pipe_;
  child child_;
  ports at_;
};

std::string opening(std::string_view type) {
  const auto greeting = zmtp::greeting::encode(zmtp::null_mechanism::name, false);
  std::string said{reinterpret_cast<const char*>(greeting.data()), greeting.size()};
  const auto property = [](std::string_view name, std::string_view value) {
    std::string one{static_cast<char>(name.size())};
    one += name;
    one += std::string{"\0\0\0", 3} + static_cast<char>(value.size());
    one += value;
    return one;
  };
  zmtp::command::put(said, "READY", property("Socket-Type", type));
  return said;
}

// A peer that blocks: says greeting and READY and the first request at once.
class peer {
public:
  peer(asio::io_context& context, std::uint16_t port, std::string_view type) : socket_{context} {
    socket_.connect({asio::ip::address_v4::loopback(), port});
    socket_.set_option(tcp::no_delay{true});
    say(opening(type));
  }

  void say(std::string_view octets) { asio::write(socket_, asio::buffer(octets)); }
  void ask() { say(question); }
  // The other side's greeting and READY too, the first time.
  void hear_echo() {
    if (!heard_) {
      std::string begin(zmtp::greeting::size + 2, '\0');
      asio::read(socket_, asio::buffer(begin));
      std::string ready(static_cast<unsigned char>(begin.back()), '\0');
      asio::read(socket_, asio::buffer(ready));
      heard_ = true;
    }
    std::array<char, question.size()> echo{};
    asio::read(socket_, asio::buffer(echo));
    require(std::string_view(echo.data(), echo.size()) == question, "an echo");
  }
  [[nodiscard]] bool can_be_read() { return socket_.available() != 0; }
  [[nodiscard]] tcp::socket& socket() noexcept { return socket_; }

private:
  static constexpr std::string_view question{"\0\5hello", 7};

  tcp::socket socket_;
  bool heard_ = false;
};

struct latencies {
  double p50 = 0;
  double p99 = 0;
  double longest = 0;
};

// Round trips for so long; adds each, in microseconds.
void ask_for(peer& with, seconds lasting, std::vector<double>& all) {
  const auto end = clock_type::now() + lasting;
  for (auto now = clock_type::now(); now < end;) {
    with.ask();
    with.hear_echo();
    const auto later = clock_type::now();
    all.push_back(seconds{later - now}.count() * 1e6);
    now = later;
  }
}

latencies latencies_of(std::vector<double> all) {
  require(!all.empty(), "measuring");
  std::sort(all.begin(), all.end());
  return {all[all.size() / 2], all[all.size() * 99 / 100], all.back()};
}

latencies measure(peer& with, seconds lasting) {
  std::vector<double> all;
  ask_for(with, lasting, all);
  return latencies_of(std::move(all));
}

void print(const char* when, const latencies& l) {
  std::printf("%s: p50 %.1f, p99 %.1f, longest %.0f [us]\n", when, l.p50, l.p99, l.longest);
}

// Share of a processor that the server uses while nobody says anything.
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
  measure(first, lasting / 4);  // whom it has descriptors for, it has taken by then
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
  std::atomic<std::uint64_t> heard{0};
  std::atomic<std::uint64_t> connections{0};
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

// Until it is turned out.
void churn_once(peer& bad, std::string_view octets, traffic& count) {
  auto& socket = bad.socket();
  socket.non_blocking(true);
  std::array<char, 64 * 1024> answers;
  const auto goes_on = [](const boost::system::error_code& ec) {
    return !ec || ec == asio::error::would_block;
  };
  for (std::size_t at = 0;;) {
    boost::system::error_code ec;
    const auto said = socket.write_some(asio::buffer(octets.substr(at)), ec);
    count.said += said;
    at = (at + said) % octets.size();
    boost::system::error_code none;
    while (const auto heard = socket.read_some(asio::buffer(answers), none)) {
      count.heard += heard;
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
void churn(std::uint16_t port, std::string_view type, std::string_view octets, traffic& count) {
  ::setpriority(PRIO_PROCESS, 0, 19);
  for (;;) {
    asio::io_context context;
    peer bad{context, port, type};
    ++count.connections;
    churn_once(bad, octets, count);
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

void suffer_churn(const arguments& how) {
  struct kind {
    const char* name;
    std::string_view type;
    std::string octets;
  };
  const kind kinds[] = {{"PING", "DEALER", pings()},
                        {"SUBSCRIBE and CANCEL", "SUB", subscriptions()},
                        {"CANCEL", "SUB", cancellations()}};
  const seconds lasting{how.seconds};
  for (const auto& [name, type, octets] : kinds) {
    asio::io_context context;
    const server one;
    peer good{context, one.at().router, "DEALER"};
    const shared_traffic shared;
    auto& count = *shared;
    const auto port = type == "SUB" ? one.at().xpub : one.at().router;
    const child bad{[&] { churn(port, type, octets, count); }};
    // In turns: a machine is seldom as fast now as it was a second ago.
    constexpr int turns = 10;
    std::vector<double> without;
    std::vector<double> with;
    for (int i = 0; i < turns; ++i) {
      bad.pause();
      measure(good, lasting / 50);  // until what it has said is behind
      ask_for(good, lasting / turns, without);
      bad.resume();
      measure(good, lasting / 50);
      ask_for(good, lasting / turns, with);
    }
    bad.pause();
    const auto quiet = latencies_of(std::move(without));
    const auto busy = latencies_of(std::move(with));
    const auto said = static_cast<double>(count.said);
    const auto heard = static_cast<double>(count.heard);
    print((std::string{"round trip, no "} + name).c_str(), quiet);
    print((std::string{"round trip, "} + name).c_str(), busy);
    std::printf("%s: p99 ratio %.2f, %.1f MB/s in, %.4f octets out for each, %zu connections\n",
                name, busy.p99 / quiet.p99, said / how.seconds * 1e-6, said == 0 ? 0 : heard / said,
                static_cast<std::size_t>(count.connections));
  }
}

}  // namespace

int main(int count, char** values) {
  CLI::App app{"What misbehaving peers cost a server, and those who behave."};
  arguments how;
  app.add_option("--descriptors", how.descriptors, "The server's limit, 64")
      ->check(CLI::Range(32, 1'000));
  app.add_option("--connects", how.connects, "Beyond it, 500")->check(CLI::Range(100, 10'000));
  app.add_option("--seconds", how.seconds, "Of each measurement, 3")->check(CLI::Range(0.05, 60.));
  CLI11_PARSE(app, count, values);
  // What has been measured is seen while the rest is.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    exhaust_descriptors(how);
    suffer_churn(how);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
