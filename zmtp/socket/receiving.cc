#include "zmtp/socket/receiving.h"

#include "zmtp/socket/batch.h"
#include "zmtp/socket/socket_core.h"

namespace zmtp::operations {

bool try_receive(socket_core& core, message& to) {
  const serial_check::scope alone{core.serial()};
  const auto received = core.state().receive(to);
  core.schedule();
  return received;
}

void start_receive(socket_core& core, deadline until, message_handler handler) {
  core.start(waiting_room::side::to_receive, std::move(handler), until,
             [&core](error_code&, message& to) { return core.state().receive(to); });
}

void start_receive(socket_core& core, std::vector<message>& batch, deadline until,
                   received_handler handler) {
  core.start(waiting_room::side::to_receive, std::move(handler), until,
             [&core, &batch](error_code&, std::size_t& count) {
               return receive_batch(batch, count, core.state());
             });
}

void start_wait_readable(socket_core& core, deadline until, readable_handler handler) {
  core.start(waiting_room::side::to_receive, std::move(handler), until,
             [&core](error_code&) { return core.state().readable(); });
}

}  // namespace zmtp::operations
