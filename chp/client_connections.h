#pragma once
// The connections of a client to the server that it follows.

#include "chp/client_actions.h"
#include "chp/client_options.h"
#include "chp/command.h"
#include "chp/server_address.h"
#include "zmtp/message.h"
#include "zmtp/message_batch.h"
#include "zmtp/runtime/runtime.h"
#include "zmtp/socket/monitor.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace chp {

class client_connections {
public:
  using time_point = std::chrono::steady_clock::time_point;

  // Receives events, and may call the connections meanwhile. It gets no events of closed
  // connections. on_batch_end() follows messages, unless their connection was closed meanwhile.
  class listener {
  public:
    virtual void on_subscriber_attached(std::size_t server, bool has_log, time_point now) = 0;
    virtual void on_subscriber_message(const message_parts& m, time_point now) = 0;
    virtual void on_snapshot_attached(time_point now) = 0;
    virtual void on_snapshot_message(const message_parts& m, time_point now) = 0;
    virtual void on_batch_end() = 0;
    // An event of the subscriber or the snapshot connection.
    virtual void on_lost(time_point now) = 0;
    virtual void on_unreachable(time_point now) = 0;

  protected:
    ~listener() = default;
  };

  client_connections(const boost::asio::any_io_executor& executor,
                     std::vector<server_address> servers, const client_options& options,
                     std::uint64_t session, listener& to);

  // `owner` owns this object and the listener. Connections keep it until their end or until the
  // context is destroyed.
  void start(const std::shared_ptr<void>& owner);
  void stop();

  // The following connections announce this session.
  void begin_session(std::uint64_t session) noexcept { session_ = session; }
  void connect(const client_actions::connecting& what);
  void ask(zmtp::message&& m);

private:
  // A connection to the server that is followed.
  template <class Socket>
  struct visit;
  using subscriber = visit<zmtp::sub_socket>;
  using snapshot = visit<zmtp::dealer_socket>;
  struct loop;  // the coroutines

  void open_snapshot(std::size_t server);
  template <class Of>
  void begin(const std::shared_ptr<Of>& of, const std::string& at);
  template <class Of>
  void watch_end(const std::shared_ptr<Of>& of);
  template <class Of>
  static void close(std::shared_ptr<Of>& of);
  void on_item(subscriber& from, const zmtp::message_view& item, time_point now);
  void on_item(snapshot& from, const zmtp::message_view& item, time_point now);

  const boost::asio::any_io_executor executor_;
  zmtp::runtime& runtime_;
  const std::vector<server_address> servers_;
  const client_options options_;
  std::uint64_t session_;
  listener& listener_;
  std::weak_ptr<void> owner_;
  bool stopped_ = false;
  std::shared_ptr<subscriber> subscriber_;
  std::shared_ptr<snapshot> snapshot_;
};

}  // namespace chp
