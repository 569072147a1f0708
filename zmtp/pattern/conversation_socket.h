#pragma once
// The I/O of workers and clients: successive conversations with a server, each on a DEALER of its
// own, and the deadline of the state that makes their decisions.

#include "zmtp/message.h"
#include "zmtp/message_batch.h"
#include "zmtp/metadata.h"
#include "zmtp/options.h"
#include "zmtp/pattern/server_list.h"
#include "zmtp/peer.h"
#include "zmtp/runtime/timer.h"
#include "zmtp/socket/monitor.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp {

class conversation_socket {
public:
  using time_point = std::chrono::steady_clock::time_point;

  // Receives the events of a conversation. May call the socket from these functions. Between two
  // conversations and after the end, only on_deadline() is called.
  class listener {
  public:
    virtual void on_attached(time_point now) = 0;
    virtual void on_message(message&& m, time_point now) = 0;
    virtual void on_detached() = 0;
    // The server's endpoint refuses connections, and there are other servers.
    virtual void on_unreachable() {}
    // May be called early, or for a deadline that has moved.
    virtual void on_deadline(time_point now) = 0;
    [[nodiscard]] virtual std::optional<time_point> next_deadline() const = 0;

  protected:
    ~listener() = default;
  };

  // Connects to the current server with `options`, and announces `extensions` to it. `to` must outlive the socket.
  // Throws what socket::connect throws.
  conversation_socket(const boost::asio::any_io_executor& executor,
                      std::shared_ptr<server_list> servers, socket_options options,
                      std::vector<std::string> extensions, listener& to);

  // Starts to call the listener. `owner` must own this object and the listener. It is kept until
  // the end or until the context is destroyed.
  void start(std::shared_ptr<void> owner);

  // The metadata from the server's handshake. Use it in listener::on_attached.
  [[nodiscard]] const metadata& announced() const noexcept { return announced_; }

  // Returns false if the server takes no more messages. Drops `m` between two conversations.
  [[nodiscard]] bool send(message&& m);
  // Ends the conversation and drops queued messages. Starts another one with the server that is
  // current then, at least `delay` later.
  void reopen(std::chrono::milliseconds delay);
  // Switches from the server of this conversation to the next one.
  void leave_server() noexcept { servers_->leave(server_); }
  // Call when the deadline may have become earlier, except inside a call of the listener.
  void look_at_deadline();
  // Ends all conversations. Absent: queued messages are written for the socket's own linger time.
  void stop(std::optional<std::chrono::milliseconds> linger);
  // Ends in the same way. Calls `written` when the server has read all messages, or at `until`.
  // Without `until`, the socket's own linger time applies. If the context is destroyed first,
  // `written` is destroyed without a call.
  void finish(std::optional<time_point> until,
              std::function<void(boost::system::error_code)> written);

  [[nodiscard]] bool stopped() const noexcept { return stopped_; }
  [[nodiscard]] const boost::asio::any_io_executor& executor() const noexcept { return executor_; }

private:
  struct loop;  // the coroutine

  void open();
  void watch();
  void hear_no_more() noexcept;
  void on_batch(const message_batch& batch);

  boost::asio::any_io_executor executor_;
  runtime& runtime_;
  std::shared_ptr<server_list> servers_;
  std::size_t server_ = 0;  // the server of this conversation
  const socket_options options_;
  listener& listener_;
  std::optional<dealer_socket> socket_;
  std::optional<monitor> monitor_;  // only with several servers
  metadata announced_;
  std::optional<std::chrono::milliseconds> reopen_after_;
  alarm alarm_;
  timer pause_;
  reopen_pace pace_;
  std::mt19937 random_{runtime_.random<std::uint32_t>()};
  bool stopped_ = false;
  // for an event whose handler is already posted
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace zmtp
