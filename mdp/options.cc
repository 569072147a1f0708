#include "mdp/options.h"

namespace mdp {

boost::system::error_code check_service(std::string_view name) noexcept {
  if (name.empty()) {
    return errc::no_service;
  }
  if (name.size() > max_service_size) {
    return errc::service_too_long;
  }
  return {};
}

boost::system::error_code check(const worker_options& options) noexcept {
  if (is_reserved(options.service)) {
    return errc::service_reserved;
  }
  return check_service(options.service);
}

}  // namespace mdp
