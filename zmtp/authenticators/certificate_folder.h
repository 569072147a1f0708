#pragma once
// Admits the CURVE clients whose certificates lie in a folder.

#include "zmtp/authenticator.h"
#include "zmtp/authenticators/worker_thread.h"
#include "zmtp/peer.h"
#include "zmtp/runtime/watched_file.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace zmtp {

// For socket_options::authenticator of a curve_server(). Each regular file in the folder is the
// public certificate of a client, as zinc keygen and CZMQ's zcert write it. Files whose names begin
// with a dot or end in `_secret` or `~` are ignored. The user id of a client is the `name` in the
// metadata of its certificate, or else the name of the file. Other peers get ERROR with the status
// 400.
//
// A change in the folder applies to handshakes that start a second later or more. So removing a file
// revokes the certificate. A peer that is connected already stays: disconnect it with
// socket::disconnect(). If a file becomes invalid, or the folder cannot be read, its clients are not
// admitted.
//
// Thread safety: safe. A thread of its own reads the files and answers. The destructor waits for the
// file that is read.
class certificate_folder final : public authenticator {
public:
  // Gets a text that names the file, the line, the fault and the remedy: for each fault once, until
  // it is gone. Called in the constructor, and later in the thread of the authenticator. Must not
  // throw.
  using fault_handler = std::function<void(const std::string&)>;

  // Reads the folder. Throws certificate_error if that is not possible; an invalid file in it is
  // only reported.
  explicit certificate_folder(const std::string& folder, fault_handler on_fault = {},
                              std::chrono::milliseconds check_interval = file_check_interval);
  ~certificate_folder() override;

  void authenticate(const peer_info& peer, const credentials& shown, handler done) override;

private:
  class contents;
  struct question {
    curve_public_key key;
    handler done;
  };

  std::unique_ptr<contents> contents_;  // only the thread uses it
  worker_thread<question> thread_;      // last, because it uses the other members
};

}  // namespace zmtp
