#pragma once
// Decides which server a Freelance client calls, and matches answers to calls. Pure;
// `freelance_client` is the shell.

#include "zmtp/message.h"
#include "zmtp/options.h"
#include "zmtp/pattern/call_error.h"

#include <boost/system/result.hpp>

#include <bitset>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace zmtp {

// The Guide has three models. The first is a lazy_pirate_client with several endpoints.
enum class freelance_model : std::uint8_t {
  shotgun,   // 2: calls all servers at once and takes the first answer; servers behave as REP
  directed,  // 3, 10/FLP: calls one server, and the next one if that is unresponsive
};

struct freelance_client_options {
  freelance_model model = freelance_model::directed;
  // Timeout of a call.
  std::chrono::milliseconds timeout{3'000};
  // Directed: sends a PING to a server after this time without a message from it.
  std::chrono::milliseconds ping_interval{2'000};
  // Directed: time without a message before a server with a pending call gets a PING, and time for
  // its answer. After that, the client prefers other servers.
  std::chrono::milliseconds ping_timeout{500};
  // Directed: the client does not use a server after this time without a message, until the server
  // sends one.
  std::chrono::milliseconds server_ttl{6'000};
  // Maximum number of calls in flight.
  std::size_t calls = 1'000;
  // Options of the socket of each server, security included. The client sets announce_peers,
  // extensions, send_mark.messages and linger itself.
  socket_options socket{};
};

struct freelance_call_options {
  // The call may be executed twice, so the client may send it to several servers.
  bool idempotent = false;
  std::optional<std::chrono::milliseconds> timeout{};  // absent: freelance_client_options::timeout
};

struct freelance_client_counters {
  std::uint64_t calls = 0;
  std::uint64_t answers = 0;
  std::uint64_t surplus = 0;      // answers to calls that have ended: late, or duplicates
  std::uint64_t invalid = 0;      // messages that do not answer a call of this client
  std::uint64_t passed_over = 0;  // times that a server was unresponsive
};

// The client appends actions. The shell executes and clears them, in the order of the members.
struct freelance_client_actions {
  struct sending {
    std::size_t server;
    std::uint64_t call;  // zero for a PING
    message content;
  };
  struct ending {
    std::uint64_t call;
    std::optional<call_errc> failure;
    message answer;  // without a failure
  };
  std::vector<sending> sends;
  std::vector<ending> ends;

  void clear() noexcept {
    sends.clear();
    ends.clear();
  }
};

// Several calls may be in flight. A call ends once: with the first answer that has its control
// frame, or with an error. Later answers are counted and dropped. A server receives a call at most
// once per connection. Only an idempotent call goes to a second server. If the server of another
// call disconnects, its outcome is unknown.
class freelance_client_state {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using actions = freelance_client_actions;

  static constexpr std::size_t max_servers = 64;

  // `session` must be random. `servers` must be from 1 to max_servers.
  freelance_client_state(const freelance_client_options& options, std::size_t servers,
                         std::uint64_t session);

  void on_attached(std::size_t server, time_point now, actions& out);
  void on_message(std::size_t server, message&& m, time_point now, actions& out);
  void on_detached(std::size_t server, time_point now, actions& out);
  // Call when the server takes no more messages.
  void on_not_taken(std::size_t server, std::uint64_t call, time_point now, actions& out);

  // Starts a call. Its number is not zero and never reused.
  // Errors: call_errc::too_many_calls, bad_call_option (a timeout above longest_duration).
  [[nodiscard]] boost::system::result<std::uint64_t> ask(message&& body,
                                                         const freelance_call_options& how,
                                                         time_point now, actions& out);
  // Drops a call without an action.
  void cancel(std::uint64_t call);

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // If the call is more than a timeout late, the process was paused. Servers and calls then get
  // another timeout, so that pending messages are read first.
  void on_deadline(time_point now, actions& out);

  [[nodiscard]] std::size_t in_flight() const noexcept { return calls_.size(); }
  [[nodiscard]] const freelance_client_counters& counters() const noexcept { return counters_; }

private:
  using server_set = std::bitset<max_servers>;
  struct call_record {
    message content;
    bool idempotent;
    time_point deadline;
    std::chrono::milliseconds timeout;
    server_set asked{};  // servers of the call in their current connections, not answered yet
    std::size_t times_sent = 0;
  };
  struct server_record {
    bool attached = false;
    bool silent = false;
    time_point last_received_at{};
    time_point asked_since{};
    std::optional<time_point> pinged_at{};  // the time of an unanswered PING
    std::size_t in_flight = 0;
  };
  using entry = std::pair<const std::uint64_t, call_record>;

  void seek_server(entry& one, time_point now, actions& out);
  void send(entry& one, std::size_t to, time_point now, actions& out);
  void forget(std::unordered_map<std::uint64_t, call_record>::iterator which);
  void end(std::unordered_map<std::uint64_t, call_record>::iterator which, call_errc why,
           actions& out);
  void pass_over(std::size_t which, time_point now, actions& out);
  void serve_the_waiting(time_point now, actions& out);
  void look_at(std::size_t which, time_point now, actions& out);
  [[nodiscard]] std::optional<std::size_t> choose(const call_record& one,
                                                  time_point now) const noexcept;
  [[nodiscard]] std::optional<time_point> due_of(const server_record& one) const noexcept;

  const freelance_client_options options_;
  const std::uint64_t session_;
  std::vector<server_record> servers_;
  std::vector<std::size_t> order_;  // servers in order of preference
  std::uint64_t last_number_ = 0;
  std::unordered_map<std::uint64_t, call_record> calls_;
  std::set<std::pair<time_point, std::uint64_t>> deadlines_;
  freelance_client_counters counters_;
};

}  // namespace zmtp
