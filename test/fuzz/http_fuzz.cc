#include "test/fuzz/oracle.h"
#include "tools/zinc/http/address.h"
#include "tools/zinc/http/metrics_text.h"
#include "tools/zinc/http/routes.h"

#include <algorithm>
#include <array>
#include <string>

namespace zinc::http {
namespace {

using zmtp::fuzz::require;

void try_address(std::string_view text) {
  try {
    const auto read = parse_address(text);
    const auto again = parse_address(text_of(read));
    require(again.host == read.host && again.port == read.port && again.loopback == read.loopback,
            "the text of an address is read as the same address");
  } catch (const address_error& e) {
    require(
        std::string_view{e.what()}.find(text.substr(0, text.find('\0'))) != std::string_view::npos,
        "an error has the text");
  }
}

// The first lines are the method, the target, the Host and the Origin. The rest asks for a WebSocket, and is the
// Authorization.
void try_route(std::string_view text) {
  std::array<std::string_view, 4> lines;
  for (auto& line : lines) {
    const auto end = std::min(text.find('\n'), text.size());
    line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  const head asked{.method = lines[0],
                   .target = lines[1],
                   .host = lines[2],
                   .origin = lines[3],
                   .authorization = text,
                   .upgrade = !text.empty()};
  constexpr std::string_view token = "token of the operator";
  const auto found = route_of(asked, true, token);
  const bool is_operation = found.what == resource::list || found.what == resource::change;
  require(!is_operation || asked.authorization == "Bearer " + std::string{token},
          "only an operator may list and change");
  require((found.status == 200) == (found.what != resource::none), "a resource or an error");
  require(found.status == 200 || !error_response(found.status).body.empty(), "an error has a text");
  if (found.what != resource::none) {
    require(asked.method == "GET" || asked.method == "HEAD" || found.what == resource::change,
            "only an operator may change");
    require(asked.host.find_first_of("/@ ") == std::string_view::npos,
            "the host is one of this machine");
    require(
        found.what != resource::live || asked.origin.empty() || asked.origin.ends_with(asked.host),
        "a page of another host cannot open a WebSocket");
  }
}

// No name can add a line or end its quotation marks.
void try_label(std::string_view text) {
  static constexpr zmtp::figure what{"requests", zmtp::figure::kind::counter, "requests"};
  const report of{.component = "broker",
                  .not_ready = {},
                  .records = {{.group = "service",
                               .labels = {{"service", std::string{text}}},
                               .samples = {{&what, std::uint64_t{1}}}}}};
  const auto all = metrics_text(of, "1");
  constexpr std::string_view start = "zinc_service_requests_total{service=\"";
  const auto at = all.rfind(start);
  require(at != std::string::npos && std::count(all.begin(), all.end(), '\n') == 9,
          "the format has its lines");
  std::string read;
  auto next = at + start.size();
  for (; all[next] != '"'; ++next) {
    if (all[next] == '\\') {
      ++next;
      read += all[next] == 'n' ? '\n' : all[next];
    } else {
      read += all[next];
    }
  }
  require(read == text && std::string_view{all}.substr(next) == "\"} 1\n",
          "the label is read as it was written");
}

}  // namespace
}  // namespace zinc::http

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = zmtp::fuzz::text_of(data, size);
  zinc::http::try_address(text);
  zinc::http::try_route(text);
  zinc::http::try_label(text);
  return 0;
}
