#pragma once
// The words of the model: numbers, lineages, entries of the log, the settings of a run and the planted faults.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace chp::model {

// The number of an entry: epoch << 44 | n on the wire. Epochs of the model are below 2^44 too.
using number = std::uint64_t;
using epoch = std::uint64_t;

constexpr number numbered(epoch e, std::uint64_t n) { return e << 16 | n; }
constexpr epoch epoch_of(number at) { return at >> 16; }

// One reign of a history: its epoch, 64 random bits, and the number of its last entry.
struct row {
  epoch of = 0;
  std::uint64_t tag = 0;
  number last = 0;
};
using lineage = std::vector<row>;

// A place in a history. The place before the first entry is {}.
struct position {
  epoch of = 0;
  std::uint64_t tag = 0;
  number at = 0;
};

enum class kind : std::uint8_t { reign, set, erase, expiry, refusal };

struct entry {
  number at = 0;
  kind what = kind::set;
  std::uint8_t key = 0;
  std::uint8_t ttl = 0;       // in ticks; 0: never expires
  std::uint32_t update = 0;   // unique among the updates of all clients, also the value
  std::uint32_t session = 0;  // 0: an update without an id
  std::uint32_t counter = 0;
  std::uint32_t low = 0;          // lowest counter of the session that has no final answer
  std::uint64_t tag_or_ends = 0;  // reign: its tag; expiry: the number of the value that it ends
  std::uint64_t stamp = 0;  // for the checker only: no two entries that were ever made share one
};

enum class truth : std::uint8_t { one, both };

inline constexpr std::size_t key_count = 3;
inline constexpr std::size_t client_count = 3;

// One fault in the implementation of the design, which the checker has to find.
enum class planted : std::uint8_t {
  none,
  // The log and its commits, sections 2 and 3.
  commits_before_durable,   // an entry counts as committed before the own disk has it
  confirms_before_durable,  // the passive confirms what its disk does not have yet
  acknowledges_inherited,   // a resend of an inherited update is answered before it is committed
  truth_by_membership,  // "both" is said because a backup is in sync, not because it has the entry
  joins_at_follow,      // the backup is in sync before it has caught up
  counts_end_of_hello,  // the end in a HELLO counts as confirmed, though the disk does not have it
  publishes_before_commit,  // readers see what the backup does not have
  trims_beyond_commit,      // a full log drops entries that are not committed
  joins_at_mark,            // the backup is in sync without what was committed during its copy
  // Histories, sections 1 and 2.
  compares_epochs_without_tags,  // two reigns of one epoch are taken for one
  loser_offers_again,            // the loser of a divergence offers what it has cut
  drops_what_both_had,           // does not stop where the other history lacks what both had
  empty_server_serves,           // a server without data becomes active beside one that has data
  half_copy_serves,  // a server that was copying what both had, and has a part of it, becomes active
  cuts_without_file,             // the file of lost updates is not written
  file_without_rows,             // the file lacks updates that are below the begin of the log
  snapshot_keeps_rows,           // a snapshot adds to the old map
  snapshot_without_sessions,     //
  snapshot_in_two_transactions,  // a crash leaves a new map beside an old log
  ignores_greeting_numbers,      // messages for an older HELLO count
  // Roles.
  acts_while_suspended,  // acknowledges after a pause without a look at its peer
  epoch_not_reserved,    // a server begins two reigns with one epoch
  believes_any_epoch,    // a forged state message moves the epoch by more than 1,000
  // Sessions.
  remakes_updates_without_id,  // the passive keeps updates without an id, and makes them at a takeover
  forgets_sessions_silently,     // `forgotten` does not rise
  trusts_since_of_lost_history,  // `since` counts although the history does not contain it
  ignores_low,                   // a counter below `low` is made
  makes_counters_out_of_order,   // an update that comes early is made at once
  refusals_not_logged,           // the next active makes what was refused
  // Clients.
  follows_higher_epoch,      // takes a higher epoch for a newer history
  position_without_answers,  // acknowledgements are not part of the position
  sends_to_both_servers,  // a copy that comes late is carried out after its update was acknowledged and lost
  offers_lost_updates_again,      // resends what was acknowledged, after its history was lost
  forgets_at_first_answer,        // does not keep what one server alone has
  follows_without_asking_others,  // reports history_lost though another server has the history
  // Times to live, section 6.
  passive_expires,      // the passive erases by its own clock
  expiry_of_any_value,  // an expiry erases a newer value
  // The witness. Only servers of production code have one.
  witness_grants_all,            // it does not compare
  counts_removal_before_answer,  // the active server commits alone when it has asked to
  member_outlives_memory,        // a server that has lost its memory is still in sync
  // Subscribers that are not Zinc's. Only servers of production code have them.
  leaves_out_what_was_missed,  // while the peer was active
  last_one,
};

// The Guide's clients send each update once, to both servers, with an id of its own or without one.
enum class client_kind : std::uint8_t { ours, guide_with_ids, guide_without_ids };

struct settings {
  bool block = false;           // the policy; otherwise `ack`
  std::array<bool, 2> store{};  // true for a server with a store
  bool by_hand = false;         // restarts with --promote-alone
  bool has_witness = false;     // only for servers of production code
  std::uint64_t expiry = 3;     // in ticks
  std::size_t log_limit = 4;    // in entries
  std::size_t session_limit = 2;
  std::size_t waiting_limit = 2;
  std::size_t window = 2;                      // entries beyond the last confirmation
  std::size_t key_limit = 2;                   // keys in the map
  std::array<unsigned, client_count> reach{};  // bit s: the client knows server s
  std::array<client_kind, client_count> clients{};
  planted fault = planted::none;
};

// Section 2: whether a history has this place, and the last number that two histories share.
inline bool contains(const lineage& history, position place, planted fault = planted::none) {
  if (place.at == 0) {
    return true;
  }
  for (const row& r : history) {
    const bool same_tag = r.tag == place.tag || fault == planted::compares_epochs_without_tags;
    if (r.of == place.of && same_tag) {
      return r.last >= place.at;
    }
  }
  return false;
}

inline number common_point(const lineage& a, const lineage& b, planted fault = planted::none) {
  number common = 0;
  for (std::size_t i = 0; i < a.size() && i < b.size() && a[i].of == b[i].of; ++i) {
    if (a[i].tag != b[i].tag && fault != planted::compares_epochs_without_tags) {
      break;
    }
    common = a[i].last < b[i].last ? a[i].last : b[i].last;
    if (a[i].last != b[i].last) {
      break;
    }
  }
  return common;
}

inline position place_of(const lineage& history, number at) {
  for (const row& r : history) {
    if (r.of == epoch_of(at)) {
      return {r.of, r.tag, at};
    }
  }
  return {};
}

// Section 4, rule 5: which of two last rows is the later one. Equal epochs are decided by the tag, because the
// ends of two active servers both grow while the two compare them.
inline bool later(const row& a, const row& b) {
  if (a.of != b.of) {
    return a.of > b.of;
  }
  return a.tag != b.tag ? a.tag > b.tag : a.last > b.last;
}

}  // namespace chp::model
