#include "zmtp/socket/receiving_from.h"

#include "zmtp/socket/batch.h"
#include "zmtp/socket/socket_core.h"

namespace zmtp::operations {

namespace {

// A state whose messages come with their senders.
struct with_senders {
  socket_state& state;

  [[nodiscard]] bool readable() const noexcept { return state.readable(); }
  [[nodiscard]] bool receive(routed_message& to) { return state.receive_from(to); }
};

}  // namespace

bool try_receive_from(socket_core& core, routed_message& to) {
  const serial_check::scope alone{core.serial()};
  const auto received = core.state().receive_from(to);
  core.schedule();
  return received;
}

void start_receive_from(socket_core& core, deadline until, routed_handler handler) {
  core.start(waiting_room::side::to_receive, std::move(handler), until,
             [&core](error_code&, routed_message& to) { return core.state().receive_from(to); });
}

void start_receive_from(socket_core& core, std::vector<routed_message>& batch, deadline until,
                        routed_count_handler handler) {
  core.start(waiting_room::side::to_receive, std::move(handler), until,
             [&core, &batch](error_code&, std::size_t& count) {
               with_senders from{core.state()};
               return receive_batch(batch, count, from);
             });
}

}  // namespace zmtp::operations
