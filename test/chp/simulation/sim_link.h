#pragma once
// zmtp/socket/stream_link in virtual time: a conversation on a stream, in the same order of calls.

#include "zmtp/conversation/conversation.h"
#include "zmtp/peer.h"
#include "zmtp/routing/pipe.h"
#include "zmtp/simulation/virtual_connection.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace zmtp::simulation {

class sim_socket;

class sim_link final : public std::enable_shared_from_this<sim_link> {
public:
  // Why it ended, and how long its handshake had been over, if it ever was.
  using end_handler = std::function<void(error_code, std::optional<std::chrono::milliseconds>)>;

  sim_link(sim_socket& owner, std::shared_ptr<virtual_connection> stream, end_of_stream e,
           std::optional<peer_id> pipe, end_handler on_end);

  void start();
  // False if there is more to write in another turn.
  [[nodiscard]] bool flush();
  void tell(bool subscribe, std::string_view topic);
  void resume();
  void probe();
  void close(error_code reason);
  // Closes at once, without an ERROR command.
  void abandon();
  // Returns whether all queued messages have been written and have arrived.
  [[nodiscard]] bool written();

  [[nodiscard]] const std::shared_ptr<virtual_connection>& stream() const noexcept {
    return stream_;
  }

private:
  using time_point = conversation::time_point;

  void read();
  void process();
  void decode(pipe* p);
  void on_event(conversation::event&& event);
  void on_admission();
  void on_ready();
  void on_subscription(const conversation::subscription& s);
  void settle();
  void write();
  void write_soon();
  void wait_readable();
  void wait_writable();
  [[nodiscard]] conversation::acknowledgement acknowledged() const;
  void arm_deadline();
  void end(error_code reason);
  [[nodiscard]] pipe* own_pipe() const noexcept;
  [[nodiscard]] send_queue& out() noexcept;
  [[nodiscard]] time_point now() const noexcept;

  sim_socket* socket_;
  std::shared_ptr<virtual_connection> stream_;
  end_of_stream end_of_stream_;
  conversation connection_;
  std::optional<peer_id> pipe_;
  end_handler on_end_;
  receive_queue no_in_{{}};
  send_queue no_out_{{}};
  std::optional<event_queue::ticket> timer_;
  std::optional<time_point> timer_due_;
  std::optional<time_point> ready_at_;
  bool reading_ = false;
  bool writing_ = false;
  bool send_broken_ = false;
  bool ended_ = false;
  std::uint64_t last_write_turn_ = 0;
};

}  // namespace zmtp::simulation
