#include "test/fuzz/oracle.h"
#include "zmtp/endpoint.h"

namespace zmtp::fuzz {
namespace {

bool keeps_what_was_written(const endpoint& parsed, std::string_view text) {
  const auto has = [&](const std::string& part) {
    return text.find(part) != std::string_view::npos;
  };
  if (const auto* a = parsed.tcp()) {
    return has(a->host) && (!a->source || has(a->source->host));
  }
  if (const auto* a = parsed.ipc()) {
    return text.ends_with(a->path) && a->path.size() <= ipc_address::max_size;
  }
  if (const auto* a = parsed.ws()) {
    return has(a->host) && (text.ends_with(a->path) || a->path == "/") &&
           a->path.size() <= ws_address::max_path;
  }
  const auto& name = parsed.inproc()->name;
  return text.ends_with(name) && name.size() <= inproc_address::max_size;
}

void try_endpoint(std::string_view text) {
  const auto parsed = endpoint::parse(text);
  if (!parsed) {
    require(parsed.error() == errc::bad_endpoint || parsed.error() == errc::unknown_transport ||
                parsed.error() == errc::address_too_long,
            "a refusal is one of the endpoint's");
    return;
  }
  require(keeps_what_was_written(*parsed, text), "a host, path or name is kept as it was written");
  require(parsed->bindable() || parsed->tcp() != nullptr, "only tcp has a source");
  const auto again = endpoint::parse(parsed->to_string());
  require(again && *again == *parsed, "what is written is read as the same endpoint");
}

}  // namespace
}  // namespace zmtp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  zmtp::fuzz::try_endpoint(zmtp::fuzz::text_of(data, size));
  return 0;
}
