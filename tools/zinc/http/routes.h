#pragma once
// The resource or the error that a request of HTTP gets. Pure.

#include <cstdint>
#include <string>
#include <string_view>

namespace zinc::http {

enum class resource : std::uint8_t {
  none,     // the status is an error
  page,     // the page and its two files
  style,    //
  script,   //
  live,     // the WebSocket of the page
  metrics,  //
  status,   //
  health,   // the process runs
  ready,    // the component serves
  list,     // the things that an operator can change
  change,   // changes one of them
};

// The part of a request that the decision needs.
struct head {
  std::string_view method;
  std::string_view target;
  std::string_view host;           // the Host field; empty: absent
  bool valid_host = true;          // exactly one Host field, or HTTP/1.0 without one
  std::string_view origin;         // the Origin field; empty: absent
  std::string_view authorization;  // the Authorization field; empty: absent
  bool upgrade = false;            // asks for a WebSocket
};

struct route {
  unsigned status = 200;
  resource what = resource::none;
  bool no_body = false;                  // HEAD
  std::string_view allow = "GET, HEAD";  // the methods, for 405
};

// If `loopback`, the Host field must name this machine. A page of a foreign host can direct its
// name to 127.0.0.1, and its requests then have that name. `token` is that of the operator; if it is
// empty, there are no operations.
[[nodiscard]] route route_of(const head& of, bool loopback, std::string_view token = {}) noexcept;

struct text_response {
  std::string content_type;
  std::string body;
};

// Returns the body of an error: the status, its reason and the remedy.
[[nodiscard]] text_response error_response(unsigned status);
[[nodiscard]] std::string_view reason_of(unsigned status) noexcept;

}  // namespace zinc::http
