#include "chp/error.h"

#include <string>

namespace chp {

namespace {

const char* text(errc e) noexcept {
  switch (e) {
    case errc::unknown_command:
      return "unknown command: see 12/CHP for what is said on each of the three ports";
    case errc::wrong_frame_count:
      return "wrong number of frames: check that both sides use kvmsg (5 frames) or kvsimple (3)";
    case errc::wrong_sequence_size:
      return "sequence of a wrong size: send it as 8 octets in network order";
    case errc::sequence_too_large:
      return "sequence with an epoch above 524287: check who else publishes to this client";
    case errc::key_empty: return "empty key: use a key of 1 to 255 octets";
    case errc::key_too_long: return "key above 255 octets: use a shorter key";
    case errc::key_with_zero: return "key with an octet of zero: leave it out";
    case errc::key_reserved: return "HUGZ and KTHXBAI are commands: use another key";
    case errc::id_too_long: return "UUID above 64 octets: send 16";
    case errc::properties_too_long: return "properties above 64 KiB: send fewer of them";
    case errc::value_too_long: return "value above the limit: send less, or raise the limit";
    case errc::malformed_register:
      return "malformed list of applied updates: check that both servers are of the same version";
    case errc::too_many_keys:
      return "the map has as many keys as it may: erase some, or raise the limit";
    case errc::too_many_octets:
      return "the map takes as many octets as it may: erase some keys, or raise the limit";
    case errc::malformed_subtree:
      return "a subtree begins and ends with a slash, or is empty for the whole map";
    case errc::malformed_property:
      return "the names and values of properties have neither '=' nor line ends: leave them out";
    case errc::value_empty: return "an empty value would erase the key: call erase for that";
    case errc::ttl_too_short: return "a time to live is a second at least";
    case errc::not_in_kvsimple:
      return "kvsimple has no deletions and times to live: use a server that speaks kvmsg";
    case errc::not_sent:
      return "the update was not sent in time, no server has it: check that one of them runs";
    case errc::unconfirmed:
      return "the update was sent and not confirmed in time, it may be committed later: look, or "
             "set it "
             "again";
    case errc::refused:
      return "the server refused the update, for a reason that is newer than this program: see its "
             "log";
  }
  return "unknown error of chp";
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
