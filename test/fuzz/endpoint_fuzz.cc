#include "test/fuzz/oracle.h"
#include "zmtp/endpoint.h"

namespace zmtp::fuzz {
namespace {

void try_endpoint(std::string_view text) {
  const auto parsed = endpoint::parse(text);
  if (!parsed) {
    require(parsed.error() == errc::bad_endpoint || parsed.error() == errc::unknown_transport,
            "a refusal is one of the endpoint's");
    return;
  }
  require(text.find(parsed->host) != std::string_view::npos, "a host is kept as it was written");
  const auto again = endpoint::parse(parsed->to_string());
  require(again && *again == *parsed, "what is written is read as the same endpoint");
}

}  // namespace
}  // namespace zmtp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  zmtp::fuzz::try_endpoint(zmtp::fuzz::text_of(data, size));
  return 0;
}
