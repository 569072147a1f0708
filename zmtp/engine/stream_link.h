#pragma once
// A conversation on a stream: its life, its events and its deadline.

#include "zmtp/conversation/conversation.h"
#include "zmtp/conversation/graceful_close.h"
#include "zmtp/engine/admission.h"
#include "zmtp/engine/link.h"
#include "zmtp/engine/link_deadlines.h"
#include "zmtp/engine/stream_reader.h"
#include "zmtp/engine/stream_writer.h"
#include "zmtp/transport/network.h"

#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

namespace zmtp {

class stream_link final : public peer_link,
                          public transport::stream_user,
                          public link_deadlines::entry {
public:
  using clock = socket_core::clock;

  stream_link(std::shared_ptr<socket_core> core, std::unique_ptr<transport::stream> stream,
              std::optional<peer_id> pipe);

  void start() override;
  [[nodiscard]] bool flush() override;
  void tell(bool subscribe, std::string_view topic) override;
  void resume() override;
  void probe() override;
  void close(error_code reason) override;
  void finish() override;
  void abandon() noexcept override;

  // See conversation::silence().
  [[nodiscard]] std::optional<clock::duration> silence(clock::time_point now) const noexcept {
    return conversation_.silence(now);
  }
  // Reads and processes pending bytes of the peer, in a turn.
  void listen();
  // Closes the connection if its partial message is evicted.
  void evict();
  void options_changed() override {
    conversation_.options_changed();
    arm_deadline();
  }

private:
  // Ends the connection if a handler has no memory, because it would receive no further events.
  template <class Body>
  void or_end(Body&& body) {
    try {
      std::forward<Body>(body)();
    } catch (const std::bad_alloc&) {
      core_->turn([this] { end(errc::out_of_memory); });
    }
  }
  void on_ready(transport::stream_side side, error_code ec) override;
  void on_readable(error_code ec);
  void on_writable(error_code ec);
  void read();
  void process();
  void on_event(conversation::event&& event);
  void on_authentication();
  void on_verdict(authenticator::verdict&& answer);
  void on_admission();
  void on_ready();
  void settle();
  void discard();
  void part();
  void leave_unread();
  void wait_readable();
  [[nodiscard]] std::shared_ptr<stream_link> read_before_writing();
  void write();
  void write_soon();
  [[nodiscard]] conversation::acknowledgement acknowledged();
  void arm_deadline();
  void on_time() override;
  void on_deadline();
  void end(error_code reason);
  [[nodiscard]] peer_info known_peer() override;
  [[nodiscard]] std::string_view peer_error() const noexcept override {
    return conversation_.peer_error();
  }
  [[nodiscard]] send_queue& out() noexcept;
  [[nodiscard]] std::shared_ptr<stream_link> self() {
    return std::static_pointer_cast<stream_link>(shared_from_this());
  }

  std::unique_ptr<transport::stream> stream_;
  conversation conversation_;
  stream_reader reader_;
  stream_writer writer_;
  // As it was when the handshake started; null after it.
  std::shared_ptr<authenticator> authenticator_;
  std::unique_ptr<admission> admission_;  // from the question to the authenticator to the attach
  std::uint64_t refused_ = 0;             // refused subscriptions that the state has counted
  graceful_close graceful_close_;
  bool ended_ = false;
};

}  // namespace zmtp
