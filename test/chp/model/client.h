#pragma once
// A client of ours, or one of the Guide's: section 5 of docs/chp-log.md.

#include "test/chp/model/network.h"

namespace chp::model {

class checker;
struct surroundings;

// The outcome of a call.
enum class result : std::uint8_t { pending, one, both, refused, lost, unknown };

struct call {
  update what;
  result came_to = result::pending;
  bool kept = true;        // until both servers have its outcome
  bool forgotten = false;  // no server can be asked any more
  bool in_doubt = false;   // the history with its outcome is lost
};

class client {
public:
  client(std::size_t self, surroundings& around) : self_{self}, around_{around} {}

  void set(std::uint32_t new_update, std::uint8_t key, bool erases, std::uint8_t ttl);
  void on_timer();
  void on_message(std::size_t server, const to_client& message);
  void on_link_gone(std::size_t server);
  // Whether the server has to serve this client no more, because the client follows another one.
  [[nodiscard]] bool follows(std::size_t server) const { return following_ && server_ == server; }

  [[nodiscard]] client_kind kind() const;
  [[nodiscard]] bool idle() const;  // follows a server, and no call waits
  [[nodiscard]] const rows_of_map& map() const { return map_; }
  [[nodiscard]] const std::vector<call>& calls() const { return calls_; }
  [[nodiscard]] std::size_t self() const { return self_; }

private:
  void on(std::size_t server, const snapshot& message);
  void on(std::size_t server, const change& message);
  void on(std::size_t server, const answer& message);
  void on(std::size_t server, const unknown_session& message);

  void ask_next();
  void seek(std::size_t server);
  void adopt(const snapshot& message, bool lost);
  void take(call& c, const answer& a);
  void begin_session(const position& since);
  void send_waiting();
  void send_again(call& c);
  void see(number at, std::uint64_t stamp, bool degraded);
  [[nodiscard]] std::uint32_t low() const;
  [[nodiscard]] bool reaches(std::size_t server) const;
  void send(std::size_t server, const to_server& message);

  std::size_t self_;
  surroundings& around_;
  std::size_t server_ = 0;
  bool following_ = false;
  bool asked_ = false;
  unsigned asked_since_refusal_ =
      0;  // bit s: server s was asked, beginning with the first that refused

  lineage rows_;
  rows_of_map map_{};
  position seen_;
  std::uint64_t seen_stamp_ = 0;  // for the checker only
  bool seen_degraded_ = false;

  std::uint32_t session_ = 0;
  position since_;
  std::uint32_t counters_ = 0;
  std::vector<call> calls_;
};

}  // namespace chp::model
