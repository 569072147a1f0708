#pragma once
// A Zinc server in a process of its own, a peer of it without a library, and the latencies of that peer.

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace bench {

using seconds = std::chrono::duration<double>;

// Throws std::runtime_error unless `done`.
void require(bool done, const char* what);

// A child process, which ends with this process.
class child {
public:
  // Runs `body`, which must not return.
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
  ~child();

  void pause() const { ::kill(process_, SIGSTOP); }
  void resume() const { ::kill(process_, SIGCONT); }
  // Returns the processor time of the child so far.
  [[nodiscard]] seconds processor_time() const;
  // Returns the bytes of its memory that are resident.
  [[nodiscard]] std::uint64_t resident_bytes() const;

private:
  ::pid_t process_;
};

// A ROUTER that echoes and an XPUB, in one thread.
class server {
public:
  struct ports {
    std::uint16_t router = 0;
    std::uint16_t xpub = 0;
  };

  // With a limit of file descriptors, or without.
  explicit server(std::optional<::rlim_t> descriptors = {});
  server(const server&) = delete;
  server& operator=(const server&) = delete;
  ~server();

  [[nodiscard]] const ports& at() const noexcept { return at_; }
  [[nodiscard]] seconds processor_time() const { return child_.processor_time(); }

private:
  std::array<int, 2> pipe_;
  child child_;
  ports at_;
};

// A peer that blocks.
class peer {
public:
  // Sends the greeting and READY.
  peer(boost::asio::io_context& context, std::uint16_t port, std::string_view type);

  void say(std::string_view bytes);
  void ask();
  // Reads an echo. The first call also reads the other side's greeting and READY.
  void hear_echo();
  [[nodiscard]] bool can_be_read() { return socket_.available() != 0; }
  [[nodiscard]] boost::asio::ip::tcp::socket& socket() noexcept { return socket_; }

private:
  boost::asio::ip::tcp::socket socket_;
  bool received_ = false;
};

// A pipe through which a child reports to its parent.
[[nodiscard]] std::array<int, 2> make_pipe();

// In microseconds.
struct latencies {
  double p50 = 0;
  double p99 = 0;
  double longest = 0;
};

// Makes round trips for the time `lasting`, and appends the latency of each to `all`.
void ask_for(peer& with, seconds lasting, std::vector<double>& all);
[[nodiscard]] latencies latencies_of(std::vector<double> all);
latencies measure(peer& with, seconds lasting);

}  // namespace bench
