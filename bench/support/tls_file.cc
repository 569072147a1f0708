#include "bench/support/tls_file.h"

#include "bench/support/arguments.h"

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace bench {

namespace {

// The certificate is its own authority. It is valid from 2020 to 2120.
constexpr std::string_view pem = R"(-----BEGIN CERTIFICATE-----
MIIBUzCB+6ADAgECAgEBMAoGCCqGSM49BAMCMBAxDjAMBgNVBAMMBWJlbmNoMCAX
DTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAQMQ4wDAYDVQQDDAViZW5j
aDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABBcAGB2mdzUVleGDLRR5vDWo0E+4
KG/ZNrZbyTukxJD/WFP4mpu7kdJ7R/PwOZmCxBqvlmLcwbDS/rsWK+SVROGjRDBC
MA8GA1UdEwEB/wQFMAMBAf8wEAYDVR0RBAkwB4IFYmVuY2gwHQYDVR0OBBYEFPBp
lyBJLEEy4cbpAi4aR7Wa8MuaMAoGCCqGSM49BAMCA0cAMEQCIEHypKBb0T+WHBR8
iXsNhTtDEKNm3ZwfacGxYSsyRSJLAiAnT5Y69eTGHltd4S3Lx75v6XlXI2Wnp/eM
maJuKeR5nA==
-----END CERTIFICATE-----
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgBWCj4/rujre79Mfr
EojYcoHGLlCWdcEyhLTsyms9mpihRANCAAQXABgdpnc1FZXhgy0Uebw1qNBPuChv
2Ta2W8k7pMSQ/1hT+Jqbu5HSe0fz8DmZgsQar5Zi3MGw0v67FivklUTh
-----END PRIVATE KEY-----
)";

struct file {
  file() {
    const int descriptor = ::mkstemp(path.data());
    if (descriptor < 0 || ::write(descriptor, pem.data(), pem.size()) != std::ssize(pem)) {
      fail("cannot write " + path);
    }
    ::close(descriptor);
  }
  file(const file&) = delete;
  file& operator=(const file&) = delete;
  ~file() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }

  std::string path = "/tmp/zinc-bench-tls-XXXXXX";
};

}  // namespace

const std::string& tls_file() {
  static const file one;
  return one.path;
}

}  // namespace bench
