#include "test/simulation/pattern.h"

#include <utility>

namespace zmtp::simulation {

std::unique_ptr<party> cast(simulated_network& net, ledger& books, casting part) {
  auto& [type, peers, number, options, how, changes] = part;
  const auto answers_only = peers == socket_type::req;
  // With heartbeats nothing ever comes to rest.
  options.heartbeat.interval.reset();
  switch (type) {
    case socket_type::push:
      return std::make_unique<plain_party>(net, books, number,
                                           std::make_unique<push_state>(options), how, false);
    case socket_type::pull:
      how.messages = 0;
      options.announce_peers = true;
      return std::make_unique<plain_party>(net, books, number,
                                           std::make_unique<pull_state>(options), how, false);
    case socket_type::dealer:
      options.announce_peers = true;
      return std::make_unique<plain_party>(net, books, number,
                                           std::make_unique<dealer_state>(options), how,
                                           peers == socket_type::rep);
    case socket_type::pair:
      books.expect_one_stream(number);
      options.announce_peers = true;
      return std::make_unique<plain_party>(net, books, number,
                                           std::make_unique<pair_state>(options), how, false);
    case socket_type::router:
      options.announce_peers = true;
      how.messages = answers_only ? 0 : how.messages;
      return std::make_unique<router_party>(net, books, number, options, how, answers_only);
    case socket_type::req: return std::make_unique<req_party>(net, books, number, options, how);
    case socket_type::rep:
      how.messages = 0;
      return std::make_unique<rep_party>(net, books, number, options, how);
    case socket_type::pub:
      return std::make_unique<pub_party>(net, books, number, std::make_unique<pub_state>(options),
                                         how);
    case socket_type::xpub:
      options.announce_peers = true;
      return std::make_unique<pub_party>(net, books, number, std::make_unique<xpub_state>(options),
                                         how);
    case socket_type::sub:
      how.messages = 0;
      return std::make_unique<sub_party>(net, books, number, std::make_unique<sub_state>(options),
                                         how, changes);
    case socket_type::xsub:
      return std::make_unique<sub_party>(net, books, number, std::make_unique<xsub_state>(options),
                                         how, changes);
  }
  return nullptr;
}

}  // namespace zmtp::simulation
