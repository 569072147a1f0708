#include "zmtp/authenticators/allowed_keys.h"

#include <utility>
#include <variant>

namespace zmtp {

void allowed_keys::allow(const curve_public_key& key, std::string user_id) {
  const std::lock_guard lock{mutex_};
  users_.insert_or_assign(key, std::move(user_id));
}

bool allowed_keys::revoke(const curve_public_key& key) {
  const std::lock_guard lock{mutex_};
  return users_.erase(key) != 0;
}

std::size_t allowed_keys::size() const {
  const std::lock_guard lock{mutex_};
  return users_.size();
}

void allowed_keys::authenticate(const peer_info&, const credentials& shown, handler done) {
  verdict answer = refusal{.status = "400"};
  if (const auto* const curve = std::get_if<curve_credentials>(&shown)) {
    const std::lock_guard lock{mutex_};
    if (const auto found = users_.find(curve->public_key); found != users_.end()) {
      answer = principal{.user_id = found->second};
    }
  }
  std::move(done)(std::move(answer));
}

}  // namespace zmtp
