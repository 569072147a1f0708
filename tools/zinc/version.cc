#include "tools/zinc/version.h"

#include "tools/zinc/commit.h"

namespace zinc {

std::string version_text() {
  std::string text = std::string{"zinc "} + version;
  if (*commit != '\0') {
    text += std::string{" ("} + commit + ')';
  }
  return text +
         "\nZMTP 3.1 and 3.0, NULL, PLAIN, CURVE, ZAP 1.0, ZWS 2.0, TLS 1.3 and 1.2"
         "\nMDP 0.1 and 0.2, MMI, TSP, PPP, FLP, Binary Star, CHP";
}

}  // namespace zinc
