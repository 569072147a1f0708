#include "zmtp/socket/enveloping.h"

#include "zmtp/engine/socket_core.h"

namespace zmtp::operations {

bool try_receive_enveloped(socket_core& core, message_batch& batch) {
  const serial_check::scope alone{core.serial()};
  batch.clear();
  const auto received = core.state().receive_enveloped(batch);
  core.schedule();
  return received;
}

void start_receive_enveloped(socket_core& core, message_batch& batch, deadline until,
                             received_handler&& handler) {
  batch.clear();
  core.start(pending_operations::side::to_receive, std::move(handler), until,
             [&core, &batch](error_code&, std::size_t& count) {
               const auto received = core.state().receive_enveloped(batch);
               count = batch.size();
               return received;
             });
}

}  // namespace zmtp::operations
