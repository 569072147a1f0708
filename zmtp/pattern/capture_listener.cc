#include "zmtp/pattern/capture_listener.h"

#include "zmtp/socket/complete.h"

#include <utility>

namespace zmtp {

capture_listener::capture_listener(boost::asio::any_io_executor executor, handler on_message)
    : executor_{std::move(executor)}, on_message_{std::move(on_message)} {}

send_status capture_listener::try_send(message&& m) {
  const auto taken = std::move(m);
  on_message_(taken);
  return send_status::queued;
}

void capture_listener::async_send(std::vector<message>& batch, count_done_handler done) {
  const auto taken = std::exchange(batch, {});
  for (const auto& m : taken) {
    on_message_(m);
  }
  complete_later(executor_, std::move(done), error_code{}, taken.size());
}

}  // namespace zmtp
