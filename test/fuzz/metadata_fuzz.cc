#include "test/fuzz/oracle.h"
#include "zmtp/metadata.h"

#include <string>

namespace zmtp::fuzz {
namespace {

void try_metadata(std::string_view text) {
  const limits limit;
  const auto parsed = metadata::parse(text, limit);
  if (!parsed) {
    const auto fault = parsed.error();
    require(fault == errc::bad_metadata || fault == errc::bad_property_name ||
                fault == errc::duplicate_property || fault == errc::too_many_properties,
            "a refusal is one of the metadata's");
    return;
  }
  require(parsed->properties().size() <= limit.metadata_properties, "the limit holds");
  for (const auto& property : parsed->properties()) {
    require(parsed->find(property.first) == &property.second, "each property is found by its name");
  }
  std::string written;
  parsed->encode(written);
  require(written == text, "what is read is written as it came");
}

}  // namespace
}  // namespace zmtp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  zmtp::fuzz::try_metadata(zmtp::fuzz::text_of(data, size));
  return 0;
}
