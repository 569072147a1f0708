#pragma once
// Features of this machine, for tests that need them.

#include <string>

namespace zmtp::test {

[[nodiscard]] bool has_ipv6();
// An IPv4 address by which other machines know this one; empty if there is none.
[[nodiscard]] std::string network_address();
// An IPv6 address with its scope, fe80::1%eth0, that only its link knows; empty if there is none.
[[nodiscard]] std::string link_local_address();

}  // namespace zmtp::test
