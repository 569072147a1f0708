// Both sides of PLAIN, fed with commands that are one input, cut by its own bytes.

#include "test/fuzz/oracle.h"
#include "test/support/wire.h"
#include "zmtp/mechanism/plain.h"

#include <string>
#include <string_view>
#include <variant>

namespace zmtp::fuzz {
namespace {

constexpr limits limit{.handshake_command_size = 300, .metadata_properties = 4};

metadata own() {
  metadata properties;
  properties.add("Socket-Type", "DEALER");
  return properties;
}

// The first byte of each command is its size.
void feed(mechanism& m, std::string_view input) {
  std::string output;
  m.start(output);
  bool failed = false;
  for (int commands = 0; !input.empty(); ++commands) {
    const auto size = static_cast<unsigned char>(input.front());
    const auto body = input.substr(1, size);
    input.remove_prefix(1 + body.size());
    output.clear();
    const auto step = m.on_command(body, output);
    require(!failed || (!step && step.error() == errc::unexpected_command),
            "nothing is accepted after a fault");
    if (!step) {
      require(output.empty(), "a fault has no answer");
      failed = true;
      continue;
    }
    require(commands < 2, "two commands make a handshake");
    auto progress = *step;
    if (progress == mechanism::progress::authentication) {
      const auto shown = m.shown();
      if (const auto* const plain = std::get_if<plain_credentials>(&shown)) {
        require(plain->username.size() <= 255 && plain->password.size() <= 255, "sizes are bytes");
        require(8 + plain->username.size() + plain->password.size() == body.size(),
                "every byte belongs to a field");
      }
      progress = m.authenticated(output);
    }
    if (progress == mechanism::progress::admission) {
      require(m.peer_metadata().properties().size() <= limit.metadata_properties,
              "the limit holds");
      require(m.admit(output) == mechanism::progress::done, "an admitted peer is ready");
      return;
    }
  }
}

}  // namespace
}  // namespace zmtp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace zmtp;
  const auto input = fuzz::text_of(data, size);
  plain_server_mechanism server{fuzz::own(), fuzz::limit};
  fuzz::feed(server, input);
  plain_client_mechanism client{{"admin", "secret"}, fuzz::own(), fuzz::limit};
  fuzz::feed(client, input);
  return 0;
}
