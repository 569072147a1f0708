#include "test/fuzz/oracle.h"
#include "zmtp/transport/websocket_upgrade.h"

#include <algorithm>
#include <string>

namespace zmtp::fuzz {
namespace {

using namespace transport;
using websocket::side;

// Returns the size of the head. It is found with its last byte, and no later byte changes it.
std::size_t head_size(std::string_view bytes, side own) {
  const auto found = upgrade_size(bytes, own);
  if (!found) {
    require(found.error() == errc::bad_upgrade, "a fault is one of the upgrade's");
    return 0;
  }
  require(*found <= std::min(bytes.size(), max_upgrade_size), "a head has a limit");
  if (*found != 0) {
    const auto shorter = upgrade_size(bytes.substr(0, *found - 1), own);
    require(shorter && *shorter == 0, "a head ends with its last byte");
  }
  return *found;
}

void try_request(std::string_view bytes) {
  const auto size = head_size(bytes, side::server);
  if (size == 0) {
    return;
  }
  const upgrade_terms own{.at = {"host", 80, "/"}, .mechanism = "NULL", .origins = {"http://a"}};
  const auto answer = answer_upgrade(bytes.substr(0, size), own);
  const auto answered = head_size(answer.response, side::client);
  require(answered != 0, "each request has an answer");
  require(answer.response.starts_with("HTTP/1.1 101 ") != answer.fault.failed(),
          "only a good request is accepted");
  require(answer.fault || answered == answer.response.size(), "frames follow an accepted request");
}

void try_response(std::string_view bytes) {
  const auto size = head_size(bytes, side::client);
  if (size != 0) {
    const upgrade_client client{{}};
    const auto end = client.on_response(bytes.substr(0, size), {.mechanism = "NULL"});
    require(end || end.error() == errc::bad_upgrade || end.error() == errc::upgrade_refused,
            "a fault is one of the client's");
  }
}

}  // namespace
}  // namespace zmtp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = zmtp::fuzz::text_of(data, size);
  zmtp::fuzz::try_request(bytes);
  zmtp::fuzz::try_response(bytes);
  return 0;
}
