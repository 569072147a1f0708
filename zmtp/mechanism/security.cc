#include "zmtp/mechanism/security.h"

#include "zmtp/mechanism/null.h"

#include <utility>
#include <variant>

namespace zmtp {

std::unique_ptr<mechanism> make_mechanism(const security_options& security, handshake_role role,
                                          metadata own, const limits& limit) {
  struct {
    handshake_role role;
    metadata& own;
    const limits& limit;
    std::unique_ptr<mechanism> operator()(const null_security&) const {
      using ready = null_mechanism::ready;
      const auto when = role == handshake_role::accepting ? ready::once_admitted : ready::at_once;
      return std::make_unique<null_mechanism>(std::move(own), limit, when);
    }
    std::unique_ptr<mechanism> operator()(const custom_security& s) const {
      return s.make(role, std::move(own), limit);
    }
  } make{role, own, limit};
  return std::visit(make, security);
}

}  // namespace zmtp
