#include "tools/zinc/http/routes.h"

#include <gtest/gtest.h>

namespace zinc::http {
namespace {

head get(std::string_view target) {
  return {
      .method = "GET", .target = target, .host = "localhost:9", .origin = {}, .authorization = {}};
}

head from_host(std::string_view host) {
  auto asked = get("/");
  asked.host = host;
  return asked;
}

TEST(routes, each_path_has_its_resource) {
  EXPECT_EQ(route_of(get("/"), true).what, resource::page);
  EXPECT_EQ(route_of(get("/page.css"), true).what, resource::style);
  EXPECT_EQ(route_of(get("/page.js"), true).what, resource::script);
  EXPECT_EQ(route_of(get("/metrics"), true).what, resource::metrics);
  EXPECT_EQ(route_of(get("/status"), true).what, resource::status);
  EXPECT_EQ(route_of(get("/healthz"), true).what, resource::health);
  EXPECT_EQ(route_of(get("/readyz"), true).what, resource::ready);
}

TEST(routes, query_and_absolute_form_do_not_matter) {
  EXPECT_EQ(route_of(get("/metrics?name=x"), true).what, resource::metrics);
  EXPECT_EQ(route_of(get("http://localhost:9/metrics"), true).what, resource::metrics);
  EXPECT_EQ(route_of(get("http://localhost:9"), true).what, resource::page);
}

TEST(routes, other_paths_are_not_found) {
  for (const auto* const target :
       {"", "*", "/metrics/", "//metrics", "/../metrics", "/Metrics", "/%6detrics", "metrics"}) {
    EXPECT_EQ(route_of(get(target), true).status, 404U) << target;
  }
}

TEST(routes, only_get_and_head_are_allowed) {
  auto asked = get("/metrics");
  for (const auto* const method : {"POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "get", ""}) {
    asked.method = method;
    EXPECT_EQ(route_of(asked, true).status, 405U) << method;
  }
  asked.method = "HEAD";
  EXPECT_EQ(route_of(asked, true).status, 200U);
  EXPECT_TRUE(route_of(asked, true).no_body);
}

TEST(routes, a_loopback_server_answers_only_to_names_of_this_machine) {
  for (const auto* const host : {"localhost", "localhost:80", "127.0.0.1", "127.0.0.1:80",
                                 "127.1.2.3", "[::1]", "[::1]:80"}) {
    EXPECT_EQ(route_of(from_host(host), true).status, 200U) << host;
  }
  for (const auto* const host :
       {"example.com", "localhost.example.com", "127.0.0.1.example.com", "10.0.0.1", "[::2]",
        "[::1", "127.example.com", "localhost:x", "[::1]x", "localhost:80/"}) {
    EXPECT_EQ(route_of(from_host(host), true).status, 421U) << host;
    EXPECT_EQ(route_of(from_host(host), false).status, 200U) << host;
  }
}

TEST(routes, a_missing_or_repeated_host_is_a_bad_request) {
  auto asked = get("/");
  asked.valid_host = false;
  EXPECT_EQ(route_of(asked, true).status, 400U);
}

TEST(routes, the_websocket_needs_an_upgrade_of_the_same_origin) {
  auto asked = get("/live");
  EXPECT_EQ(route_of(asked, true).status, 426U);
  asked.upgrade = true;
  EXPECT_EQ(route_of(asked, true).what, resource::live);
  asked.origin = "http://localhost:9";
  EXPECT_EQ(route_of(asked, true).what, resource::live);
  for (const auto* const origin : {"http://example.com", "http://localhost:8", "null", "://"}) {
    asked.origin = origin;
    EXPECT_EQ(route_of(asked, true).status, 403U) << origin;
  }
}

TEST(routes, every_error_names_its_remedy) {
  for (const unsigned status : {400U, 403U, 404U, 405U, 413U, 421U, 426U, 431U, 503U, 505U}) {
    const auto made = error_response(status);
    EXPECT_TRUE(made.body.starts_with(std::to_string(status) + " ")) << status;
    EXPECT_NE(made.body.find("; "), std::string::npos) << status;
    EXPECT_NE(reason_of(status), "OK") << status;
  }
}

TEST(routes, operations_need_the_token_and_the_same_origin) {
  const std::string_view token = "0123456789abcdef";
  auto asked = get("/operator");
  EXPECT_EQ(route_of(asked, true).status, 404U) << "there are no operations";
  EXPECT_EQ(route_of(asked, true, token).status, 401U);
  for (const auto* const wrong :
       {"Bearer 0123456789abcdeX", "Bearer 0123456789abcde", "Bearer 0123456789abcdef0", "Bearer ",
        "Basic 0123456789abcdef", "0123456789abcdef"}) {
    asked.authorization = wrong;
    EXPECT_EQ(route_of(asked, true, token).status, 401U) << wrong;
  }
  asked.authorization = "Bearer 0123456789abcdef";
  EXPECT_EQ(route_of(asked, true, token).what, resource::list);
  asked.method = "POST";
  EXPECT_EQ(route_of(asked, true, token).what, resource::change);
  asked.origin = "http://localhost:9";
  EXPECT_EQ(route_of(asked, true, token).what, resource::change);
  for (const auto* const origin : {"http://example.com", "http://localhost:8", "null"}) {
    asked.origin = origin;
    EXPECT_EQ(route_of(asked, true, token).status, 403U) << origin;
    EXPECT_EQ(route_of(asked, true, token).what, resource::none) << origin;
  }
  asked.origin = {};
  asked.method = "HEAD";
  EXPECT_EQ(route_of(asked, true, token).status, 405U);
  EXPECT_EQ(route_of(asked, true, token).allow, "GET, POST");
}

}  // namespace
}  // namespace zinc::http
