#pragma once
// The ZAP handler (RFC 27) of a libzmq context: accepts or refuses the clients of its PLAIN and CURVE servers.

#include "test/interop/libzmq_peer.h"

#include <atomic>
#include <functional>
#include <string>
#include <thread>

namespace zmtp::test::libzmq {

class zap_handler {
public:
  // Returns the status for a mechanism and its credentials: PLAIN a name and a password, CURVE a key of 32
  // bytes. Called in the thread of the handler.
  using decision =
      std::function<std::string(const std::string& mechanism, const parts& credentials)>;

  zap_handler(context& owner, decision decide);
  zap_handler(const zap_handler&) = delete;
  zap_handler& operator=(const zap_handler&) = delete;
  ~zap_handler();

private:
  void run();

  socket replies_;
  decision decide_;
  std::atomic<bool> stopped_{false};
  std::thread thread_;
};

}  // namespace zmtp::test::libzmq
