#include "zmtp/socket/subscribing.h"

#include "zmtp/engine/socket_core.h"
#include "zmtp/routing/pub_state.h"
#include "zmtp/routing/subscriber_state.h"

namespace zmtp::operations {

void subscribe(socket_core& core, std::string_view topic, error_code& ec) {
  const serial_check::scope alone{core.serial()};
  if (topic.size() > core.options().limit.topic_size) {
    ec = errc::topic_too_long;
    return;
  }
  ec = {};
  static_cast<subscriber_state&>(core.state()).subscribe(topic);
  core.schedule();
}

void unsubscribe(socket_core& core, std::string_view topic) {
  const serial_check::scope alone{core.serial()};
  static_cast<subscriber_state&>(core.state()).unsubscribe(topic);
  core.schedule();
}

void start_wait_subscribers(socket_core& core, std::string topic, std::size_t count, deadline until,
                            completion_handler<void(error_code)> handler) {
  core.start(pending_operations::side::to_learn, std::move(handler), until,
             [&state = static_cast<const pub_state&>(core.state()), topic = std::move(topic),
              count](error_code&) { return state.subscribers(topic) >= count; });
}

std::size_t subscribers(socket_core& core, std::string_view topic) {
  return static_cast<const pub_state&>(core.state()).subscribers(topic);
}

}  // namespace zmtp::operations
