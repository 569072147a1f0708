#include "zmtp/mechanism/null.h"

#include "zmtp/command.h"

#include <utility>

namespace zmtp {

null_mechanism::null_mechanism(metadata own, const limits& limit, ready when)
    : decided_mechanism{std::move(own), limit}, when_{when} {}

void null_mechanism::start(std::string& output) {
  if (when_ == ready::at_once) {
    command::put(output, "READY", own_metadata());
  }
}

result<mechanism::progress> null_mechanism::on_named(state at, const command::named& received,
                                                     std::string&) {
  if (received.name != "READY" || at != state::first) {
    return errc::unexpected_command;
  }
  return take_metadata(received.data);
}

void null_mechanism::put_admitted(std::string& output) {
  if (when_ == ready::once_admitted) {
    command::put(output, "READY", own_metadata());
  }
}

}  // namespace zmtp
