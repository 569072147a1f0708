#include "zmtp/conversation/reconnect_backoff.h"

#include <algorithm>

namespace zmtp {

bool is_refusal(error_code reason, bool handshake_done) noexcept {
  if (reason == errc::refused_by_peer || reason == errc::not_admitted) {
    return true;
  }
  return !handshake_done && reason.category() == zmtp_category() &&
         reason != errc::connection_lost && reason != errc::handshake_timeout &&
         reason != errc::out_of_memory && reason != errc::socket_closed &&
         reason != errc::handshake_evicted;
}

std::optional<std::chrono::milliseconds> reconnect_backoff::on_end(
    error_code reason, std::optional<milliseconds> handshake_lasted,
    std::uint32_t random) noexcept {
  const auto refused = is_refusal(reason, handshake_lasted.has_value());
  const auto lasted = handshake_lasted.value_or(milliseconds{0});
  failures_ = handshake_lasted && lasted >= options_.stable && !refused ? 0 : failures_ + 1;
  if ((refused && options_.stop_on_refusal) ||
      (options_.stop_after && failures_ >= *options_.stop_after)) {
    return std::nullopt;
  }
  return next(lasted, refused, random);
}

std::chrono::milliseconds reconnect_backoff::next(std::chrono::milliseconds handshake_lasted,
                                                  bool refused, std::uint32_t random) noexcept {
  const auto maximum = refused ? options_.refused_maximum : options_.maximum;
  const auto start_over = wait_.count() == 0 || handshake_lasted >= options_.stable;
  wait_ = std::min(start_over ? options_.initial : 2 * wait_, maximum);
  // Random, so that many peers do not reconnect to a restarted peer at the same moment.
  const auto share = 50 + random % 51;
  return std::chrono::milliseconds{wait_.count() * static_cast<std::int64_t>(share) / 100};
}

}  // namespace zmtp
