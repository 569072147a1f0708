#pragma once
// Admits the CURVE clients whose keys are in a set.

#include "zmtp/authenticator.h"
#include "zmtp/peer.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

namespace zmtp {

// For socket_options::authenticator of a curve_server(). Each key has a user id, which peer_info
// shows. Peers with other keys, or without a key, get ERROR with the status 400.
//
// A change applies to later handshakes. A peer that is connected already stays: disconnect it with
// socket::disconnect().
//
// Thread safety: safe.
class allowed_keys final : public authenticator {
public:
  // Adds a key, or replaces its user id.
  void allow(const curve_public_key& key, std::string user_id = {});
  // Returns whether the key was allowed.
  bool revoke(const curve_public_key& key);
  [[nodiscard]] std::size_t size() const;

  void authenticate(const peer_info& peer, const credentials& shown, handler done) override;

private:
  mutable std::mutex mutex_;
  std::map<curve_public_key, std::string> users_;
};

}  // namespace zmtp
