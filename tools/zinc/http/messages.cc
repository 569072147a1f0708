#include "tools/zinc/http/messages.h"

#include <boost/beast/core/error.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/websocket/rfc6455.hpp>

#include <string_view>
#include <utility>

namespace zinc::http {

namespace beast = boost::beast;
namespace web = boost::beast::http;
using boost::system::error_code;

namespace {

std::string_view view(beast::string_view of) { return {of.data(), of.size()}; }

void set_safety(response& of) {
  of.set(web::field::cache_control, "no-store");
  of.set("X-Content-Type-Options", "nosniff");
  of.set("Referrer-Policy", "no-referrer");
  // plain: off
  of.set("Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
         "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  // plain: on
}

}  // namespace

unsigned status_of(error_code ec) {
  if (ec == beast::error::timeout) {
    return 408;
  }
  if (ec == web::error::header_limit || ec == web::error::buffer_overflow) {
    return 431;
  }
  if (ec == web::error::body_limit) {
    return 413;
  }
  if (ec == web::error::bad_version) {
    return 505;
  }
  const bool malformed = ec.category() == web::make_error_code(web::error::bad_method).category();
  return malformed && ec != web::error::end_of_stream && ec != web::error::partial_message ? 400
                                                                                           : 0;
}

head head_of(const request& from) {
  const auto hosts = from.count(web::field::host);
  return {.method = view(from.method_string()),
          .target = view(from.target()),
          .host = view(from[web::field::host]),
          .valid_host = hosts == 1 || (hosts == 0 && from.version() < 11),
          .origin = view(from[web::field::origin]),
          .authorization = view(from[web::field::authorization]),
          .upgrade = beast::websocket::is_upgrade(from)};
}

response made(unsigned status, text_response content) {
  response all{static_cast<web::status>(status), 11};
  all.reason(beast::string_view{reason_of(status).data(), reason_of(status).size()});
  all.set(web::field::content_type, content.content_type);
  all.body() = std::move(content.body);
  set_safety(all);
  if (status == 401) {
    all.set(web::field::www_authenticate, "Bearer");
  }
  if (status == 426) {
    all.set(web::field::upgrade, "websocket");
  }
  return all;
}

}  // namespace zinc::http
