#include "tools/zinc/http/routes.h"

#include <fmt/core.h>

#include <array>
#include <cstddef>

namespace zinc::http {

namespace {

struct path_of_resource {
  std::string_view path;
  resource what;
};

constexpr std::array paths{
    path_of_resource{"/", resource::page},           path_of_resource{"/page.css", resource::style},
    path_of_resource{"/page.js", resource::script},  path_of_resource{"/live", resource::live},
    path_of_resource{"/metrics", resource::metrics}, path_of_resource{"/status", resource::status},
    path_of_resource{"/healthz", resource::health},  path_of_resource{"/readyz", resource::ready},
};

struct error_text {
  unsigned status;
  std::string_view reason;
  std::string_view remedy;
};

constexpr std::array errors{
    error_text{400, "Bad Request", "send HTTP/1.1 with a Host field"},
    error_text{401, "Unauthorized",
               "send the field Authorization: Bearer with the token of --http-operator-file"},
    error_text{403, "Forbidden", "open the page at the address of this server"},
    error_text{404, "Not Found", "try /, /metrics, /status, /healthz or /readyz"},
    error_text{405, "Method Not Allowed", "use a method of the Allow field"},
    error_text{408, "Request Timeout", "send the whole request at once"},
    error_text{413, "Content Too Large", "send a request without a body"},
    error_text{421, "Misdirected Request",
               "use localhost or the IP address as host, or bind --http to another address"},
    error_text{426, "Upgrade Required", "open a WebSocket"},
    error_text{431, "Request Header Fields Too Large", "send a shorter header"},
    error_text{500, "Internal Server Error", "read the log of the component"},
    error_text{503, "Service Unavailable", "close other pages"},
    error_text{505, "HTTP Version Not Supported", "use HTTP/1.1"},
};

// Removes the scheme and host of an absolute target, and the query.
std::string_view path_of(std::string_view target) noexcept {
  constexpr std::string_view scheme = "http://";
  if (target.starts_with(scheme)) {
    target.remove_prefix(scheme.size());
    const auto slash = target.find('/');
    target = slash == std::string_view::npos ? "/" : target.substr(slash);
  }
  return target.substr(0, target.find('?'));
}

bool only_has(std::string_view text, std::string_view characters) noexcept {
  return text.find_first_not_of(characters) == std::string_view::npos;
}

// A name that starts with `127.` may belong to another host, so the rest must be a number too.
bool names_this_machine(std::string_view host) noexcept {
  const auto colon = host.find(':', host.starts_with('[') ? host.find(']') : 0);
  const auto name = host.substr(0, colon);
  const auto port = colon == std::string_view::npos ? "" : host.substr(colon + 1);
  return only_has(port, "0123456789") &&
         (name == "localhost" || name == "[::1]" ||
          (name.starts_with("127.") && only_has(name, "0123456789.")));
}

// A browser sends the origin of the page that opens a WebSocket. Other programs may omit it.
bool same_origin(std::string_view origin, std::string_view host) noexcept {
  const auto scheme = origin.find("://");
  return origin.empty() || (scheme != std::string_view::npos && origin.substr(scheme + 3) == host);
}

// Takes the same time for each wrong token of the same length.
bool is_token(std::string_view authorization, std::string_view token) noexcept {
  constexpr std::string_view scheme = "Bearer ";
  if (!authorization.starts_with(scheme)) {
    return false;
  }
  const auto given = authorization.substr(scheme.size());
  unsigned differences = given.size() == token.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size() && i < token.size(); ++i) {
    differences |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(token[i]);
  }
  return differences == 0;
}

// A browser adds no Authorization field to the request of a foreign page, and lets that page add
// none without the consent of this server, which it never gives.
route operation_of(const head& of, std::string_view token) noexcept {
  if (of.method != "GET" && of.method != "POST") {
    return {.status = 405, .no_body = of.method == "HEAD", .allow = "GET, POST"};
  }
  if (!same_origin(of.origin, of.host)) {
    return {.status = 403};
  }
  if (!is_token(of.authorization, token)) {
    return {.status = 401};
  }
  return {.what = of.method == "GET" ? resource::list : resource::change};
}

}  // namespace

route route_of(const head& of, bool loopback, std::string_view token) noexcept {
  if (!of.valid_host) {
    return {.status = 400};
  }
  if (loopback && !of.host.empty() && !names_this_machine(of.host)) {
    return {.status = 421};
  }
  const auto path = path_of(of.target);
  if (path == "/operator" && !token.empty()) {
    return operation_of(of, token);
  }
  for (const auto& each : paths) {
    if (each.path != path) {
      continue;
    }
    if (of.method != "GET" && of.method != "HEAD") {
      return {.status = 405};
    }
    if (each.what == resource::live && !(of.upgrade && of.method == "GET")) {
      return {.status = 426, .no_body = of.method == "HEAD"};
    }
    if (each.what == resource::live && !same_origin(of.origin, of.host)) {
      return {.status = 403};
    }
    return {.what = each.what, .no_body = of.method == "HEAD"};
  }
  return {.status = 404, .no_body = of.method == "HEAD"};
}

std::string_view reason_of(unsigned status) noexcept {
  for (const auto& each : errors) {
    if (each.status == status) {
      return each.reason;
    }
  }
  return "OK";
}

text_response error_response(unsigned status) {
  text_response made{.content_type = "text/plain; charset=utf-8", .body = {}};
  for (const auto& each : errors) {
    if (each.status == status) {
      made.body = fmt::format("{} {}; {}\n", status, each.reason, each.remedy);
    }
  }
  return made;
}

}  // namespace zinc::http
