#include "bench/neighbourhood.h"

#include "zmtp/command.h"
#include "zmtp/greeting.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <utility>

namespace bench {

namespace asio = boost::asio;
using asio::ip::tcp;
using clock_type = std::chrono::steady_clock;

namespace {

// A frame.
constexpr std::string_view question{"\0\5hello", 7};

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
  const server::ports at{port_of(router.bind("tcp://127.0.0.1:*")),
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

std::string opening(std::string_view type) {
  const auto greeting = zmtp::greeting::encode("NULL", false);
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

}  // namespace

void require(bool done, const char* what) {
  if (!done) {
    throw std::runtime_error{std::string{what} + " failed"};
  }
}

std::array<int, 2> make_pipe() {
  std::array<int, 2> made{};
  require(::pipe(made.data()) == 0, "making a pipe");
  return made;
}

child::~child() {
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

seconds child::processor_time() const {
  ::clockid_t clock{};
  ::timespec used{};
  require(::clock_getcpuclockid(process_, &clock) == 0 && ::clock_gettime(clock, &used) == 0,
          "reading the processor time of the server");
  return seconds{static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9};
}

std::uint64_t child::resident_bytes() const {
  std::ifstream statm{"/proc/" + std::to_string(process_) + "/statm"};
  std::uint64_t whole_pages = 0;
  std::uint64_t resident_pages = 0;
  require(bool{statm >> whole_pages >> resident_pages}, "reading the memory of the server");
  return resident_pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

server::server(std::optional<::rlim_t> descriptors)
    : pipe_{make_pipe()}, child_{[&] { serve(pipe_[1], descriptors); }} {
  require(::read(pipe_[0], &at_, sizeof at_) == sizeof at_, "starting the server");
}

server::~server() {
  ::close(pipe_[0]);
  ::close(pipe_[1]);
}

peer::peer(asio::io_context& context, std::uint16_t port, std::string_view type)
    : socket_{context} {
  socket_.connect({asio::ip::address_v4::loopback(), port});
  socket_.set_option(tcp::no_delay{true});
  say(opening(type));
}

void peer::say(std::string_view bytes) { asio::write(socket_, asio::buffer(bytes)); }

void peer::ask() { say(question); }

void peer::hear_echo() {
  if (!received_) {
    std::string begin(zmtp::greeting::size + 2, '\0');
    asio::read(socket_, asio::buffer(begin));
    std::string ready(static_cast<unsigned char>(begin.back()), '\0');
    asio::read(socket_, asio::buffer(ready));
    received_ = true;
  }
  std::array<char, question.size()> echo{};
  asio::read(socket_, asio::buffer(echo));
  require(std::string_view(echo.data(), echo.size()) == question, "an echo");
}

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

}  // namespace bench
