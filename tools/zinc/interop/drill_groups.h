#pragma once
// The drills of each pattern, for the table of all drills, and what they share. Pure.

#include "tools/zinc/interop/drill.h"

#include <chrono>
#include <string>
#include <vector>

namespace zinc::interop {

using words = std::vector<std::string>;

inline constexpr auto server = side::server;
inline constexpr auto client = side::client;
inline constexpr condition our_server{server, origin::ours};
inline constexpr condition our_client{client, origin::ours};
inline constexpr condition their_client{client, origin::theirs};

// Time for an answer after failed attempts, missed heartbeats and growing pauses.
inline constexpr std::chrono::seconds recovery{40};

// Lines that programs of several patterns print.
inline const expected_line answered{"I: server replied OK (N)", R"(replied OK \((?:b')?(\d+))"};
inline const expected_line backup_heard{"I: connected to backup (passive), ready as active",
                                        R"(connected to backup \((?:passive|slave)\))"};
inline const expected_line primary_heard{"I: connected to primary (active), ready as passive",
                                         R"(connected to primary \((?:active|master)\))"};
inline const expected_line active_backup_heard{"I: connected to backup (active), ready as passive",
                                               R"(connected to backup \((?:active|master)\))"};

[[nodiscard]] std::vector<pair> pirate_pairs();
[[nodiscard]] std::vector<pair> majordomo_pairs();
[[nodiscard]] std::vector<pair> binary_star_pairs();
[[nodiscard]] std::vector<pair> freelance_pairs();
[[nodiscard]] std::vector<pair> publishing_pairs();
[[nodiscard]] std::vector<pair> clone_pairs();

}  // namespace zinc::interop
