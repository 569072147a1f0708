#pragma once
// Admits the PLAIN clients that know the password of a user in a file.

#include "zmtp/authenticator.h"
#include "zmtp/authenticators/failed_attempts_state.h"
#include "zmtp/authenticators/worker_thread.h"
#include "zmtp/peer.h"
#include "zmtp/runtime/watched_file.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace zmtp {

struct password_file_options {
  // Gets a text that names the file, the line, the fault and the remedy: for each fault once, until
  // it is gone. Also gets a text when an address is refused for wrong passwords. Called in the
  // constructor, and later in the thread of the authenticator. Must not throw.
  std::function<void(const std::string&)> on_fault{};
  // Wrong passwords from one IP address (IPv6: the first 64 bits), or over ipc from one user of the
  // system.
  failed_attempts_limits attempts{};
  std::size_t most_waiting = 64;  // clients whose passwords are not checked yet
  std::chrono::milliseconds check_interval = file_check_interval;  // between two checks of the file
};

// For socket_options::authenticator of a PLAIN server. Each line of the file is a user and the
// Argon2id hash of a password, as zinc passwd writes it. The user id is the user. After a wrong
// password, or an unknown user, the client gets ERROR with the status 400. An unknown user takes as
// long as a known one.
//
// Checks one password at a time, in a thread of its own. A client that comes while too many wait,
// or whose address had too many wrong passwords, is not told why its connection closes, so that it
// tries again later.
//
// A change of the file applies to handshakes that start a second later or more. A peer that is
// connected already stays: disconnect it with socket::disconnect(). If the file cannot be read,
// no client is admitted.
//
// Thread safety: safe. The destructor waits for the password that is checked.
class password_file final : public authenticator {
public:
  // Reads the file. Throws password_file_error if that is not possible; a line with a fault is only
  // reported.
  explicit password_file(const std::string& path, const password_file_options& options = {});
  ~password_file() override;

  void authenticate(const peer_info& peer, const credentials& shown, handler done) override;

private:
  class contents;
  class password;
  struct question;

  std::unique_ptr<contents> contents_;  // only the thread uses it
  std::unique_ptr<worker_thread<question>> thread_;
};

}  // namespace zmtp
