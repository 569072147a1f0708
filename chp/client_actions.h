#pragma once
// The actions and events of a client. Pure.

#include "chp/sequence.h"
#include "chp/truth.h"
#include "zmtp/message.h"

#include <boost/system/error_code.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace chp {

// A change of one key.
struct change {
  std::string key;
  std::string value;
  sequence number = 0;         // the update, or the snapshot that showed the change
  bool holds_nothing = false;  // the key exists with an empty value, as kvsimple allows

  [[nodiscard]] bool erased() const noexcept { return value.empty() && !holds_nothing; }
  friend bool operator==(const change&, const change&) = default;
};

// An event of a client, for logs and programs.
struct client_event {
  enum class kind : std::uint8_t {
    following,           // adopted a snapshot of `server`; its updates follow
    server_lost,         // a connection to `server` ended
    server_unreachable,  // no peer listens at an endpoint of `server`
    server_silent,       // no reply or message within the timeout
    gap,                 // updates are missing; the client requests the snapshot again
    too_large,           // the map of `server` is above the client's limits
    history_refused,     // `server` lacks what the client has seen; the client tries the next one
    forbidden,           // the rules of `server` forbid the subtree; the client tries the next one
    history_lost,  // all servers lack it; the map is adopted, and committed updates may be lost
    lost,          // own updates, which one server had committed, are lost with its history
    session_forgotten,  // `server` has forgotten the client's session; pending updates have ended
    degraded,           // a server of a pair commits without its peer
    replicated,         // the pair commits together again
  };
  kind what = kind::following;
  std::size_t server = 0;  // in the order of the constructor
  friend bool operator==(const client_event&, const client_event&) = default;
};

// Returns the name of the enumerator.
[[nodiscard]] const char* to_string(client_event::kind what) noexcept;

// An update of this client that one server had committed and that is lost with its history.
struct lost_update {
  std::string key;
  std::string value;  // empty: an erasure
  friend bool operator==(const lost_update&, const lost_update&) = default;
};

// Actions of a client. client_state appends to them. The shell carries them out in the order of the
// members and clears them.
struct client_actions {
  // The connections to the current server. The shell reports no more events of a closed connection.
  enum class connection : std::uint8_t {
    close,           // both
    open,            // both, to `server`: a SUB for the subtree and HUGZ, and a DEALER if needed
    renew_snapshot,  // close the DEALER and open another
    close_snapshot,  // the DEALER
  };
  struct connecting {
    connection what;
    std::size_t server;
    friend bool operator==(const connecting&, const connecting&) = default;
  };
  std::vector<connecting> connections;
  std::vector<zmtp::message> asks;  // on the DEALER
  struct publication {
    std::size_t server;
    zmtp::message content;
  };
  std::vector<publication> publications;  // to the collector of one server
  // Call on_written(server, mark) when the kernel has taken all messages published to this server.
  struct written_mark {
    std::size_t server;
    std::uint64_t mark;
  };
  std::vector<written_mark> await_written;
  // Before the changes, so that a program knows that its history is lost when it sees the next one.
  std::vector<lost_update> lost;
  std::vector<client_event> events;
  std::vector<change> changes;  // in order; empty without watchers
  struct completion {
    std::uint64_t ticket;
    boost::system::error_code ec;
    truth says = truth::unknown;
  };
  std::vector<completion> completions;
  bool became_ready = false;   // the first map was adopted
  bool forbidden = false;      // the wait for the first map ends with errc::subtree_forbidden
  bool needs_session = false;  // call client_state::begin_session() with a new one

  [[nodiscard]] bool empty() const noexcept {
    return connections.empty() && asks.empty() && publications.empty() && await_written.empty() &&
           changes.empty() && completions.empty() && lost.empty() && !became_ready && !forbidden &&
           events.empty() && !needs_session;
  }
};

}  // namespace chp
