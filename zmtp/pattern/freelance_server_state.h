#pragma once
// What a Freelance server answers at once, and what is for its user. Pure; the shell around it is
// `freelance_server`.

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

// Of the Guide's three models.
enum class freelance_form : std::uint8_t {
  plain,      // 1: a body, as a REQ sends it
  sequenced,  // 2: a number, which is sent back, and a body, as a REQ sends them
  flp,        // 3, 10/FLP: PING, or a control frame, which is sent back, and a body
};

struct freelance_server_options {
  freelance_form form = freelance_form::flp;
  // Replies are kept, and a request that comes again is answered with what was answered before, instead of
  // being carried out twice. Of clients of this project over whichever connection, of others over the same.
  // Not in the plain form, which has nothing to tell requests by.
  std::optional<reply_cache_options> keep_replies{};
  // Requests in hand at once. At its limit clients are not read.
  std::size_t requests = 1'000;
};

struct freelance_server_counters {
  std::uint64_t requests = 0;  // for the user
  std::uint64_t pings = 0;
  std::uint64_t repeated = 0;     // requests that were known, and not carried out again
  std::uint64_t undelivered = 0;  // replies whose client is gone, or takes nothing
  std::uint64_t invalid = 0;      // what is no request
};

// Appended to by the server, carried out and cleared by the shell, in the order of the members.
struct freelance_server_actions {
  struct request {
    std::uint64_t id;  // to be named in the reply; never used twice
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

  // `sessions`: the client's control frames are its own in all the world (freelance_session_name).
  void on_message(peer_id client, bool sessions, message&& m, time_point now, actions& out);
  void on_reply_not_taken() noexcept { ++counters_.undelivered; }

  // The reply is kept before it is sent. Errors: call_errc::no_request.
  [[nodiscard]] boost::system::error_code reply(std::uint64_t request, message&& body,
                                                time_point now, actions& out);
  // A request in hand will not be answered. Nothing for one that is not in hand.
  void drop(std::uint64_t request);

  // Whether clients are to be read.
  [[nodiscard]] bool wants_requests() const noexcept { return in_hand_.size() < options_.requests; }
  [[nodiscard]] const freelance_server_counters& counters() const noexcept { return counters_; }

private:
  struct hand {
    peer_id client;    // who has asked last
    message envelope;  // of the reply
    std::string key;   // empty: replies are not kept
  };

  // Of the control frame, which is the last of the envelope.
  [[nodiscard]] std::string key_of(peer_id client, bool sessions, std::string_view control) const;

  const freelance_server_options options_;
  std::optional<reply_cache> kept_;
  std::uint64_t last_id_ = 0;
  std::unordered_map<std::uint64_t, hand> in_hand_;
  std::unordered_map<std::string, std::uint64_t> by_key_;  // those in hand whose replies are kept
  freelance_server_counters counters_;
};

}  // namespace zmtp
