#include "bstar/error.h"

#include <string>

namespace bstar {

namespace {

const char* text(errc e) noexcept {
  switch (e) {
    case errc::not_a_state:
      return "not the state of a Binary Star node: check that the endpoint is the peer's state "
             "publisher";
    case errc::bad_account:
      return "unknown text after the state: check that both nodes have compatible versions";
    case errc::epoch_too_large: return "the peer's epoch is too large: check its epoch file";
    case errc::bad_option:
      return "invalid option: use a heartbeat of 1 ms to a day, and an expiry of at least one and "
             "a half "
             "heartbeats";
    case errc::voter_taken:
      return "the node already has a voter: bind only one, or call vote() for requests of other "
             "sockets";
    case errc::node_stopped: return "the node is stopped: create a new one";
    case errc::bad_epoch_file:
      return "the epoch file is damaged: restore it, or write a number above the peer's epoch into "
             "it";
  }
  return "unknown bstar error";
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
