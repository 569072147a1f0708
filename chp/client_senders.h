#pragma once
// The connections on which a client publishes its updates: one to each server, all the time.

#include "chp/client_actions.h"
#include "chp/client_options.h"
#include "chp/server_address.h"
#include "zmtp/message.h"
#include "zmtp/peer.h"
#include "zmtp/runtime/runtime.h"
#include "zmtp/socket/monitor.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace chp {

class client_senders {
public:
  using time_point = std::chrono::steady_clock::time_point;

  // Receives events, and may call the senders meanwhile.
  class listener {
  public:
    virtual void on_collector_subscribed(std::size_t server, bool has_log, time_point now) = 0;
    virtual void on_collector_detached(std::size_t server) = 0;
    virtual void on_written(std::size_t server, std::uint64_t mark, time_point now) = 0;

  protected:
    ~listener() = default;
  };

  client_senders(const boost::asio::any_io_executor& executor,
                 const std::vector<server_address>& servers, const client_options& options,
                 listener& to);

  // Connects. `owner` owns this object and the listener. It is kept until the end or until the
  // context is destroyed.
  void start(const std::shared_ptr<void>& owner);
  // Ends all connections. Published messages are still written, for at most the sockets' linger
  // time.
  void stop();

  void publish(std::size_t server, zmtp::message&& m);
  void await_written(const client_actions::written_mark& what);
  // Ends the pause between two attempts, because the server can be reached. The pause grew while it
  // could not.
  void reconnect_now(std::size_t server);

private:
  template <class Socket>
  struct sender;
  using collector = sender<zmtp::xpub_socket>;
  using pusher = sender<zmtp::push_socket>;  // for PULL collectors, which send nothing
  struct loop;                               // the coroutines

  template <class Socket>
  void begin(const std::shared_ptr<sender<Socket>>& of);
  void on_item(collector& from, zmtp::routed_message& item, time_point now);
  void on_event(pusher& from, const zmtp::monitor_event& event, time_point now);
  void on_event(collector& from, const zmtp::monitor_event& event, time_point now);
  template <class Socket>
  static void note_delay(sender<Socket>& of, const zmtp::monitor_event& event);

  const boost::asio::any_io_executor executor_;
  zmtp::runtime& runtime_;
  const collector_kind kind_;
  listener& listener_;
  std::weak_ptr<void> owner_;
  bool stopped_ = false;
  // One for each server. One of both is empty.
  std::vector<std::shared_ptr<collector>> collectors_;
  std::vector<std::shared_ptr<pusher>> pushers_;
};

}  // namespace chp
