#pragma once
// The kinds of values that options of zinc take: durations, sizes, numbers, choices and endpoints.

#include "tools/zinc/units.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace zinc {

inline constexpr duration_range from_zero{.least = std::chrono::milliseconds{0}};

// Each function adds an option to `app`. Its value outlives `app`. Help prints the value as the default.
CLI::Option* add_duration(CLI::App& app, const std::string& name, std::chrono::milliseconds& value,
                          const std::string& text, const duration_range& range = {});
// `text` says in brackets what happens without the option.
CLI::Option* add_duration(CLI::App& app, const std::string& name,
                          std::optional<std::chrono::milliseconds>& value, const std::string& text,
                          const duration_range& range = {});

CLI::Option* add_size(CLI::App& app, const std::string& name, std::size_t& value,
                      const std::string& text, const size_range& range = {});

struct number_range {
  std::int64_t least = 1;
  std::int64_t most = 1'000'000'000;
};

CLI::Option* add_number(CLI::App& app, const std::string& name,
                        std::function<void(std::int64_t)> take, const std::string& text,
                        const number_range& range);

template <std::integral Number>
CLI::Option* add_number(CLI::App& app, const std::string& name, Number& value,
                        const std::string& text, const number_range& range = {}) {
  return add_number(
             app, name, [&value](std::int64_t number) { value = static_cast<Number>(number); },
             text, range)
      ->default_str(std::to_string(value));
}
template <std::integral Number>
CLI::Option* add_number(CLI::App& app, const std::string& name, std::optional<Number>& value,
                        const std::string& text, const number_range& range = {}) {
  return add_number(
      app, name, [&value](std::int64_t number) { value = static_cast<Number>(number); }, text,
      range);
}

// Reads a number. Throws CLI::ValidationError.
[[nodiscard]] std::int64_t number_of(const std::string& option, const std::string& text,
                                     const number_range& range);

template <class Value>
CLI::Option* add_choice(CLI::App& app, const std::string& name, Value& value,
                        const std::vector<std::pair<std::string, Value>>& choices,
                        const std::string& text) {
  std::string words;
  std::string usual;
  for (const auto& [word, meaning] : choices) {
    words += (words.empty() ? "" : "|") + word;
    usual = meaning == value ? word : usual;
  }
  return app
      .add_option_function<std::string>(
          name,
          [&value, choices, words, name](const std::string& word) {
            const auto known = std::find_if(choices.begin(), choices.end(),
                                            [&word](const auto& one) { return one.first == word; });
            if (known == choices.end()) {
              throw CLI::ValidationError{name,
                                         fmt::format("'{}' is unknown; give {}", word, words)};
            }
            value = known->second;
          },
          text)
      ->type_name(words)
      ->default_str(usual);
}

// Check that their text is an endpoint to bind or to connect to.
[[nodiscard]] std::function<std::string(const std::string&)> bindable();
[[nodiscard]] std::function<std::string(const std::string&)> connectable();
// Check that their text is tcp://HOST:PORT with a port that has two ports above it.
[[nodiscard]] std::function<std::string(const std::string&)> bindable_to_three_ports();
[[nodiscard]] std::function<std::string(const std::string&)> connectable_to_three_ports();

}  // namespace zinc
