#include "bstar/options.h"

#include "bstar/error.h"

namespace bstar {

boost::system::error_code validate(const pair_options& options) noexcept {
  using std::chrono::milliseconds;
  constexpr milliseconds longest = std::chrono::hours{24};
  if (options.heartbeat < milliseconds{1} || options.heartbeat > longest) {
    return errc::bad_option;
  }
  const auto expiry = options.expiry_or_default();
  if (expiry < options.heartbeat + options.heartbeat / 2 || expiry > 2 * longest) {
    return errc::bad_option;
  }
  const auto alone = options.promote_alone_after.value_or(milliseconds{0});
  if (alone < milliseconds{0} || alone > longest) {
    return errc::bad_option;
  }
  return {};
}

}  // namespace bstar
