#include "zmtp/mechanism/security.h"

#include "zmtp/mechanism/null.h"
#include "zmtp/mechanism/plain.h"

#include <utility>
#include <variant>

namespace zmtp {

std::unique_ptr<mechanism> make_mechanism(const security_options& security, handshake_role role,
                                          metadata own, const limits& limit,
                                          const random_bytes& random) {
  struct {
    handshake_role role;
    metadata& own;
    const limits& limit;
    const random_bytes& random;
    std::unique_ptr<mechanism> operator()(const null_security&) const {
      using ready = null_mechanism::ready;
      const auto when = role == handshake_role::accepting ? ready::once_admitted : ready::at_once;
      return std::make_unique<null_mechanism>(std::move(own), limit, when);
    }
    std::unique_ptr<mechanism> operator()(const plain_client_security& s) const {
      return std::make_unique<plain_client_mechanism>(s, std::move(own), limit);
    }
    std::unique_ptr<mechanism> operator()(const plain_server_security&) const {
      return std::make_unique<plain_server_mechanism>(std::move(own), limit);
    }
    std::unique_ptr<mechanism> operator()(const custom_security& s) const {
      return s.make(role, std::move(own), limit, random);
    }
  } make{role, own, limit, random};
  return std::visit(make, security);
}

}  // namespace zmtp
