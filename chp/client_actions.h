#pragma once
// What a client's state wants done, and what it tells. Pure.

#include "chp/sequence.h"
#include "zmtp/message.h"

#include <boost/system/error_code.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace chp {

// What has become of a key.
struct change {
  std::string key;
  std::string value;
  sequence number =
      0;  // of the update; of one that was found by comparing with a snapshot, the snapshot's
  bool holds_nothing = false;  // the key is there, with an empty value: kvsimple has such

  [[nodiscard]] bool erased() const noexcept { return value.empty() && !holds_nothing; }
  friend bool operator==(const change&, const change&) = default;
};

// What people, and their programs, may want to know of.
struct client_event {
  enum class kind : std::uint8_t {
    following,           // a snapshot of `server` was taken; its updates follow
    server_lost,         // a connection to it ended
    server_unreachable,  // nobody is at its endpoint
    server_silent,       // it did not answer, or said nothing, for too long
    gap,                 // updates of it are missing: its snapshot is asked for again
    too_large,           // its map is above our limits
    history_refused,     // what it has is older than what we have seen: another is asked
    history_lost,        // … of all of them, and is taken: committed updates may be gone
    degraded,            // one of a pair: it commits without the other one
    replicated,          // … with one again
  };
  kind what = kind::following;
  std::size_t server = 0;  // in the order of the constructor
  friend bool operator==(const client_event&, const client_event&) = default;
};

// As the enumerator is written.
[[nodiscard]] const char* to_string(client_event::kind what) noexcept;

// Appended to by the client, carried out and cleared by the shell, in the order of the members.
struct client_actions {
  // The connections to the current server. Of one that is closed nothing is told to the state any more.
  enum class connection : std::uint8_t {
    close,  // both
    open,   // both, to `server`: a SUB for the subtree and HUGZ, and a DEALER, if it is asked
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
  // Tell on_written(server, mark) when all that was published to it is in the hands of its kernel.
  struct written_mark {
    std::size_t server;
    std::uint64_t mark;
  };
  std::vector<written_mark> await_written;
  std::vector<change> changes;  // in their order; none if nobody watches
  struct completion {
    std::uint64_t ticket;
    boost::system::error_code ec;
  };
  std::vector<completion> completions;
  bool became_ready = false;  // the map is there, for the first time
  std::vector<client_event> events;

  [[nodiscard]] bool empty() const noexcept {
    return connections.empty() && asks.empty() && publications.empty() && await_written.empty() &&
           changes.empty() && completions.empty() && !became_ready && events.empty();
  }
};

}  // namespace chp
