#include "zmtp/routing/sub_state.h"

namespace zmtp {

namespace {

// In this index, the only peer is the socket itself.
constexpr subscription_index::slot self = 0;

}  // namespace

bool sub_state::subscribe(std::string_view topic) {
  const auto first = subscriber_state::subscribe(topic);
  if (first) {
    wanted_.subscribe(self, topic);
  }
  return first;
}

bool sub_state::unsubscribe(std::string_view topic) {
  const auto last = subscriber_state::unsubscribe(topic);
  if (last) {
    wanted_.cancel(self, topic);
  }
  return last;
}

bool sub_state::receive(message& to) {
  while (socket_state::receive(to)) {
    if (wanted(to)) {
      return true;
    }
    drop_received();
  }
  return false;
}

bool sub_state::receive(routed_message& to) {
  while (socket_state::receive(to)) {
    if (to.what != routed_message::kind::message || wanted(to.content)) {
      return true;
    }
    drop_received();
  }
  return false;
}

}  // namespace zmtp
