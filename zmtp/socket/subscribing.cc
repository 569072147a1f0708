#include "zmtp/socket/subscribing.h"

#include "zmtp/routing/subscriber_state.h"
#include "zmtp/socket/socket_core.h"

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

}  // namespace zmtp::operations
