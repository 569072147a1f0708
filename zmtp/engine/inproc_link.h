#pragma once
// One side of an inproc connection. Moves messages between the queues of its socket and the channel
// to the other side.

#include "zmtp/engine/inproc_channel.h"
#include "zmtp/engine/link.h"
#include "zmtp/runtime/executor.h"

#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp {

class inproc_link final : public peer_link {
public:
  inproc_link(std::shared_ptr<socket_core> core, std::shared_ptr<inproc_channel> channel,
              inproc_channel::end own, std::optional<peer_id> pipe);

  void start() override;
  [[nodiscard]] bool flush() override;
  void hand_over() override;
  void tell(bool subscribe, std::string_view topic) override;
  void resume() override;
  // A peer in the same process is always alive.
  void probe() override {}
  void close(error_code reason) override;
  void finish() override;
  void abandon() noexcept override;

  // Call when the channel has data for this side.
  void on_mail();

private:
  // Ends the link if there is no memory for received data, because it could not deliver the rest.
  template <class Body>
  void or_end(Body&& body) {
    try {
      std::forward<Body>(body)();
    } catch (const std::bad_alloc&) {
      end(errc::out_of_memory);
    }
  }
  [[nodiscard]] peer_info known_peer() override;
  void say_hello();
  [[nodiscard]] std::shared_ptr<inproc_link> read_before_writing();
  void read();
  [[nodiscard]] bool meet(peer_info who);
  void deliver();
  [[nodiscard]] bool all_taken() const noexcept {
    return mail_.subscriptions.empty() && delivered_ == mail_.messages.size();
  }
  void take_subscriptions(pipe& p);
  void take_messages(pipe& p);
  void take_entries(pipe& p, inproc_channel::room& taken);
  void settle();
  void end(error_code reason);
  [[nodiscard]] std::shared_ptr<inproc_link> self() {
    return std::static_pointer_cast<inproc_link>(shared_from_this());
  }

  std::shared_ptr<inproc_channel> channel_;
  inproc_channel::end own_;
  std::shared_ptr<remote_executor> where_;
  asio::any_io_executor work_;  // outstanding work: an open connection keeps its context running

  inproc_channel::mail mail_;  // received data …
  std::size_t delivered_ = 0;  // … and its delivered entries; the next one may be partly delivered
  std::vector<queue_entry> leaving_;  // entries to send; empty between flushes
  inproc_channel::room away_;         // sent, and not taken by the other side yet
  bool waits_for_room_ = false;
  bool met_ = false;
  bool near_ = false;  // both sides have the same executor, and the other side runs after this one
  bool finishing_ = false;
  bool ended_ = false;
};

}  // namespace zmtp
