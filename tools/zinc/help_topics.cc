#include "tools/zinc/help_topics.h"

#include <array>
#include <utility>

namespace zinc {

namespace {

// test/tools/help_topics_test.py compares these texts with the tables of the documentation.
constexpr std::string_view configuration_text =
    R"(Subcommands that serve take their options from a file too: --config FILE. --check-config
checks the file and ends, and SIGHUP reads it again.

  NAME = VALUE              the option --NAME VALUE. The value is the rest of the line, without
                            blanks at its ends; quotes around it are an error
  the same name again       the option again, if the command line takes it several times (bind,
                            service, connect of a client); otherwise an error
  NAME = true, NAME = false
                            an option without a value, such as allow-any-client; false is as if the
                            line did not exist
  frontend = pull tcp://*:5557 ipc:///run/in
                            an option of zinc proxy that takes several words: blanks separate them
  # text                    a comment. A # behind a name belongs to the value, because keys of CURVE
                            contain it

An option of the command line overrides all lines of its name.

EXAMPLES
  bind = tcp://*:5555
  heartbeat = 1s
  service = logs.*:requests=100000,bytes=16MiB
)";

constexpr std::string_view endpoints_text =
    R"(An endpoint is the address that a socket binds or connects to.

  tcp://192.0.2.1:5555      an IPv4 address
  tcp://[2001:db8::1]:5555  an IPv6 address, in brackets
  ipc:///run/app/socket     a file, as an absolute path or relative to the current directory
  ipc://@name               a name in Linux's abstract namespace
  ws://192.0.2.1:5555/path  WebSocket over TCP
  tls+tcp://host:5555       TLS over TCP: all forms of tcp://
  wss://host:5555/path      WebSocket over TLS: all forms of ws://

Only to bind. The port * lets the system choose one.
  tcp://*:5555              all IPv4 addresses
  tcp://[::]:5555           all IPv6 addresses
  tcp://eth0:5555           the address of the interface

Only to connect:
  tcp://broker.example.org:5555
                            a host name
  tcp://192.0.2.1;host:5555
                            from this local address, or from an interface: tcp://eth0;host:5555
)";

constexpr std::string_view exit_codes_text =
    R"(All subcommands end with these exit codes. --help of a subcommand names those that it uses.

  0                         done
  1                         a failure that has no code of its own, such as an address in use or no
                            connection; effect: zinc request, zinc chp set: the request was not sent
  2                         invalid arguments
  3                         refused: no right, no such service or id, a limit; effect: nothing was
                            executed
  4                         no answer in time: the outcome is unknown; effect: the request may be
                            executed, now or later
  5                         no answer will come: the outcome stays unknown; effect: the request may
                            have been executed

If the requests of zinc request --count or the messages of zinc cat fail with different codes, the
exit code is 1.
)";

constexpr std::array topics{std::pair{"configuration", configuration_text},
                            std::pair{"endpoints", endpoints_text},
                            std::pair{"exit-codes", exit_codes_text}};

}  // namespace

std::vector<std::string> names_of_topics() {
  std::vector<std::string> names;
  for (const auto& [topic, text] : topics) {
    names.emplace_back(topic);
  }
  return names;
}

std::string_view text_of_topic(std::string_view name) noexcept {
  for (const auto& [topic, text] : topics) {
    if (name == topic) {
      return text;
    }
  }
  return {};
}

}  // namespace zinc
