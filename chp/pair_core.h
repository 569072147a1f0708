#pragma once
// A server of a pair around its decisions: the server's sockets, its node of bstar, and the
// connections to the other server. replicated_server uses it; users do not.

#include "bstar/node.h"
#include "chp/replicated_server.h"
#include "chp/server_core.h"
#include "chp/server_state.h"
#include "zmtp/error.h"
#include "zmtp/peer.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace chp {

// Owned by its coroutines, so that a context that is destroyed also destroys it.
class replicated_server::core : public std::enable_shared_from_this<replicated_server::core> {
public:
  core(const boost::asio::any_io_executor& executor, const replicated_server_options& options,
       replicated_server_handlers handlers, std::shared_ptr<server_state> state);

  // The constructor cannot make these members, because they refer to this object.
  void start(const replicated_server_options& options, const std::weak_ptr<log_store>& store);
  void stop();
  void connect(const server_peer& to, zmtp::error_code& ec);

  [[nodiscard]] server_core& server() noexcept { return *server_; }
  [[nodiscard]] bstar::node& node() noexcept { return *node_; }
  [[nodiscard]] std::shared_ptr<const bstar::node> shared_node() const noexcept { return node_; }

private:
  // Returns a function that calls a member while this object exists.
  template <class... Arguments>
  [[nodiscard]] auto bound(void (core::*member)(Arguments...)) {
    return [weak = weak_from_this(), member](Arguments... arguments) {
      if (const auto self = weak.lock()) {
        ((*self).*member)(std::forward<Arguments>(arguments)...);
      }
    };
  }
  [[nodiscard]] bstar::node_handlers node_handlers();
  [[nodiscard]] bool vote();
  void check_pause();
  void on_active(bstar::epoch epoch);
  void on_passive(bstar::passive_reason why);
  void on_pair_event(bstar::event event);
  void on_peer(const bstar::peer_report& report);
  void tell_node();
  void acquire(bstar::epoch which, std::function<void(bool)> done);
  void ask_witness(const witness_state::attempt& what);
  void on_epoch(const epoch_answer& answer);

  static boost::asio::awaitable<void> follow_feed(std::shared_ptr<core> self);
  static boost::asio::awaitable<void> receive_from_source(std::shared_ptr<core> self);
  static boost::asio::awaitable<void> ask(std::shared_ptr<core> self);
  static boost::asio::awaitable<void> write_lost(std::shared_ptr<core> self, lost_updates what);
  void on_source(const zmtp::routed_message& item, server_core::clock::time_point now,
                 server_actions& out);
  void renew_source();
  void connect_feed(bool wanted);
  void on_rest(server_actions& out);

  boost::asio::any_io_executor executor_;
  zmtp::runtime& runtime_;
  replicated_server_handlers handlers_;
  std::shared_ptr<server_state> state_;
  std::string lost_folder_;
  std::shared_ptr<chp::witness> witness_;
  std::function<void(bool)> acquired_;  // while the node waits for an epoch
  zmtp::sub_socket feed_;
  zmtp::dealer_socket source_;
  std::string source_at_;
  std::string feed_at_;
  bool feed_connected_ = false;
  std::optional<zmtp::peer_id> source_peer_;
  std::deque<zmtp::message> asked_;
  bool asking_ = false;
  sequence sent_position_ = 0;
  std::shared_ptr<server_core> server_;
  std::shared_ptr<bstar::node> node_;
};

}  // namespace chp
