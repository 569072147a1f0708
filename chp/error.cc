#include "chp/error.h"

#include <string>

namespace chp {

namespace {

const char* text(errc e) noexcept {
  switch (e) {
    case errc::unknown_command: return "unknown command: see 12/CHP for the commands of each port";
    case errc::wrong_frame_count:
      return "wrong number of frames: check that both sides use kvmsg (5 frames) or kvsimple (3)";
    case errc::wrong_sequence_size:
      return "sequence of a wrong size: send 8 bytes in network order";
    case errc::sequence_too_large:
      return "epoch above 524287: check which servers publish to this client, or, if a server has "
             "used all its epochs, start it with a new store";
    case errc::key_empty: return "empty key: use a key of 1 to 255 bytes";
    case errc::key_too_long: return "key above 255 bytes: use a shorter key";
    case errc::key_with_zero: return "key with a zero byte: use a key without it";
    case errc::key_reserved: return "key is a command: use a key other than HUGZ and KTHXBAI";
    case errc::id_too_long: return "UUID above 64 bytes: send 16 bytes";
    case errc::properties_too_long: return "properties above 64 KiB: send fewer of them";
    case errc::value_too_long: return "value above the limit: send less, or raise the limit";
    case errc::malformed_lineage:
      return "invalid lineage: check that both servers have the same version";
    case errc::malformed_entry:
      return "invalid entry of the log: check that both servers have the same version";
    case errc::malformed_session:
      return "invalid record of a session: check that both servers have the same version";
    case errc::wrong_number_size: return "number of a wrong size: send 8 bytes in network order";
    case errc::malformed_piece:
      return "unknown piece of a snapshot: check that both servers have the same version";
    case errc::entry_out_of_order:
      return "entry of the log out of order: check that only the other server of the pair connects";
    case errc::too_many_keys:
      return "the map has the maximum number of keys: erase some, or raise the limit";
    case errc::too_many_bytes:
      return "the map has the maximum number of bytes: erase some keys, or raise the limit";
    case errc::malformed_subtree:
      return "invalid subtree: begin and end it with a slash, or use an empty one for the whole "
             "map";
    case errc::value_empty:
      return "empty value, which would erase the key: call async_erase instead";
    case errc::ttl_too_short: return "time to live too short: use at least one second";
    case errc::not_in_kvsimple:
      return "kvsimple has no deletions and times to live: use a server that speaks kvmsg";
    case errc::not_sent:
      return "the update was not sent in time, so no server has it: check that a server runs";
    case errc::unconfirmed:
      return "the update was not confirmed in time and may be committed later: read the key, or "
             "set "
             "it again";
    case errc::session_forgotten:
      return "the servers have forgotten this client, so the update may be made or not: read the "
             "key, and raise the servers' limit of sessions";
    case errc::lost:
      return "the only server that had the update has lost it: set it again if it still applies";
    case errc::not_on_both:
      return "the update is committed, but not known to be on both servers: check that the backup "
             "runs";
    case errc::forbidden:
      return "this client may not write the key: add a rule to the roles of the server, or use the "
             "credentials of another principal";
    case errc::subtree_forbidden:
      return "this client may not read its whole subtree: follow a smaller one, add a rule to the "
             "roles of the server, or use the credentials of another principal";
    case errc::refused:
      return "the server refused the update for a reason that this version does not know: see the "
             "server's log";
  }
  return "unknown chp error";
}

class category final : public boost::system::error_category {
public:
  const char* name() const noexcept override { return "chp"; }
  std::string message(int value) const override { return text(static_cast<errc>(value)); }
};

}  // namespace

const boost::system::error_category& chp_category() noexcept {
  static const category instance;
  return instance;
}

}  // namespace chp
