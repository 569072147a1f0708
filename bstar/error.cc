#include "bstar/error.h"

#include <string>

namespace bstar {

namespace {

const char* text(errc e) noexcept {
  switch (e) {
    case errc::not_a_state:
      return "no state of a Binary Star node: check that the endpoint is the peer's state "
             "publisher";
    case errc::bad_account:
      return "unknown text behind the state: check that both nodes are of compatible versions";
    case errc::epoch_too_large: return "the peer's epoch is too large: check its epoch file";
    case errc::bad_option:
      return "bad option: the heartbeat is 1 ms to a day, the expiry one and a half heartbeats at "
             "least";
    case errc::voter_taken:
      return "the node has a voter already: bind one, or ask vote() for what other sockets receive";
    case errc::node_stopped: return "the node is stopped: make another";
    case errc::bad_epoch_file:
      return "the epoch file is damaged: restore it, or write a number above the peer's epoch";
  }
  return "unknown error of bstar";
}

class category final : public boost::system::error_category {
public:
  const char* name() const noexcept override { return "bstar"; }
  std::string message(int value) const override { return text(static_cast<errc>(value)); }
};

}  // namespace

const boost::system::error_category& bstar_category() noexcept {
  static const category instance;
  return instance;
}

}  // namespace bstar
