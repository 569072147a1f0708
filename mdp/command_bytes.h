#pragma once
// The fixed bytes in commands of MDP, for their parser and builder. Pure.

#include "mdp/command.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>

namespace mdp {

// The command bytes of MDP/Worker and MDP/Client.
namespace byte {
inline constexpr char ready = 1;
inline constexpr char request = 2;
inline constexpr char reply_01 = 3;
inline constexpr char heartbeat_01 = 4;
inline constexpr char disconnect_01 = 5;
inline constexpr char partial = 3;
inline constexpr char final = 4;
inline constexpr char heartbeat = 5;
inline constexpr char disconnect = 6;
// Extensions, with numbers far from those that a later MDP could use.
inline constexpr char nack = 0x10;
inline constexpr char drain = 0x11;
inline constexpr char client_request = 1;
inline constexpr char client_partial = 2;
inline constexpr char client_final = 3;
}  // namespace byte

// The content of other frames.
namespace frame {
inline constexpr std::string_view client_01 = "MDPC01";
inline constexpr std::string_view worker_01 = "MDPW01";
inline constexpr std::string_view client_02 = "MDPC02";
inline constexpr std::string_view worker_02 = "MDPW02";

// The reasons of a NACK.
inline constexpr std::string_view refused = "refused";
inline constexpr std::string_view failed = "failed";

inline constexpr std::string_view on_behalf_prefix = "mmi.for:";

// The key frame: `mmi.key:`, the key, the number of the attempt in network order, and whether the
// request may start. No service has such a name, because the broker reserves names that begin with
// `mmi.`.
inline constexpr std::string_view key_prefix = "mmi.key:";
inline constexpr std::size_t number_at = key_prefix.size() + std::tuple_size_v<request_key>;
inline constexpr std::size_t may_begin_at = number_at + sizeof(std::uint32_t);
inline constexpr std::size_t key_size = may_begin_at + 1;
}  // namespace frame

}  // namespace mdp
