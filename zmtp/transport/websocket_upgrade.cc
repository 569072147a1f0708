#include "zmtp/transport/websocket_upgrade.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/beast/core/detail/base64.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <boost/beast/websocket/detail/hybi13.hpp>
#include <boost/beast/websocket/rfc6455.hpp>

#include <algorithm>
#include <optional>

namespace zmtp::transport {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using websocket::side;

constexpr std::string_view without_mechanism = "ZWS2.0";
constexpr std::string_view null_mechanism = "NULL";
constexpr std::size_t key_size = 24;  // 16 bytes in Base64

std::string_view view(beast::string_view of) noexcept { return {of.data(), of.size()}; }
beast::string_view for_beast(std::string_view of) noexcept { return {of.data(), of.size()}; }

std::string with_mechanism(const upgrade_terms& own) { return "ZWS2.0/" + own.mechanism; }

std::optional<sub_protocol> supported(std::string_view name, const upgrade_terms& own) {
  if (name == with_mechanism(own)) {
    return sub_protocol::with_mechanism;
  }
  if (name == without_mechanism && own.mechanism == null_mechanism) {
    return sub_protocol::without_mechanism;
  }
  return std::nullopt;
}

// Returns the response that proves to a client that the server has understood its request.
std::string accept_of(std::string_view key) {
  beast::websocket::detail::sec_ws_accept_type accept;
  beast::websocket::detail::make_sec_ws_accept(accept, for_beast(key));
  return std::string{view({accept.data(), accept.size()})};
}

template <bool is_request>
using parser = http::parser<is_request, http::empty_body>;

// Reads the whole head of a message.
template <bool is_request>
bool parse(parser<is_request>& to, std::string_view bytes) {
  error_code ec;
  to.header_limit(max_upgrade_size);
  to.put(asio::buffer(bytes.data(), bytes.size()), ec);
  return to.is_header_done();
}

std::string_view trimmed(std::string_view text) noexcept {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

// Beast's list has no `/` in its items, but the sub-protocols of ZWS do.
template <class Fields>
std::optional<sub_protocol> best_supported(const Fields& fields, const upgrade_terms& own) {
  std::optional<sub_protocol> best;
  const auto [first, last] = fields.equal_range(http::field::sec_websocket_protocol);
  for (auto each = first; each != last; ++each) {
    auto rest = view(each->value());
    while (!rest.empty()) {
      const auto comma = std::min(rest.find(','), rest.size());
      if (const auto found = supported(trimmed(rest.substr(0, comma)), own)) {
        best = std::min(*found, best.value_or(*found));
      }
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return best;
}

bool is_loopback(std::string_view host) {
  error_code ec;
  const auto address = asio::ip::make_address(std::string{host}, ec);
  return !ec && address.is_loopback();
}

// `authority` is host:port, with brackets around an IPv6 address.
bool names_this_machine(std::string_view authority) {
  const bool bracketed = authority.starts_with('[');
  const auto host = bracketed ? authority.substr(1, authority.find(']') - 1)
                              : authority.substr(0, authority.find(':'));
  return beast::iequals(for_beast(host), "localhost") || is_loopback(host);
}

// A browser sends the origin of its page. Other programs send none, or that of the server. The name
// of another host may resolve to a loopback address, so that its page seems to be of the server. An
// attacker on the way can alter a page without TLS. In front of ws://, a proxy may add TLS.
bool may_connect(std::string_view origin, std::string_view host, const upgrade_terms& to) {
  const auto scheme = origin.find("://");
  const bool own = scheme != std::string_view::npos &&
                   (!to.at.tls || beast::iequals(for_beast(origin.substr(0, scheme)), "https")) &&
                   beast::iequals(for_beast(origin.substr(scheme + 3)), for_beast(host)) &&
                   (!is_loopback(to.at.host) || names_this_machine(host));
  return origin.empty() || own || std::ranges::any_of(to.origins, [&](const std::string& each) {
           return each == "*" || beast::iequals(for_beast(each), for_beast(origin));
         });
}

upgrade_answer refusal(std::string_view status, std::string_view field, std::string_view text,
                       errc fault) {
  upgrade_answer answer{.fault = fault};
  answer.response.append("HTTP/1.1 ").append(status).append("\r\n").append(field);
  answer.response.append("Connection: close\r\nContent-Type: text/plain\r\nContent-Length: ");
  answer.response.append(std::to_string(text.size())).append("\r\n\r\n").append(text);
  return answer;
}

upgrade_answer for_others(upgrade_answer refused) {
  refused.for_others = true;
  return refused;
}

}  // namespace

result<std::size_t> upgrade_size(std::string_view bytes, side own) {
  constexpr std::string_view end = "\r\n\r\n";
  const std::string_view start = own == side::server ? "GET " : "HTTP/1.1 ";
  const auto seen = std::min(bytes.size(), start.size());
  if (bytes.substr(0, seen) != start.substr(0, seen)) {
    return errc::bad_upgrade;
  }
  const auto at = bytes.substr(0, max_upgrade_size).find(end);
  if (at == std::string_view::npos) {
    return bytes.size() < max_upgrade_size ? result<std::size_t>{0} : errc::bad_upgrade;
  }
  return at + end.size();
}

upgrade_answer answer_upgrade(std::string_view request, const upgrade_terms& own) {
  parser<true> parsed;
  if (!parse(parsed, request)) {
    return for_others(refusal("400 Bad Request", {}, "not HTTP\n", errc::bad_upgrade));
  }
  const auto& fields = parsed.get();
  const auto target = view(fields.target());
  const auto key = view(fields[http::field::sec_websocket_key]);
  if (target.substr(0, target.find('?')) != own.at.path) {
    return for_others(refusal("404 Not Found", {}, "no socket has this path\n", errc::bad_upgrade));
  }
  const auto other_version =
      refusal("426 Upgrade Required", "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n",
              "this is a WebSocket with ZWS2.0\n", errc::bad_upgrade);
  if (!beast::websocket::is_upgrade(fields)) {
    return for_others(other_version);
  }
  if (view(fields[http::field::sec_websocket_version]) != "13") {
    return other_version;
  }
  if (key.size() != key_size || fields.count(http::field::host) != 1) {
    return refusal("400 Bad Request", {}, "no valid Host and Sec-WebSocket-Key\n",
                   errc::bad_upgrade);
  }
  if (!may_connect(view(fields[http::field::origin]), view(fields[http::field::host]), own)) {
    return refusal("403 Forbidden", {}, "pages of this origin may not connect\n",
                   errc::foreign_origin);
  }
  const auto chosen = best_supported(fields, own);
  if (!chosen) {
    return refusal("400 Bad Request", {}, "needs the sub-protocol " + with_mechanism(own) + "\n",
                   errc::mechanism_mismatch);
  }
  upgrade_answer answer{.chosen = *chosen};
  answer.response.append(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n");
  answer.response.append("Sec-WebSocket-Accept: ").append(accept_of(key)).append("\r\n");
  answer.response.append("Sec-WebSocket-Protocol: ")
      .append(*chosen == sub_protocol::with_mechanism ? with_mechanism(own) : without_mechanism)
      .append("\r\n\r\n");
  return answer;
}

upgrade_client::upgrade_client(const nonce& random) : key_(key_size, '\0') {
  beast::detail::base64::encode(key_.data(), random.data(), random.size());
}

std::string upgrade_client::request(const upgrade_terms& own) const {
  std::string all;
  all.append("GET ").append(own.at.path).append(" HTTP/1.1\r\nHost: ").append(own.at.authority());
  all.append("\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ").append(key_);
  all.append("\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: ");
  // jszmq accepts the first offer, whatever it is, and means the one without a mechanism.
  if (own.mechanism == null_mechanism) {
    all.append(without_mechanism).append(",");
  }
  all.append(with_mechanism(own));
  return all.append("\r\n\r\n");
}

result<sub_protocol> upgrade_client::on_response(std::string_view response,
                                                 const upgrade_terms& own) const {
  parser<false> parsed;
  // Beast would wait for the body of a response without a size.
  parsed.skip(true);
  if (!parse(parsed, response)) {
    return errc::bad_upgrade;
  }
  const auto& fields = parsed.get();
  if (fields.result() != http::status::switching_protocols) {
    return errc::upgrade_refused;
  }
  const auto chosen = best_supported(fields, own);
  const bool upgrades = http::token_list{fields[http::field::upgrade]}.exists("websocket") &&
                        http::token_list{fields[http::field::connection]}.exists("upgrade");
  if (!upgrades || !chosen || fields.count(http::field::sec_websocket_extensions) != 0 ||
      view(fields[http::field::sec_websocket_accept]) != accept_of(key_)) {
    return errc::bad_upgrade;
  }
  return *chosen;
}

}  // namespace zmtp::transport
