#include "bench/support/endpoint.h"

#include "bench/support/arguments.h"

#include <charconv>
#include <sys/resource.h>

namespace bench {

std::string tcp_endpoint::text() const { return "tcp://" + host + ":" + std::to_string(port); }

tcp_endpoint tcp_endpoint::further(int ports) const {
  return {host, static_cast<std::uint16_t>(port + ports)};
}

tcp_endpoint parse_endpoint(std::string_view text) {
  constexpr std::string_view scheme = "tcp://";
  const auto colon = text.rfind(':');
  tcp_endpoint endpoint;
  if (text.starts_with(scheme) && colon > scheme.size()) {
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data() + colon + 1, end, endpoint.port);
    if (parsed.ec == std::errc{} && parsed.ptr == end && endpoint.port != 0) {
      endpoint.host = text.substr(scheme.size(), colon - scheme.size());
      return endpoint;
    }
  }
  misused("'" + std::string{text} +
          "' is not an endpoint; write tcp://HOST:PORT with a port from 1 on");
}

std::string loopback_address(std::uint64_t peer) {
  // 1 to 250 in the last byte: never a network's own address nor its broadcast.
  return "127." + std::to_string(peer / (250 * 250)) + "." + std::to_string(peer / 250 % 250) +
         "." + std::to_string(peer % 250 + 1);
}

void allow_descriptors(std::uint64_t needed) {
  // The library's own, and what the shell left open.
  constexpr std::uint64_t spare = 64;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    fail_errno("cannot read the limit of open descriptors");
  }
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    fail_errno("cannot raise the limit of open descriptors");
  }
  if (limit.rlim_max < needed + spare) {
    fail("only " + std::to_string(limit.rlim_max) + " open descriptors are allowed, " +
         std::to_string(needed + spare) + " are needed: raise the limit with ulimit -Hn");
  }
}

}  // namespace bench
