#pragma once
// The I/O of workers and clients: one conversation with a server after the other, each on a DEALER of
// its own, and the deadline of the state that decides about them.

#include "zmtp/message.h"
#include "zmtp/metadata.h"
#include "zmtp/pattern/alarm.h"
#include "zmtp/pattern/reopen_pace.h"
#include "zmtp/pattern/server_list.h"
#include "zmtp/routing/routed_message.h"
#include "zmtp/socket/deadline.h"
#include "zmtp/socket/dealer_socket.h"
#include "zmtp/socket/monitor.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
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

  // Hears what happens, and may call the socket meanwhile. Between one conversation and the next, and
  // after the end, it hears nothing but its deadline.
  class listener {
  public:
    virtual void on_attached(time_point now) = 0;
    virtual void on_message(message&& m, time_point now) = 0;
    virtual void on_detached() = 0;
    // There is nobody at the server's endpoint, and there are other servers.
    virtual void on_unreachable() {}
    // May come early, or for a deadline that has moved.
    virtual void on_deadline(time_point now) = 0;
    [[nodiscard]] virtual std::optional<time_point> next_deadline() const = 0;

  protected:
    ~listener() = default;
  };

  // Connects to the current one of the servers. `extensions` are announced to it; `to` must outlive the
  // socket. Throws what socket::connect throws.
  conversation_socket(const boost::asio::any_io_executor& executor,
                      std::shared_ptr<server_list> servers, std::vector<std::string> extensions,
                      listener& to);

  // Begins to hear. `owner`, of this and of the listener, is kept until the end or until the context goes.
  void start(std::shared_ptr<void> owner);

  // The metadata of the server's handshake. For listener::on_attached.
  [[nodiscard]] const metadata& announced() const noexcept { return announced_; }

  // False if the server takes nothing any more. Between two conversations `m` is dropped.
  [[nodiscard]] bool send(message&& m);
  // Ends the conversation, discarding what is queued, and begins another after this delay at least: with
  // the server that is current then.
  void reopen(std::chrono::milliseconds delay);
  // Leaves this conversation's server for the next one.
  void leave_server() noexcept { servers_->leave(server_); }
  // To be called when the deadline may have become earlier, unless it was in a call of the listener.
  void look_at_deadline();
  // The end. Absent: what is queued is written for the socket's own linger time.
  void stop(std::optional<std::chrono::milliseconds> linger);
  // Ends in the same way. `written` is called when all is written and the server has read it, or at `until`; without
  // `until` the socket's own linger time counts. `written` is destroyed uncalled if the context ends before.
  void finish(deadline until, std::function<void(boost::system::error_code)> written);

  [[nodiscard]] bool stopped() const noexcept { return stopped_; }
  [[nodiscard]] const boost::asio::any_io_executor& executor() const noexcept { return executor_; }

private:
  struct loop;  // its coroutine

  void open();
  void watch();
  void hear_no_more() noexcept;
  void on_batch(std::vector<routed_message>& batch);

  boost::asio::any_io_executor executor_;
  std::shared_ptr<server_list> servers_;
  std::size_t server_ = 0;  // of this conversation
  std::vector<std::string> extensions_;
  listener& listener_;
  std::optional<dealer_socket> socket_;
  std::optional<monitor> monitor_;  // where there are several servers
  metadata announced_;
  std::optional<std::chrono::milliseconds> reopen_after_;
  alarm alarm_;
  boost::asio::steady_timer pause_;
  reopen_pace pace_;
  std::mt19937 random_{std::random_device{}()};
  bool stopped_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for an event that is on its way
};

}  // namespace zmtp
