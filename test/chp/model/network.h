#pragma once
// The wire: the dialogue between the two servers, their state messages, and the clients' connections.

#include "chp/witness.h"
#include "test/chp/model/kept.h"
#include "zmtp/message.h"

#include <memory>
#include <variant>

namespace chp::model {

// Section 4.
struct hello {
  std::uint64_t greeting = 0;
  lineage rows;
  number end = 0;
  number durable = 0;
  bool lacks_data = false;
};
struct follow {
  std::uint64_t greeting = 0;
  number common = 0;
  number needed = 0;
  std::shared_ptr<const kept> snapshot;  // none: entries from the common point on
};
struct entries {
  std::uint64_t greeting = 0;
  std::vector<entry> list;
  number commit = 0;
};
struct confirm {
  std::uint64_t greeting = 0;
  number durable = 0;
};
using peer_message =
    std::variant<hello, follow, entries, confirm, zmtp::message>;  // the last: production code

// The message of bstar, once a tick.
struct state_message {
  bool active = false;
  bool declines = false;
  bool lacks_data = true;
  row last;
};

// A connection that ended, or was replaced, is noticed by a server when its number differs from the one it knows.
struct dialogue {
  std::uint64_t number = 1;
  std::array<std::deque<peer_message>, 2> to;
  void drop() {
    ++number;
    to = {};
  }
};

// From a client.
struct want_snapshot {};  // also its vote
struct update {
  std::uint32_t number = 0;  // unique, also the value
  std::uint8_t key = 0;
  bool erases = false;
  std::uint8_t ttl = 0;
  bool has_id = false;        // our clients: session and counter; the Guide's: an opaque id
  std::uint32_t session = 0;  // 0: not one of our clients
  std::uint32_t counter = 0;
  std::uint32_t low = 0;
  position since;
  // The client was told an outcome and asks for it again. An update that was not carried out is withdrawn.
  bool asks = false;
};
using to_server = std::variant<want_snapshot, update>;

// To a client.
struct snapshot {
  lineage rows;
  rows_of_map map;
  number published = 0;
  position since;  // for a new session: the end of the log
  bool degraded = false;
  std::vector<entry> history;  // for the checker only
};
struct change {
  entry what;
  bool degraded = false;
};
struct answer {
  std::uint32_t session = 0;
  std::uint32_t counter = 0;
  number at = 0;
  std::uint64_t stamp = 0;  // for the checker only
  bool made = true;
  truth says = truth::one;
};
struct unknown_session {
  std::uint32_t session = 0;
};
using to_client = std::variant<snapshot, change, answer, unknown_session>;

struct client_link {
  bool cut = false;
  std::deque<to_server> up;
  std::deque<to_client> down;
  std::deque<to_client>
      answers;  // on another connection than the changes, so they can come before them
};

// The witness: attempts that are on the wire, and answers. An attempt can come long after its process
// was told that there is no answer. An empty answer is an error.
struct witness_line {
  struct attempt {
    membership from;
    membership to;
    bool is_answered = false;
  };
  std::deque<attempt> asked;
  std::deque<std::optional<membership>> answers;
  std::optional<membership> notice;  // the last record
};

struct network {
  membership record;
  std::array<witness_line, 2> witness;
  dialogue servers;
  std::array<std::optional<state_message>, 2> state_to;  // the latest; read at the next tick
  std::array<bool, 2> cut_to{};  // this server receives nothing from its peer
  std::array<std::array<client_link, 2>, client_count> links;
};

}  // namespace chp::model
