#include "zmtp/socket/receiving.h"

#include "zmtp/engine/socket_core.h"

namespace zmtp::operations {

template <class Item>
bool try_receive(socket_core& core, Item& to) {
  const serial_check::scope alone{core.serial()};
  const auto received = core.state().receive(to);
  core.schedule();
  return received;
}

template <class Item>
void start_receive(socket_core& core, deadline until, item_handler<Item>&& handler) {
  core.start(pending_operations::side::to_receive, std::move(handler), until,
             [&core](error_code&, Item& to) { return core.state().receive(to); });
}

bool try_receive(socket_core& core, message_batch& batch) {
  const serial_check::scope alone{core.serial()};
  batch.clear();
  const auto received = core.state().receive(batch);
  core.schedule();
  return received;
}

// Clears the batch at once, so that the next read can use its buffers.
void start_receive(socket_core& core, message_batch& batch, deadline until,
                   received_handler&& handler) {
  batch.clear();
  core.start(pending_operations::side::to_receive, std::move(handler), until,
             [&core, &batch](error_code&, std::size_t& count) {
               const auto received = core.state().receive(batch);
               count = batch.size();
               return received;
             });
}

void start_wait_readable(socket_core& core, deadline until, readable_handler&& handler) {
  core.start(pending_operations::side::to_receive, std::move(handler), until,
             [&core](error_code&) { return core.state().readable(); });
}

template bool try_receive(socket_core&, message&);
template bool try_receive(socket_core&, routed_message&);
template void start_receive(socket_core&, deadline, item_handler<message>&&);
template void start_receive(socket_core&, deadline, item_handler<routed_message>&&);

bool try_receive_from(socket_core& core, routed_message& to) {
  const serial_check::scope alone{core.serial()};
  const auto received = core.state().receive_from(to);
  core.schedule();
  return received;
}

void start_receive_from(socket_core& core, deadline until, item_handler<routed_message>&& handler) {
  core.start(pending_operations::side::to_receive, std::move(handler), until,
             [&core](error_code&, routed_message& to) { return core.state().receive_from(to); });
}

}  // namespace zmtp::operations
