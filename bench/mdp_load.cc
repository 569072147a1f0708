// Majordomo clients and workers, any number of them, against any broker: how many requests a second
// it serves, and how long each takes.
//
// The clients and workers speak MDP on bare DEALER sockets, whole batches at a time, so that the broker
// is measured. The latency of a request is counted from the turn that sends it to the turn that has its
// reply. With --rate it is counted from the time when the request was due, even if it was sent later.
//
// bazel run -c opt //bench:mdp_load -- --help

#include "mdp/command.h"
#include "mdp/titanic/command.h"
#include "zmtp/message.h"
#include "zmtp/socket/request_sockets.h"

#include <CLI/CLI.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <exception>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

namespace asio = boost::asio;
using clock_type = std::chrono::steady_clock;

struct arguments {
  std::string endpoint;
  std::size_t clients = 1;
  std::size_t workers = 1;
  std::size_t in_flight = 1;
  std::size_t requests = 100'000;
  std::size_t capacity = 1;
  std::size_t size = 11;
  std::size_t rate = 0;  // requests a second; 0: as many as are answered
  bool titanic = false;  // leave them with Titanic
  mdp::version protocol = mdp::version::v01;
  std::string service = "echo";
  unsigned timeout = 60;
  long broker = 0;  // its process; 0: do not look
};

