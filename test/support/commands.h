#pragma once
// Encodes commands again from their parsed form.

#include "zmtp/command.h"
#include "zmtp/frame.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace zmtp::test {

// Returns the body with the content of `read`. An unknown command stores only its name, so its data
// come from the original body.
inline std::string written_again(const command::traffic& read, std::string_view body) {
  struct writer {
    std::string& to;
    std::string_view body;
    void operator()(const command::subscribe& c) const { command::put_subscribe(to, c.topic, 1); }
    void operator()(const command::cancel& c) const { command::put_cancel(to, c.topic, 1); }
    void operator()(const command::ping& c) const { command::put_ping(to, c.ttl, c.context); }
    void operator()(const command::pong& c) const { command::put_pong(to, c.context); }
    void operator()(const command::error& c) const { command::put_error(to, c.reason); }
    void operator()(const command::unknown& c) const {
      command::put(to, c.name, body.substr(1 + c.name.size()));
    }
  };
  std::string frame;
  std::visit(writer{frame, body}, read);
  return frame.substr(frame::header_size(static_cast<std::byte>(frame.front())));
}

// Returns `body` without libzmq's misspelling of ERROR.
inline std::string spelt_right(std::string_view body) {
  constexpr std::string_view misspelt = "^RROR";
  const bool wrong = body.starts_with(misspelt) && body.size() <= std::size_t{'^'};
  return wrong ? "\x05"
                 "ERROR" +
                     std::string{body.substr(misspelt.size())}
               : std::string{body};
}

}  // namespace zmtp::test
