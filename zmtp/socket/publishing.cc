#include "zmtp/socket/publishing.h"

#include "zmtp/routing/pub_state.h"
#include "zmtp/socket/socket_core.h"

namespace zmtp::operations {

void start_wait_subscribers(socket_core& core, std::string topic, std::size_t count, deadline until,
                            completion_handler<void(error_code)> handler) {
  core.start(waiting_room::side::to_learn, std::move(handler), until,
             [&state = static_cast<const pub_state&>(core.state()), topic = std::move(topic),
              count](error_code&) { return state.subscribers(topic) >= count; });
}

std::size_t subscribers(socket_core& core, std::string_view topic) {
  return static_cast<const pub_state&>(core.state()).subscribers(topic);
}

}  // namespace zmtp::operations
