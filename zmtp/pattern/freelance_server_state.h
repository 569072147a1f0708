#pragma once
// The decisions of a Freelance server, and its cache of replies. Pure; `freelance_server` is the
// shell.

#include "zmtp/message.h"
#include "zmtp/options.h"
#include "zmtp/peer.h"

#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace zmtp {

// At a limit, the cache evicts the oldest reply.
struct reply_cache_options {
  std::size_t entries = 100'000;
  std::size_t bytes = 64 * 1024 * 1024;  // bytes of replies and keys in memory
  // How long a reply is stored. Must be longer than clients retry.
  std::chrono::milliseconds age{60'000};
};

// The replies of a service by client and request number, so that the service executes a repeated
// request only once. Look up a request before you execute it, and store its reply before you send
// it. A repeated request then gets the same reply. Replies are lost if the process crashes, and
// such requests are executed again.
//
// Thread safety: distinct objects safe, one object not.
class reply_cache {
public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit reply_cache(const reply_cache_options& options = {}) : options_{options} {}
  reply_cache(const reply_cache&) = delete;
  reply_cache& operator=(const reply_cache&) = delete;

  // Returns the key of a request that has these two parts as its name. The parts may have any
  // bytes.
  [[nodiscard]] static std::string key(std::string_view client, std::string_view number);

  // Returns the stored reply, or nullptr. Valid until the cache changes.
  [[nodiscard]] const message* find(std::string_view key, time_point now);
  // Stores a reply unless the key already has one. Does not store a reply that exceeds the limits.
  void store(std::string_view key, const message& reply, time_point now);

  // Returns the stored reply. If there is none, returns and stores the result of `execute`.
  template <class Execute>
  [[nodiscard]] message answer(std::string_view key, time_point now, Execute&& execute) {
    if (const auto* const known = find(key, now)) {
      return *known;
    }
    message reply = std::forward<Execute>(execute)();
    store(key, reply, now);
    return reply;
  }

  [[nodiscard]] std::size_t entries() const noexcept { return replies_.size(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::uint64_t hits() const noexcept { return hits_; }

private:
  struct entry {
    std::string key;
    message reply;
    time_point stored_at;
    std::size_t bytes;
  };

  void drop_old(time_point now);
  void drop_first();

  const reply_cache_options options_;
  std::list<entry> replies_;  // oldest first
  std::unordered_map<std::string_view, std::list<entry>::iterator> by_key_;
  std::size_t bytes_ = 0;
  std::uint64_t hits_ = 0;
};

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
  std::size_t in_flight = 1'000;
  // Options of the ROUTER, security included. The server sets routing_id, announce_peers and
  // send_mark.messages itself.
  socket_options socket{};
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
  [[nodiscard]] bool wants_requests() const noexcept {
    return in_flight_.size() < options_.in_flight;
  }
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
  std::unordered_map<std::uint64_t, hand> in_flight_;
  // requests in progress whose replies will be stored
  std::unordered_map<std::string, std::uint64_t> by_key_;
  freelance_server_counters counters_;
};

}  // namespace zmtp
