#include "zmtp/socket_type.h"

namespace zmtp {

namespace {

constexpr socket_type all_types[] = {
    socket_type::pair, socket_type::pub,    socket_type::sub,    socket_type::req,
    socket_type::rep,  socket_type::dealer, socket_type::router, socket_type::pull,
    socket_type::push, socket_type::xpub,   socket_type::xsub,
};

}  // namespace

std::string_view to_string(socket_type type) noexcept {
  switch (type) {
    case socket_type::pair: return "PAIR";
    case socket_type::pub: return "PUB";
    case socket_type::sub: return "SUB";
    case socket_type::req: return "REQ";
    case socket_type::rep: return "REP";
    case socket_type::dealer: return "DEALER";
    case socket_type::router: return "ROUTER";
    case socket_type::pull: return "PULL";
    case socket_type::push: return "PUSH";
    case socket_type::xpub: return "XPUB";
    case socket_type::xsub: return "XSUB";
  }
  return {};
}

std::optional<socket_type> parse_socket_type(std::string_view name) noexcept {
  for (const auto type : all_types) {
    if (to_string(type) == name) {
      return type;
    }
  }
  return std::nullopt;
}

bool announces_routing_id(socket_type type) noexcept {
  using enum socket_type;
  return type == req || type == dealer || type == router;
}

bool compatible(socket_type ours, socket_type theirs) noexcept {
  using enum socket_type;
  switch (ours) {
    case pair: return theirs == pair;
    case pub:
    case xpub: return theirs == sub || theirs == xsub;
    case sub:
    case xsub: return theirs == pub || theirs == xpub;
    case req: return theirs == rep || theirs == router;
    case rep: return theirs == req || theirs == dealer;
    case dealer: return theirs == rep || theirs == dealer || theirs == router;
    case router: return theirs == req || theirs == dealer || theirs == router;
    case pull: return theirs == push;
    case push: return theirs == pull;
  }
  return false;
}

}  // namespace zmtp