// Seconds of processor time that a process has used.
double processor_time(long process) {
  std::ifstream file{"/proc/" + std::to_string(process) + "/stat"};
  std::string line;
  std::getline(file, line);
  // Behind the name, which may hold anything, the 12th and 13th field are the times.
  std::istringstream fields{line.substr(line.rfind(')') + 1)};
  std::string skipped;
  for (int i = 0; i < 11; ++i) {
    fields >> skipped;
  }
  long user = 0;
  long system = 0;
  if (!(fields >> user >> system)) {
    throw std::runtime_error{"cannot read the times of process " + std::to_string(process) +
                             ": name a living process of this machine"};
  }
  return static_cast<double>(user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

zmtp::socket_options bare_options() {
  zmtp::socket_options options;
  options.announce_peers = true;
  options.send_mark.messages.reset();
  options.linger = std::chrono::milliseconds{0};
  return options;
}

// Says which request a body is: its slot among those in flight, and how often that was used.
struct tag {
  std::uint32_t slot;
  std::uint32_t round;
};

// The heartbeat interval of an idle worker. Brokers expect one at least every 2.5 s.
constexpr std::chrono::milliseconds heartbeat{1'000};
// Workers send heartbeats in this number of groups, so that a crowd does not send all of them at once.
constexpr std::size_t heartbeat_groups = 100;

class load {
public:
  explicit load(const arguments& a) : arguments_{a}, deadline_{context_}, body_(a.size, 'x') {
    latencies_.reserve(a.requests);
    auto options = bare_options();
    if (a.capacity > 1) {
      options.extensions = {"capacity=" + std::to_string(a.capacity)};
    }
    for (std::size_t i = 0; i < a.workers; ++i) {
      workers_.push_back(std::make_unique<worker>(context_.get_executor(), options));
      asio::co_spawn(context_, serve(*workers_.back()), on_end());
    }
    if (a.workers == 0) {
      start_clients();
    }
    asio::co_spawn(context_, send_heartbeats(), on_end());
    deadline_.expires_after(std::chrono::seconds{a.timeout});
    deadline_.async_wait([this](boost::system::error_code ec) {
      if (!ec) {
        fail("not all replies came in time: check that the broker runs, or allow more seconds");
      }
    });
  }

  // Whether every request was answered, once and rightly.
  [[nodiscard]] bool run() {
    context_.run();
    if (failure_) {
      std::rethrow_exception(failure_);
    }
    return report();
  }

private:
  struct worker {
    worker(const asio::any_io_executor& executor, const zmtp::socket_options& options)
        : socket{executor, options} {}

    zmtp::dealer_socket socket;
    bool registered = false;
    bool said_something = false;  // since it was its group's turn
  };
  struct client {
    client(const asio::any_io_executor& executor, std::size_t slots)
        : socket{executor, bare_options()}, sent_at(slots), rounds(slots) {}

    zmtp::dealer_socket socket;
    std::vector<clock_type::time_point> sent_at;  // by slot
    std::vector<std::uint32_t> rounds;
  };

  void fail(const std::string& why) {
    if (!failure_) {
      failure_ = std::make_exception_ptr(std::runtime_error{why});
    }
    context_.stop();
  }

  std::function<void(const std::exception_ptr&)> on_end() {
    return [this](const std::exception_ptr& thrown) {
      if (thrown && !failure_) {
        failure_ = thrown;
        context_.stop();
      }
    };
  }

  static void send(zmtp::dealer_socket& to, zmtp::message&& m) {
    if (to.try_send(std::move(m)) != zmtp::send_status::queued) {
      throw std::runtime_error{"the broker does not read: give fewer requests in flight"};
    }
  }

  asio::awaitable<void> serve(worker& w) {
    auto& socket = w.socket;
    socket.connect(arguments_.endpoint);
    const auto token = asio::as_tuple(asio::use_awaitable);
    zmtp::message_batch batch;
    for (;;) {
      const auto [ec, count] = co_await socket.async_receive(batch, token);
      if (ec) {
        throw boost::system::system_error{ec, "worker"};
      }
      for (const auto item : batch) {
        switch (item.what()) {
          case zmtp::routed_message::kind::attached:
            send(socket, mdp::make_ready(arguments_.protocol, arguments_.service));
            w.registered = true;
            if (++ready_ == arguments_.workers) {
              start_clients();
            }
            break;
          case zmtp::routed_message::kind::detached:
            throw std::runtime_error{"a worker lost the broker"};
          case zmtp::routed_message::kind::message: work(w, item.to_message()); break;
        }
      }
    }
  }

  // Replaces the frames in front of the client's address, and sends the rest back.
  void work(worker& w, zmtp::message&& m) const {
    const bool old = arguments_.protocol == mdp::version::v01;
    const auto least = old ? 6U : 5U;
    if (m.size() < least) {
      if (m.size() == least - 3 && m == mdp::make_heartbeat(dialect())) {
        return;
      }
      throw std::runtime_error{"a worker was sent away, or spoken to in another version of MDP"};
    }
    if (old) {
      m.pop_front();
    }
    m.pop_front();
    m.pop_front();
    m.push_front(old ? "\x03" : "\x04");
    m.push_front(old ? "MDPW01" : "MDPW02");
    if (old) {
      m.push_front({});
    }
    send(w.socket, std::move(m));
    w.said_something = true;
  }

  asio::awaitable<void> send_heartbeats() {
    asio::steady_timer timer{context_};
    for (std::size_t group = 0;; group = (group + 1) % heartbeat_groups) {
      timer.expires_after(heartbeat / heartbeat_groups);
      co_await timer.async_wait(asio::use_awaitable);
      for (auto i = group; i < workers_.size(); i += heartbeat_groups) {
        auto& w = *workers_[i];
        if (!std::exchange(w.said_something, false) && w.registered) {
          send(w.socket, mdp::make_heartbeat(dialect()));
        }
      }
    }
  }

  void start_clients() {
    for (std::size_t i = 0; i < arguments_.clients; ++i) {
      clients_.push_back(std::make_unique<client>(context_.get_executor(), arguments_.in_flight));
      asio::co_spawn(context_, ask(*clients_.back()), on_end());
    }
  }

  // The first request of each client finds the way; the clock starts when all are back.
  asio::awaitable<void> ask(client& c) {
    c.socket.connect(arguments_.endpoint);
    const auto token = asio::as_tuple(asio::use_awaitable);
    zmtp::message_batch batch;
    for (;;) {
      const auto [ec, count] = co_await c.socket.async_receive(batch, token);
      if (ec) {
        throw boost::system::system_error{ec, "client"};
      }
      const auto now = clock_type::now();
      for (const auto item : batch) {
        switch (item.what()) {
          case zmtp::routed_message::kind::attached: send_request(c, 0, now); break;
          case zmtp::routed_message::kind::detached:
            throw std::runtime_error{"a client lost the broker"};
          case zmtp::routed_message::kind::message: on_reply(c, item.to_message(), now); break;
        }
      }
    }
  }

  void send_request(client& c, std::uint32_t slot, clock_type::time_point now) {
    const tag which{slot, ++c.rounds[slot]};
    std::memcpy(body_.data(), &which, sizeof which);
    c.sent_at[slot] = now;
    zmtp::message m;
    m.push_front(body_);
    if (arguments_.titanic) {
      m.push_front(arguments_.service);
    }
    mdp::push_client_request(
        m, arguments_.protocol,
        arguments_.titanic ? mdp::titanic::request_service : std::string_view{arguments_.service});
    send(c.socket, std::move(m));
  }

  // Returns the tag of the request that this is the reply to. Replies of Titanic have no tag, so its clients have one
  // request at a time.
  [[nodiscard]] tag request_of(const client& c, zmtp::message& m) const {
    const auto reply = mdp::parse_for_client(m, arguments_.protocol);
    if (arguments_.titanic) {
      if (!reply || !reply->final) {
        throw std::runtime_error{"not the reply of Titanic"};
      }
      m.pop_front();
      if (const auto id = mdp::titanic::parse_accepted(m); !id) {
        throw std::runtime_error{"not accepted: " + id.error().message()};
      }
      return {0, c.rounds[0]};
    }
    if (!reply || !reply->final || m.size() != 2) {
      throw std::runtime_error{"not the reply of an echo: check what offers the service"};
    }
    const auto body = m.back();
    tag which{};
    if (body.size() == body_.size()) {
      std::memcpy(&which, body.data(), sizeof which);
    }
    return which;
  }

  void on_reply(client& c, zmtp::message&& m, clock_type::time_point now) {
    const auto which = request_of(c, m);
    if (which.slot >= c.rounds.size() || which.round != c.rounds[which.slot]) {
      throw std::runtime_error{"a reply to another request, or a second one to the same"};
    }
    if (!begun_) {
      if (++warm_ == arguments_.clients) {
        start();
      }
      return;
    }
    latencies_.push_back(
        static_cast<std::uint32_t>(std::chrono::nanoseconds{now - c.sent_at[which.slot]}.count()));
    if (latencies_.size() == arguments_.requests) {
      end_ = clock_type::now();
      context_.stop();
    } else if (arguments_.rate != 0) {
      free_.emplace_back(&c, which.slot);
      send_due(now);
    } else if (started_ < arguments_.requests) {
      ++started_;
      send_request(c, which.slot, now);
    }
  }

  [[nodiscard]] clock_type::time_point due() const {
    return begin_ +
           std::chrono::nanoseconds{std::uint64_t{1'000'000'000} * started_ / arguments_.rate};
  }

  // Sends all requests that are due. A late request counts from the time when it was due.
  void send_due(clock_type::time_point now) {
    for (; started_ < arguments_.requests && !free_.empty() && due() <= now; ++started_) {
      const auto [c, slot] = free_.front();
      free_.pop_front();
      send_request(*c, slot, due());
    }
  }

  asio::awaitable<void> keep_pace() {
    asio::steady_timer timer{context_};
    while (started_ < arguments_.requests) {
      // The minimum keeps this loop from spinning while no client is free.
      timer.expires_at(std::max(due(), clock_type::now() + std::chrono::microseconds{20}));
      co_await timer.async_wait(asio::use_awaitable);
      send_due(clock_type::now());
    }
  }

  void start() {
    if (arguments_.broker != 0) {
      broker_time_ = processor_time(arguments_.broker);
    }
    own_time_ = processor_time(::getpid());
    begun_ = true;
    begin_ = clock_type::now();
    if (arguments_.rate != 0) {
      for (std::uint32_t slot = 0; slot < arguments_.in_flight; ++slot) {
        for (const auto& c : clients_) {
          free_.emplace_back(c.get(), slot);
        }
      }
      asio::co_spawn(context_, keep_pace(), on_end());
      return;
    }
    for (std::uint32_t slot = 0; slot < arguments_.in_flight; ++slot) {
      for (const auto& c : clients_) {
        if (started_ < arguments_.requests) {
          ++started_;
          send_request(*c, slot, begin_);
        }
      }
    }
  }

  [[nodiscard]] double latency(double share) {
    const auto at = latencies_.begin() +
                    static_cast<std::ptrdiff_t>(share * static_cast<double>(latencies_.size() - 1));
    std::nth_element(latencies_.begin(), at, latencies_.end());
    return static_cast<double>(*at) / 1'000;
  }

  [[nodiscard]] bool report() {
    const auto requests = static_cast<double>(latencies_.size());
    const auto seconds = std::chrono::duration<double>(end_ - begin_).count();
    std::printf("requests: %zu\n", latencies_.size());
    std::printf("mean rate: %.0f [request/s]\n", requests / seconds);
    std::printf("latency p50: %.1f [us]\n", latency(0.5));
    std::printf("latency p99: %.1f [us]\n", latency(0.99));
    std::printf("CPU of the load: %.3f [us/request]\n",
                (processor_time(::getpid()) - own_time_) * 1e6 / requests);
    if (arguments_.broker != 0) {
      std::printf("CPU of the broker: %.3f [us/request]\n",
                  (processor_time(arguments_.broker) - broker_time_) * 1e6 / requests);
    }
    return latencies_.size() == arguments_.requests;
  }

  [[nodiscard]] mdp::dialect dialect() const { return mdp::dialect_of(arguments_.protocol); }

  const arguments& arguments_;
  asio::io_context context_{1};
  asio::steady_timer deadline_;
  std::string body_;
  std::vector<std::unique_ptr<worker>> workers_;
  std::vector<std::unique_ptr<client>> clients_;
  std::size_t ready_ = 0;  // workers
  std::size_t warm_ = 0;   // clients
  bool begun_ = false;
  std::size_t started_ = 0;                             // requests
  std::deque<std::pair<client*, std::uint32_t>> free_;  // slots, at a rate
  std::vector<std::uint32_t> latencies_;
  clock_type::time_point begin_;
  clock_type::time_point end_;
  double own_time_ = 0;
  double broker_time_ = 0;
  std::exception_ptr failure_;
};

void describe(CLI::App& app, arguments& to) {
  const auto number = CLI::Range(1UL, 1'000'000'000UL);
  app.add_option("ENDPOINT", to.endpoint, "endpoint of the broker")->required();
  app.add_option("--clients", to.clients)->check(number)->capture_default_str();
  app.add_option("--workers", to.workers,
                 "workers of this process; 0: other processes offer the service, and echo")
      ->check(CLI::Range(0UL, 1'000'000UL))
      ->capture_default_str();
  app.add_option("--in-flight", to.in_flight, "requests of each client at once; 1: synchronous")
      ->check(number)
      ->capture_default_str();
  app.add_option("--requests", to.requests, "requests of all clients together")
      ->check(number)
      ->capture_default_str();
  app.add_option("--capacity", to.capacity, "capacity that each worker announces")
      ->check(number)
      ->capture_default_str();
  app.add_option("--size", to.size, "bytes of a body")
      ->check(CLI::Range(sizeof(tag), std::size_t{64} * 1024 * 1024 - 1024))
      ->capture_default_str();
  app.add_option("--rate", to.rate, "requests a second of all clients; 0: as many as are answered")
      ->check(CLI::Range(0UL, 10'000'000UL))
      ->capture_default_str();
  app.add_flag("--titanic", to.titanic,
               "submit the requests to Titanic, for the service, and count the accepted ones");
  app.add_option_function<std::string>(
         "--mdp",
         [&to](const std::string& name) {
           to.protocol = name == "0.1" ? mdp::version::v01 : mdp::version::v02;
         },
         "version of the protocol")
      ->check(CLI::IsMember({"0.1", "0.2"}))
      ->default_str("0.1");
  app.add_option("--service", to.service)->capture_default_str();
  app.add_option("--patience", to.timeout, "seconds after which missing replies are a failure")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str();
  app.add_option("--broker-process", to.broker, "process id, to print what it uses of a processor")
      ->check(CLI::PositiveNumber);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Majordomo clients and workers against a broker"};
  arguments a;
  describe(app, a);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  if (a.titanic && (a.workers != 0 || a.in_flight != 1)) {
    std::fprintf(stderr, "mdp_load: --titanic takes --workers 0 and --in-flight 1\n");
    return 2;
  }
  // Waking late would be counted as the broker's time.
  ::prctl(PR_SET_TIMERSLACK, 1UL);
  try {
    return load{a}.run() ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "mdp_load: %s\n", e.what());
    return 1;
  }
}
