#include "mdp/titanic/command.h"
#include "mdp/titanic/guide_directory.h"
#include "mdp/titanic/message_bytes.h"
#include "test/fuzz/oracle.h"

#include <algorithm>
#include <cctype>
#include <span>
#include <string>
#include <vector>

namespace zmtp::fuzz {
namespace {

namespace titanic = mdp::titanic;

// Commands of peers to Titanic and of Titanic to peers.
void try_commands(const message& m) {
  if (const auto id = titanic::parse_id(m)) {
    auto text = id->to_string();
    require(text.size() == m.front().size(), "an id is as long as what it was read from");
    for (std::size_t i = 0; i < text.size(); ++i) {
      require(text[i] == std::toupper(static_cast<unsigned char>(m.front()[i])),
              "an id is written as it was read");
    }
  }
  if (const auto service = titanic::parse_request(m)) {
    require(m.size() >= 2 && *service == m.front(), "a request is a service and a body");
  }
  if (const auto given = titanic::parse_submission(m)) {
    require(m.size() >= 3 && given->service == m[1], "a submission is an id and a request");
  }
  static_cast<void>(titanic::parse_accepted(m));
  static_cast<void>(titanic::parse_closed(m));
  if (const auto reply = titanic::parse_reply(message{m})) {
    require(reply->size() + 1 == m.size(), "a reply is all behind its code");
  }
}

void try_file(std::span<const std::byte> bytes) {
  if (const auto m = titanic::message_of(bytes)) {
    std::vector<std::byte> written;
    titanic::append_bytes(*m, written);
    require(std::equal(written.begin(), written.end(), bytes.begin(), bytes.end()),
            "what is read is written as it came");
    try_commands(*m);
  }
  if (const auto m = titanic::guide_message(bytes)) {
    require(!m->empty(), "a message has parts");
    try_commands(*m);
  }
}

}  // namespace
}  // namespace zmtp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  zmtp::fuzz::try_file(std::as_bytes(std::span{data, size}));
  return 0;
}
