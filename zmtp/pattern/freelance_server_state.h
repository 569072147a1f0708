#pragma once
// Decides which messages a Freelance server answers itself, and which it passes to its user. Pure;
// `freelance_server` is the shell.

#include "zmtp/message.h"
#include "zmtp/pattern/reply_cache.h"
#include "zmtp/routing/peer_id.h"

#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace zmtp {

// The message forms of the Guide's three models.
enum class freelance_form : std::uint8_t {
  plain,      // 1: a body, as a REQ sends it
  sequenced,  // 2: a number, which the reply repeats, and a body, as a REQ sends them
  flp,        // 3, 10/FLP: PING, or a control frame, which the reply repeats, and a body
};

struct freelance_server_options {
  freelance_form form = freelance_form::flp;
  // Stores replies. A repeated request gets the stored reply and is not executed again. The server
  // recognizes requests of Zinc's clients on any connection, and those of other clients on the same
  // connection. Not available in the plain form, which cannot distinguish requests.
  std::optional<reply_cache_options> keep_replies{};
  // Maximum number of requests in progress. At this limit, the server does not read from clients.
  std::size_t requests = 1'000;
};

struct freelance_server_counters {
  std::uint64_t requests = 0;  // passed to the user
  std::uint64_t pings = 0;
  std::uint64_t repeated = 0;     // repeated requests that were not executed again
  std::uint64_t undelivered = 0;  // replies whose client has disconnected, or takes no messages
  std::uint64_t invalid = 0;      // messages that are not requests
};

// The server appends actions. The shell executes and clears them, in the order of the members.
struct freelance_server_actions {
  struct request {
    std::uint64_t id;  // names the request in its reply; never reused
    message body;
  };
  std::vector<std::pair<peer_id, message>> sends;
  std::vector<request> requests;
};

class freelance_server_state {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using actions = freelance_server_actions;

  explicit freelance_server_state(const freelance_server_options& options);

  // `sessions`: the client's control frames are globally unique (freelance_session_name).
  void on_message(peer_id client, bool sessions, message&& m, time_point now, actions& out);
  void on_reply_not_taken() noexcept { ++counters_.undelivered; }

  // Stores the reply before it sends it. Errors: call_errc::no_request.
  [[nodiscard]] boost::system::error_code reply(std::uint64_t request, message&& body,
                                                time_point now, actions& out);
  // Drops a request that will not be answered. Does nothing if it is not in progress.
  void drop(std::uint64_t request);

  // Returns whether the shell may read from clients.
  [[nodiscard]] bool wants_requests() const noexcept { return in_hand_.size() < options_.requests; }
  [[nodiscard]] const freelance_server_counters& counters() const noexcept { return counters_; }

private:
  struct hand {
    peer_id client;    // the client that sent the request last
    message envelope;  // for the reply
    std::string key;   // empty: the reply is not stored
  };

  // Returns the key for a control frame, which is the last part of the envelope.
  [[nodiscard]] std::string key_of(peer_id client, bool sessions, std::string_view control) const;

  const freelance_server_options options_;
  std::optional<reply_cache> kept_;
  std::uint64_t last_id_ = 0;
  std::unordered_map<std::uint64_t, hand> in_hand_;
  // requests in progress whose replies will be stored
  std::unordered_map<std::string, std::uint64_t> by_key_;
  freelance_server_counters counters_;
};

}  // namespace zmtp
