#include "test/interop/chp_storm_options.h"

#include <sstream>

namespace chp::test {

using std::chrono::milliseconds;

void describe(CLI::App& app, storm_options& to) {
  const auto add_milliseconds = [&app](const std::string& name, milliseconds& value) {
    app.add_option_function<long>(name, [&value](const long& ms) { value = milliseconds{ms}; })
        ->check(CLI::Range(1L, 3'600'000L))
        ->default_str(std::to_string(value.count()));
  };
  app.add_option("--group", to.groups, "N=HOST:PORT,HOST:PORT: clients, and the servers they know")
      ->required();
  app.add_option("--rate", to.rate, "updates a second of all clients")->capture_default_str();
  app.add_option("--keys", to.keys, "of each client's own")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--shared", to.shared, "keys that all clients update")->capture_default_str();
  app.add_option("--preload", to.preload, "keys that are set before all else")
      ->capture_default_str();
  app.add_option("--lifetimes", to.lifetimes,
                 "keys a second that have a time to live, of a second at least")
      ->capture_default_str();
  app.add_option("--longest-ttl", to.longest_ttl, "seconds")
      ->check(CLI::Range(1, 3'600))
      ->capture_default_str();
  app.add_option("--size", to.size, "least number of bytes of a value")->capture_default_str();
  add_milliseconds("--heartbeat", to.heartbeat);
  add_milliseconds("--server-ttl", to.server_ttl);
  add_milliseconds("--patience", to.timeout);
}

std::vector<server_address> parse_servers(const std::string& list) {
  std::vector<server_address> all;
  std::istringstream in{list};
  for (std::string one; std::getline(in, one, ',');) {
    all.push_back(server_address::at(one));
  }
  return all;
}

storm_group parse_group(const std::string& text) {
  const auto at = text.find('=');
  if (at == std::string::npos) {
    return {.servers = parse_servers(text)};
  }
  return {.clients = std::stoul(text.substr(0, at)), .servers = parse_servers(text.substr(at + 1))};
}

}  // namespace chp::test
