#include "zmtp/conversation/reconnect_backoff.h"

#include <algorithm>

namespace zmtp {

std::chrono::milliseconds reconnect_backoff::next(std::chrono::milliseconds handshake_lasted,
                                                  bool refused, std::uint32_t random) noexcept {
  const auto maximum = refused ? options_.refused_maximum : options_.maximum;
  const auto start_over = wait_.count() == 0 || handshake_lasted >= options_.stable;
  wait_ = std::min(start_over ? options_.initial : 2 * wait_, maximum);
  // 50 % to 150 %, so that many peers of one that restarts do not come back in step.
  const auto share = 50 + random % 101;
  return std::chrono::milliseconds{wait_.count() * static_cast<std::int64_t>(share) / 100};
}

}  // namespace zmtp
