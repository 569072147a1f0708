#pragma once
// The I/O of a client: its connections to the server that it follows, and those on which it
// publishes.

#include "chp/client_actions.h"
#include "chp/client_options.h"
#include "chp/server_address.h"
#include "zmtp/message.h"
#include "zmtp/peer.h"
#include "zmtp/runtime/runtime.h"
#include "zmtp/socket/monitor.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace chp {

class client_connections {
public:
  using time_point = std::chrono::steady_clock::time_point;

  // Receives events, and may call the connections meanwhile. It gets no events of closed
  // connections.
  class listener {
  public:
    virtual void on_subscriber_attached(bool acknowledges, time_point now) = 0;
    virtual void on_subscriber_message(zmtp::message&& m, time_point now) = 0;
    virtual void on_snapshot_attached(time_point now) = 0;
    virtual void on_snapshot_message(const zmtp::message& m, time_point now) = 0;
    // An event of the subscriber or the snapshot connection.
    virtual void on_lost(time_point now) = 0;
    virtual void on_unreachable(time_point now) = 0;
    virtual void on_collector_subscribed(std::size_t server, time_point now) = 0;
    virtual void on_collector_detached(std::size_t server) = 0;
    virtual void on_written(std::size_t server, std::uint64_t mark, time_point now) = 0;

  protected:
    ~listener() = default;
  };

  client_connections(const boost::asio::any_io_executor& executor,
                     std::vector<server_address> servers, const client_options& options,
                     std::uint64_t session, listener& to);

  // Connects to all collectors, and starts to receive. `owner` owns this object and the listener.
  // It is kept until the end or until the context is destroyed.
  void start(const std::shared_ptr<void>& owner);
  // Ends all connections. Published messages are still written, for at most the sockets' linger
  // time.
  void stop();

  void connect(const client_actions::connecting& what);
  void ask(zmtp::message&& m);
  void publish(std::size_t server, zmtp::message&& m);
  void await_written(const client_actions::written_mark& what);

private:
  // A connection to the server that is followed.
  template <class Socket>
  struct visit;
  using subscriber = visit<zmtp::sub_socket>;
  using snapshot = visit<zmtp::dealer_socket>;
  template <class Socket>
  struct sender;
  using collector = sender<zmtp::xpub_socket>;
  using pusher = sender<zmtp::push_socket>;  // for PULL collectors, which send nothing
  struct loop;                               // the coroutines

  void open_snapshot(std::size_t server);
  template <class Socket>
  void begin(const std::shared_ptr<sender<Socket>>& of);
  template <class Of>
  void begin(const std::shared_ptr<Of>& of, const std::string& at);
  template <class Of>
  void watch_end(const std::shared_ptr<Of>& of);
  template <class Of>
  static void close(std::shared_ptr<Of>& of);
  void on_item(subscriber& from, zmtp::routed_message& item, time_point now);
  void on_item(snapshot& from, zmtp::routed_message& item, time_point now);
  void on_item(collector& from, zmtp::routed_message& item, time_point now);
  void on_event(pusher& from, const zmtp::monitor_event& event, time_point now);
  void on_event(collector& from, const zmtp::monitor_event& event, time_point now);
  template <class Socket>
  static void note_delay(sender<Socket>& of, const zmtp::monitor_event& event);
  void hurry(std::size_t server);

  const boost::asio::any_io_executor executor_;
  zmtp::runtime& runtime_;
  const std::vector<server_address> servers_;
  const client_options options_;
  const std::uint64_t session_;
  listener& listener_;
  std::weak_ptr<void> owner_;
  bool stopped_ = false;
  std::vector<std::shared_ptr<collector>>
      collectors_;  // one for each server; empty if pushers_ is used
  std::vector<std::shared_ptr<pusher>> pushers_;
  std::shared_ptr<subscriber> subscriber_;
  std::shared_ptr<snapshot> snapshot_;
};

}  // namespace chp
