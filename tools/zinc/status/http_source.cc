#include "tools/zinc/status/http_source.h"

#include "tools/zinc/http/connection.h"
#include "tools/zinc/status/fault.h"
#include "tools/zinc/status/name_lookup.h"
#include "tools/zinc/status/views.h"
#include "tools/zinc/terminal_text.h"
#include "tools/zinc/units.h"
#include "tools/zinc/version.h"
#include "zmtp/endpoint.h"

#include <boost/asio/error.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/json/parse.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

namespace zinc::status {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace web = boost::beast::http;
using boost::system::error_code;

namespace {

constexpr std::size_t most_bytes = 16 * 1024 * 1024;

struct place {
  std::string host;
  std::string port;
};

place place_of(const std::string& address) {
  constexpr std::string_view scheme = "http://";
  auto text = "tcp://" + address.substr(scheme.size());
  if (text.ends_with('/')) {
    text.pop_back();
  }
  const auto with_port = zmtp::endpoint::parse(text);
  const auto at = with_port ? with_port : zmtp::endpoint::parse(text + ":80");
  if (!at || !at->connectable() || at->tcp()->source) {
    throw fault{exit_code::misused, fmt::format("'{}' is not an address; give http://HOST:PORT",
                                                for_terminal(address))};
  }
  return {.host = at->tcp()->host, .port = std::to_string(at->tcp()->port)};
}

// The first line of the answer says why.
fault fault_of(const std::string& address, const web::response<web::string_body>& answer) {
  constexpr std::size_t most_of_a_line = 200;
  const auto& body = answer.body();
  const auto line = body.substr(0, std::min(body.find_first_of("\r\n"), most_of_a_line));
  const auto text = fmt::format("{} answers {}: {}", address, answer.result_int(), line);
  switch (answer.result()) {
    case web::status::unauthorized:
    case web::status::forbidden:
    case web::status::misdirected_request:
    case web::status::service_unavailable: return {exit_code::was_refused, text};
    default: return {exit_code::failed, text};
  }
}

class http_source : public source {
public:
  http_source(const asio::any_io_executor& executor, std::string address,
              std::chrono::milliseconds timeout)
      : address_{std::move(address)},
        place_{place_of(address_)},
        timeout_{timeout},
        lookup_{executor},
        stream_{executor} {}

  asio::awaitable<answer> read(wanted groups) override {
    const auto response = co_await fetch();
    if (response.result() != web::status::ok) {
      throw fault_of(address_, response);
    }
    error_code ec;
    auto value = boost::json::parse(response.body(), ec);
    if (ec) {
      throw fault{
          exit_code::failed,
          fmt::format("{} does not answer as zinc with --http; check the address", address_)};
    }
    const std::span<const std::string_view> none;
    auto remark = cut_text(groups_of(value), groups.workers   ? worker_groups
                                             : groups.clients ? client_groups
                                                              : none);
    co_return answer{.status = std::move(value), .remark = std::move(remark)};
  }

  void stop() override {
    stopped_ = true;
    lookup_.stop();
    stream_.cancel();
  }

private:
  asio::awaitable<web::response<web::string_body>> fetch() {
    const auto deadline = std::chrono::steady_clock::now() + timeout_;
    const auto [unresolved, found] = co_await lookup_.find(place_.host, place_.port, deadline);
    check(unresolved);
    stream_.expires_at(deadline);
    const auto [unconnected, at] = co_await stream_.async_connect(found, http::token);
    check(unconnected);
    web::request<web::empty_body> asked{web::verb::get, "/status", 11};
    asked.set(web::field::host, place_.host.find(':') == std::string::npos
                                    ? place_.host + ':' + place_.port
                                    : '[' + place_.host + "]:" + place_.port);
    asked.set(web::field::user_agent, std::string{"zinc "} + version);
    asked.set(web::field::connection, "close");
    const auto [unsent, sent] = co_await web::async_write(stream_, asked, http::token);
    check(unsent);
    web::response_parser<web::string_body> parser;
    parser.body_limit(most_bytes);
    beast::flat_buffer buffer;
    const auto [unread, size] = co_await web::async_read(stream_, buffer, parser, http::token);
    check(unread);
    stream_.socket().close();
    co_return parser.release();
  }

  void check(error_code ec) {
    // After stop(), nothing cancels a next step.
    if (!ec && !stopped_) {
      return;
    }
    error_code ignored;
    stream_.socket().close(ignored);
    if (ec == web::error::body_limit) {
      throw fault{exit_code::failed, fmt::format("the answer of {} is larger than {}", address_,
                                                 text_of_size(most_bytes))};
    }
    if (stopped_ || ec == beast::error::timeout || ec == asio::error::timed_out ||
        ec == asio::error::operation_aborted) {
      throw fault{exit_code::no_answer,
                  fmt::format("no answer from {} within {}", address_, zinc::text_of(timeout_))};
    }
    throw fault{exit_code::failed,
                fmt::format("cannot read {}: {}; check the address, and --http of the server",
                            address_, ec.message())};
  }

  const std::string address_;
  const place place_;
  const std::chrono::milliseconds timeout_;
  name_lookup lookup_;
  http::tcp_stream stream_;
  bool stopped_ = false;
};

}  // namespace

std::unique_ptr<source> open_http(const asio::any_io_executor& executor, const std::string& address,
                                  std::chrono::milliseconds timeout) {
  return std::make_unique<http_source>(executor, address, timeout);
}

}  // namespace zinc::status
