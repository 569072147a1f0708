#include "tools/zinc/proxy_figures.h"

#include <array>
#include <cstdint>

namespace zinc {

namespace {

using enum zmtp::figure::kind;
using unit = zmtp::figure::unit;
using value = zmtp::figure_value;
using proxy = zmtp::proxy_statistics;
using cache = zmtp::last_value_cache_status;

template <auto Side, auto Member>
constexpr zmtp::figure_of<proxy> traffic(std::string_view key, std::string_view help,
                                         unit in = unit::none) {
  return {{key, counter, help, in}, [](const proxy& s) { return value{s.*Side.*Member}; }};
}
template <auto Member>
constexpr zmtp::figure_of<cache> of_cache(std::string_view key, zmtp::figure::kind is,
                                          std::string_view help, unit in = unit::none) {
  return {{key, is, help, in}, [](const cache& s) { return value{std::uint64_t{s.*Member}}; }};
}

using side = zmtp::proxy_traffic;
constexpr auto front = &proxy::frontend;
constexpr auto back = &proxy::backend;
constexpr std::array proxy_table{
    traffic<front, &side::messages_received>("frontend_received",
                                             "messages received at the frontend"),
    traffic<front, &side::bytes_received>("frontend_received_bytes",
                                          "bytes received at the frontend", unit::bytes),
    traffic<front, &side::messages_sent>("frontend_sent", "messages sent at the frontend"),
    traffic<front, &side::bytes_sent>("frontend_sent_bytes", "bytes sent at the frontend",
                                      unit::bytes),
    traffic<back, &side::messages_received>("backend_received", "messages received at the backend"),
    traffic<back, &side::bytes_received>("backend_received_bytes", "bytes received at the backend",
                                         unit::bytes),
    traffic<back, &side::messages_sent>("backend_sent", "messages sent at the backend"),
    traffic<back, &side::bytes_sent>("backend_sent_bytes", "bytes sent at the backend",
                                     unit::bytes),
    zmtp::figure_of<proxy>{{"dropped", counter, "messages that could not be delivered"},
                           [](const proxy& s) { return value{s.dropped}; }},
};

constexpr std::array cache_table{
    of_cache<&cache::forwarded>("forwarded", counter, "messages sent to subscribers"),
    of_cache<&cache::subscriptions>("subscriptions", counter, "subscriptions of subscribers"),
    of_cache<&cache::topics>("topics", gauge, "topics with a stored message"),
    of_cache<&cache::bytes>("bytes", gauge, "memory of the stored messages", unit::bytes),
};

}  // namespace

std::span<const zmtp::figure_of<zmtp::proxy_statistics>> proxy_figures() noexcept {
  return proxy_table;
}
std::span<const zmtp::figure_of<zmtp::last_value_cache_status>> cache_figures() noexcept {
  return cache_table;
}

}  // namespace zinc
