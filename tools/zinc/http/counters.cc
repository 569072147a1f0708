#include "tools/zinc/http/counters.h"

#include <array>
#include <span>

namespace zinc::http {

zmtp::figure_record figures_of(const counters& of) {
  using enum zmtp::figure::kind;
  using figure = zmtp::figure_of<counters>;
  using value = zmtp::figure_value;
  static constexpr std::array table{
      figure{{"open_connections", gauge, "open connections of HTTP"},
             [](const counters& s) { return value{std::uint64_t{s.open}}; }},
      figure{{"open_pages", gauge, "open pages that receive the status"},
             [](const counters& s) { return value{std::uint64_t{s.pages}}; }},
      figure{{"connections", counter, "accepted connections of HTTP"},
             [](const counters& s) { return value{s.connections}; }},
      figure{{"responses", counter, "responses of any status"},
             [](const counters& s) { return value{s.responses}; }},
      figure{{"bad_requests", counter, "requests that could not be read"},
             [](const counters& s) { return value{s.bad_requests}; }},
      figure{{"evicted", counter, "waiting connections closed at the limit"},
             [](const counters& s) { return value{s.evicted}; }},
      figure{{"refused", counter, "new connections closed at the limit"},
             [](const counters& s) { return value{s.refused}; }},
      figure{{"slow_readers", counter, "connections closed because they did not read"},
             [](const counters& s) { return value{s.slow_readers}; }},
  };
  return {.group = "http",
          .labels = {},
          .samples = zmtp::samples_of(std::span<const figure>{table}, of)};
}

}  // namespace zinc::http
