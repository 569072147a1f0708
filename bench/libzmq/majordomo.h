#pragma once
// Majordomo 0.1 as the Guide's programs speak it: the words of 7/MDP, and messages of several parts.

#include "bench/libzmq/socket.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace bench::libzmq {

inline constexpr std::string_view client_header = "MDPC01";
inline constexpr std::string_view worker_header = "MDPW01";

inline constexpr std::string_view ready = "\x01";
inline constexpr std::string_view request = "\x02";
inline constexpr std::string_view reply = "\x03";
inline constexpr std::string_view heartbeat = "\x04";
inline constexpr std::string_view disconnect = "\x05";

// The default of the command lines.
inline constexpr int heartbeat_milliseconds = 2500;
inline constexpr std::uint64_t longest_heartbeat_milliseconds = 60'000;
inline constexpr int heartbeat_liveness = 3;

// How long a client waits for a reply before it gives up.
inline constexpr int reply_milliseconds = 10'000;
inline constexpr std::string_view request_body = "Hello world";

using multipart = std::vector<message>;

// Replaces the content by all parts of one message.
void receive_all(socket& from, multipart& parts);
// Sends the parts from `first` on and leaves them empty.
void send_from(socket& to, multipart& parts, std::size_t first);

// [client_header][service][body], behind the empty part that a REQ adds itself.
void send_request(socket& to, std::string_view service);
// Ends the program when the reply is not to such a request.
void check_reply(multipart& parts, std::size_t first, std::string_view service);

}  // namespace bench::libzmq
