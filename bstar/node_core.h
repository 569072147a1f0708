#pragma once
// The core of a node: its sockets, its state machine and its timer.

#include "bstar/epoch_file.h"
#include "bstar/node.h"
#include "bstar/state_machine.h"
#include "zmtp/message_batch.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/runtime/timer.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <boost/asio/awaitable.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace bstar {

// The data for status(), which outlive the core.
struct node::shown {
  role as;
  state_machine machine;
  std::uint64_t states_received = 0;
  std::uint64_t states_refused = 0;
  std::array<std::uint64_t, errc_count> bad_messages{};
  std::uint64_t requests_accepted = 0;
  std::uint64_t requests_rejected = 0;
};

// Owned by its coroutines, so the execution context destroys it.
class node::core : public std::enable_shared_from_this<node::core> {
public:
  core(const boost::asio::any_io_executor& executor, const node_options& options,
       node_handlers&& handlers, const std::shared_ptr<shown>& of);

  // Each reads one socket until it is closed.
  static boost::asio::awaitable<void> hear_peer(std::shared_ptr<core> self);
  static boost::asio::awaitable<void> hear_subscribers(std::shared_ptr<core> self);
  static boost::asio::awaitable<void> hear_clients(std::shared_ptr<core> self, voter handler);

  [[nodiscard]] zmtp::xpub_socket& publisher() noexcept { return publisher_; }
  [[nodiscard]] zmtp::sub_socket& subscriber() noexcept { return subscriber_; }
  [[nodiscard]] std::chrono::steady_clock::time_point now() const noexcept {
    return runtime_.now();
  }
  [[nodiscard]] bool stopped() const noexcept { return stopped_; }

  // Creates the voter, or returns null if the node has one.
  [[nodiscard]] zmtp::router_socket* make_voter();
  void drop_voter() { voter_.reset(); }

  // See the functions of node.
  [[nodiscard]] bool vote();
  void check_pause() {
    if (!stopped_) {
      on_time();
    }
  }
  void set_position(std::uint64_t position, epoch of) noexcept;
  void renew_epoch();
  void set_data_lost(bool lost) noexcept { machine_.set_data_lost(lost); }
  void set_declines(bool declines) noexcept { machine_.set_declines(declines); }
  void hand_over();
  void stop();

private:
  struct listener {
    zmtp::peer_id peer;
    bool ours;
  };

  // A connection that has ended is not known any more. Its last state is then refused too.
  [[nodiscard]] bool is_of_peer(zmtp::peer_id from) const;

  void on_state(const zmtp::message& m);
  void on_subscriber(const zmtp::message_view& item);
  void on_time();
  void carry_out();
  void tell(const listener& to);
  void persist(epoch which);
  // Asks the witness, if there is one.
  void acquire(epoch which);

  template <class Handler, class Argument>
  void call(const Handler& handler, const Argument& argument) {
    if (handler && !stopped_) {
      zmtp::call_user(executor_, [&] { handler(argument); });
    }
  }

  boost::asio::any_io_executor executor_;
  zmtp::runtime& runtime_;
  node_handlers handlers_;
  epoch_file file_;
  const std::optional<zmtp::curve_public_key> peer_key_;
  zmtp::socket_options voter_options_;
  zmtp::xpub_socket publisher_;
  zmtp::sub_socket subscriber_;
  std::optional<zmtp::router_socket> voter_;
  std::vector<listener> listeners_;
  const std::shared_ptr<shown> shown_;
  state_machine& machine_;
  machine_actions actions_;
  bool stopped_ = false;
  zmtp::alarm alarm_;
};

}  // namespace bstar
