#pragma once
// A broker with rules, and peers of named principals.

#include "test/mdp/broker_fixture.h"

#include <string>
#include <utility>
#include <vector>

namespace mdp {

constexpr std::uint8_t verb_of(right what) { return static_cast<std::uint8_t>(what); }

inline broker_options restricted(zmtp::access_rules rules) {
  broker_options options;
  options.access = std::move(rules);
  return options;
}

class restricted_broker : public broker_fixture {
public:
  explicit restricted_broker(zmtp::access_rules rules)
      : broker_fixture{restricted(std::move(rules))} {}

  zmtp::peer_id attach_as(std::string_view user, const std::string& announced = {}) {
    const zmtp::peer_id id{static_cast<std::uint32_t>(inbox.size()), 7};
    inbox[id];
    zmtp::metadata properties;
    if (!announced.empty()) {
      properties.add("X-Zinc", announced);
    }
    broker.on_attached(id, "id" + std::to_string(id.slot), properties, now, actions, user);
    take();
    return id;
  }
  void say_to_broker(zmtp::peer_id id, zmtp::message m) {
    broker.on_message(id, std::move(m), now, actions);
    take();
  }
  zmtp::peer_id register_as(std::string_view user, std::string_view service,
                            dialect how = dialect::v02) {
    const auto id = attach_as(user);
    say_to_broker(id, make_ready(version_of(how), service));
    return id;
  }
  void call(zmtp::peer_id id, std::string_view service, version v = version::v02) {
    zmtp::message body{"x"sv};
    push_client_request(body, v, service);
    say_to_broker(id, std::move(body));
  }
  void take() {
    for (const auto& event : actions.events) {
      if (event.what == broker_event::kind::access_refused) {
        refusals.push_back(event.user_id + ' ' + to_string(event.wanted) + ' ' + event.service);
      }
    }
    carry_out();
  }

  std::vector<std::string> refusals;
};

using lines = std::vector<std::string>;

}  // namespace mdp
