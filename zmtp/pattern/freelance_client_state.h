#pragma once
// Which server a Freelance client asks, and which answer is whose. Pure; the shell around it is
// `freelance_client`.

#include "zmtp/message.h"
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

// Of the Guide's three; the first is a lazy_pirate_client over several endpoints.
enum class freelance_model : std::uint8_t {
  shotgun,   // 2: asks all servers at once, and takes the first answer; servers are as a REP is
  directed,  // 3, 10/FLP: asks one, and the next when that is silent
};

struct freelance_client_options {
  freelance_model model = freelance_model::directed;
  // Of a call.
  std::chrono::milliseconds timeout{3'000};
  // Directed: a server that has been silent for so long is pinged.
  std::chrono::milliseconds ping_interval{2'000};
  // Directed: how long a server that has been asked may be silent before it is pinged, and how long it may
  // then take. After that others are asked before it.
  std::chrono::milliseconds ping_timeout{500};
  // Directed: a server that has been silent for so long is not asked at all, until it is heard.
  std::chrono::milliseconds server_ttl{6'000};
  // In flight at most.
  std::size_t calls = 1'000;
};

struct freelance_call_options {
  // It may be carried out twice, so that more than one server may be asked.
  bool idempotent = false;
  std::optional<std::chrono::milliseconds> timeout{};  // freelance_client_options::timeout
};

struct freelance_client_counters {
  std::uint64_t calls = 0;
  std::uint64_t answers = 0;
  std::uint64_t surplus = 0;      // answers to calls that have ended: late, or a second one
  std::uint64_t invalid = 0;      // what is no answer of a call of this client
  std::uint64_t passed_over = 0;  // times that a server was silent for too long
};

// Appended to by the client, carried out and cleared by the shell, in the order of the members.
struct freelance_client_actions {
  struct sending {
    std::size_t server;
    std::uint64_t call;  // zero for a PING
    message content;
  };
  struct ending {
    std::uint64_t call;
    std::optional<call_errc> failure;
    message answer;  // if there is no failure
  };
  std::vector<sending> sends;
  std::vector<ending> ends;

  void clear() noexcept {
    sends.clear();
    ends.clear();
  }
};

// Any number of calls in flight. A call ends once: with the first answer that has its control frame, or with
// what is known of it; answers that come later are counted and dropped. A server is asked at most once in
// each connection. Only an idempotent call is given to a second server; of others it is unknown what became
// of them when the server that has them is lost.
class freelance_client_state {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using actions = freelance_client_actions;

  static constexpr std::size_t max_servers = 64;

  // `session` is to be random. `servers` is from 1 to max_servers.
  freelance_client_state(const freelance_client_options& options, std::size_t servers,
                         std::uint64_t session);

  void on_attached(std::size_t server, time_point now, actions& out);
  void on_message(std::size_t server, message&& m, time_point now, actions& out);
  void on_detached(std::size_t server, time_point now, actions& out);
  // The server takes nothing any more.
  void on_not_taken(std::size_t server, std::uint64_t call, time_point now, actions& out);

  // Begins a call; its number is not zero and never used twice.
  // Errors: call_errc::too_many_calls.
  [[nodiscard]] boost::system::result<std::uint64_t> ask(message&& body,
                                                         const freelance_call_options& how,
                                                         time_point now, actions& out);
  // Gives a call up, without an end.
  void cancel(std::uint64_t call);

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // If it comes more than a timeout late, this process was stopped: servers and calls are given another
  // timeout, so that what came meanwhile is read first.
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
    server_set asked{};  // in their present connections, and not answered
    std::size_t times_sent = 0;
  };
  struct server_record {
    bool attached = false;
    bool silent = false;
    time_point heard_at{};
    time_point asked_since{};
    std::optional<time_point> pinged_at{};  // without an answer yet
    std::size_t in_hand = 0;
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
  std::vector<std::size_t> order_;  // who is asked before whom
  std::uint64_t last_number_ = 0;
  std::unordered_map<std::uint64_t, call_record> calls_;
  std::set<std::pair<time_point, std::uint64_t>> deadlines_;
  freelance_client_counters counters_;
};

}  // namespace zmtp
