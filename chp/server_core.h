#pragma once
// The three sockets of a server around its decisions. Both shells use it; users do not.

#include "chp/log_store.h"
#include "chp/publisher_port.h"
#include "chp/server_actions.h"
#include "chp/server_options.h"
#include "chp/server_state.h"
#include "chp/snapshot_port.h"
#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/message_batch.h"
#include "zmtp/runtime/timer.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace chp {

// Calls `call(core)`, unless the context has destroyed the core. Errors: also zmtp::errc::socket_closed.
template <class Core, class Call>
auto call_core(const std::weak_ptr<Core>& of, zmtp::error_code& ec, Call&& call) {
  const auto core = of.lock();
  if (!core) {
    ec = zmtp::errc::socket_closed;
  }
  return core ? call(*core) : decltype(call(*core))();
}
// Calls `call(ec)`, and throws the error with this text.
template <class Call>
auto call_or_throw(const std::string& what, Call&& call) {
  zmtp::error_code ec;
  auto result = call(ec);
  if (ec) {
    throw boost::system::system_error{ec, what};
  }
  return result;
}

// The endpoints of a server's three ports.
struct server_endpoints {
  zmtp::endpoint snapshots;  // P
  zmtp::endpoint publisher;  // P + 1
  zmtp::endpoint collector;  // P + 2
};

// Owned by its coroutines, so the execution context destroys it.
class server_core : public std::enable_shared_from_this<server_core> {
public:
  using clock = std::chrono::steady_clock;

  // Each may be empty.
  struct hooks {
    std::function<bool()> vote;  // pair: a client requests a snapshot; returns whether to serve it
    // Pair: called before updates are read, because the process may have been paused.
    std::function<void()> check_pause;
    std::function<void(server_actions&)>
        rest;  // carries out the actions for the other server and for epochs
    // Handlers of the server's user.
    std::function<void(server_event)> on_event;
    std::function<void(const access_refusal&)> on_refused;
    std::function<void(const server_status&)> on_turn;
  };

  // `store` is the store from which the state was restored, if any. The owner of the server keeps
  // it.
  server_core(const boost::asio::any_io_executor& executor, std::shared_ptr<server_state> state,
              const server_options& options, hooks others, std::weak_ptr<log_store> store);

  void start();
  void stop();
  // Waits while the publisher's queue is full, or too many changes wait for the disk. Returns false
  // once stopped.
  [[nodiscard]] static boost::asio::awaitable<bool> until_room(std::shared_ptr<server_core> self);
  // Same as zmtp::socket::bind.
  [[nodiscard]] zmtp::endpoint bind_snapshots(std::string_view at, zmtp::error_code& ec);
  [[nodiscard]] zmtp::endpoint bind_publisher(std::string_view at, zmtp::error_code& ec);
  [[nodiscard]] zmtp::endpoint bind_collector(std::string_view at, zmtp::error_code& ec);
  // Binds all three ports, the second and third after the first. If the operating system chooses
  // the first port and the next ones are in use, it chooses again.
  [[nodiscard]] server_endpoints bind(std::string_view at, zmtp::error_code& ec);

  // Calls `input(state, now, actions)` and carries out the actions.
  template <class Input>
  void act(Input&& input) {
    const auto now = runtime_.now();
    std::forward<Input>(input)(*state_, now, actions_);
    finish(now);
  }
  // See server_state::change_access().
  void change_access(zmtp::access_rules rules) {
    act([&](server_state& s, clock::time_point, server_actions& out) {
      s.change_access(std::move(rules), out);
    });
  }
  [[nodiscard]] const zmtp::socket_counters& publisher_counters() const noexcept {
    return publisher_->socket().counters();
  }

private:
  using collector_socket = std::variant<zmtp::sub_socket, zmtp::pull_socket>;

  [[nodiscard]] static collector_socket make_collector(const boost::asio::any_io_executor& executor,
                                                       const server_options& options);
  // Passes each event of a socket's peers to `take`.
  template <class Socket>
  static boost::asio::awaitable<void> serve(std::shared_ptr<server_core> self, Socket& of,
                                            void (server_core::*take)(zmtp::routed_message&,
                                                                      clock::time_point));
  static boost::asio::awaitable<void> collect(std::shared_ptr<server_core> self);
  // Handles an update of a client, with its principal if there are rules.
  void on_collected(const zmtp::message_view& item);
  [[nodiscard]] const std::string& principal_of(zmtp::peer_id peer) const;
  template <class Socket>
  void attach(zmtp::peer_id peer, const Socket& of,
              void (server_state::*take)(zmtp::peer_id, const zmtp::metadata&, std::string_view));
  void read_piece(zmtp::peer_id peer);
  void on_snapshot_client(zmtp::routed_message& item, clock::time_point now);
  void on_subscriber(zmtp::routed_message& item, clock::time_point now);
  void on_time();
  void finish(clock::time_point now);
  void carry_out();
  void report();
  void write();

  std::shared_ptr<server_state> state_;
  hooks hooks_;
  std::weak_ptr<log_store> store_;
  std::shared_ptr<snapshot_port> snapshots_;
  std::shared_ptr<publisher_port> publisher_;
  collector_socket collector_;
  const bool has_rules_;
  std::unordered_map<zmtp::peer_id, std::string> collector_peers_;  // with rules: their principals
  boost::asio::any_io_executor executor_;
  zmtp::runtime& runtime_;
  server_actions actions_;
  bool stopped_ = false;
  bool held_ = false;  // a coroutine waits in until_room()
  zmtp::timer room_;   // cancelled when a queue may have space
  zmtp::alarm alarm_;
};

}  // namespace chp
