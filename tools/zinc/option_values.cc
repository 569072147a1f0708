#include "tools/zinc/option_values.h"

#include "zmtp/endpoint.h"

#include <charconv>
#include <system_error>

namespace zinc {

namespace {

constexpr unsigned most_first_port = 65'533;

// Calls `parse` and names the option in its error.
template <class Parse>
auto parsed(const std::string& name, Parse parse) {
  try {
    return parse();
  } catch (const unit_error& e) {
    throw CLI::ValidationError{name, e.what()};
  }
}

template <class Take>
CLI::Option* add_duration_to(CLI::App& app, const std::string& name, Take take,
                             const std::string& text, const duration_range& range) {
  return app
      .add_option_function<std::string>(
          name,
          [name, take, range](const std::string& word) {
            take(parsed(name, [&] { return parse_duration(word, range); }));
          },
          text)
      ->type_name("DURATION");
}

std::string endpoint_error(const std::string& text, const char* example) {
  return fmt::format("'{}' is not an endpoint; give for example {}", text, example);
}

std::string three_ports_error(const std::string& text,
                              bool (zmtp::endpoint::*usable)() const noexcept) {
  const auto parsed = zmtp::endpoint::parse(text);
  const auto below = parsed ? parsed->carrier() : zmtp::endpoint{};
  return parsed && ((*parsed).*usable)() && below.tcp() != nullptr &&
                 below.tcp()->port <= most_first_port
             ? std::string{}
             : fmt::format(
                   "'{}' is not the endpoint of a map server; give tcp://HOST:PORT or "
                   "ws://HOST:PORT/PATH, "
                   "with a port up to {}",
                   text, most_first_port);
}

}  // namespace

CLI::Option* add_duration(CLI::App& app, const std::string& name, std::chrono::milliseconds& value,
                          const std::string& text, const duration_range& range) {
  return add_duration_to(
             app, name, [&value](std::chrono::milliseconds read) { value = read; }, text, range)
      ->default_str(text_of(value));
}

CLI::Option* add_duration(CLI::App& app, const std::string& name,
                          std::optional<std::chrono::milliseconds>& value, const std::string& text,
                          const duration_range& range) {
  return add_duration_to(
      app, name, [&value](std::chrono::milliseconds read) { value.emplace(read); }, text, range);
}

CLI::Option* add_size(CLI::App& app, const std::string& name, std::size_t& value,
                      const std::string& text, const size_range& range) {
  return app
      .add_option_function<std::string>(
          name,
          [name, &value, range](const std::string& word) {
            value = parsed(name, [&] { return parse_size(word, range); });
          },
          text)
      ->type_name("SIZE")
      ->default_str(text_of_size(value));
}

std::int64_t number_of(const std::string& option, const std::string& text,
                       const number_range& range) {
  std::int64_t number = 0;
  const auto* const end = text.data() + text.size();
  const auto [read_to, ec] = std::from_chars(text.data(), end, number);
  if (ec != std::errc{} || read_to != end || number < range.least || number > range.most) {
    throw CLI::ValidationError{option, fmt::format("'{}' is not valid; give a number from {} to {}",
                                                   text, range.least, range.most)};
  }
  return number;
}

CLI::Option* add_number(CLI::App& app, const std::string& name,
                        std::function<void(std::int64_t)> take, const std::string& text,
                        const number_range& range) {
  return app
      .add_option_function<std::string>(
          name,
          [name, take = std::move(take), range](const std::string& word) {
            take(number_of(name, word, range));
          },
          text)
      ->type_name("N");
}

std::function<std::string(const std::string&)> bindable() {
  return [](const std::string& text) {
    const auto parsed = zmtp::endpoint::parse(text);
    return parsed && parsed->bindable() ? std::string{} : endpoint_error(text, "tcp://*:5555");
  };
}

std::function<std::string(const std::string&)> connectable() {
  return [](const std::string& text) {
    const auto parsed = zmtp::endpoint::parse(text);
    return parsed && parsed->connectable() ? std::string{}
                                           : endpoint_error(text, "tcp://localhost:5555");
  };
}

std::function<std::string(const std::string&)> bindable_to_three_ports() {
  return [](const std::string& text) { return three_ports_error(text, &zmtp::endpoint::bindable); };
}

std::function<std::string(const std::string&)> connectable_to_three_ports() {
  return
      [](const std::string& text) { return three_ports_error(text, &zmtp::endpoint::connectable); };
}

}  // namespace zinc
