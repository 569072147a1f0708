#pragma once
// Requests and responses as messages of Beast.

#include "tools/zinc/http/routes.h"

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/system/error_code.hpp>

namespace zinc::http {

using request = boost::beast::http::request<boost::beast::http::string_body>;
using response = boost::beast::http::response<boost::beast::http::string_body>;

// Returns the status that answers a request that cannot be read. 0: the connection is closed.
[[nodiscard]] unsigned status_of(boost::system::error_code ec);

// The result refers to `from`.
[[nodiscard]] head head_of(const request& from);

// Returns a response with the fields that protect a browser.
[[nodiscard]] response made(unsigned status, text_response content);

}  // namespace zinc::http
