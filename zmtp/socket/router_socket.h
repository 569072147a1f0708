#pragma once
// ROUTER: receives from all and says from whom, sends to whom one says. Face of
// zmtp/routing/router_state.h.

#include "zmtp/options.h"
#include "zmtp/routing/peer_id.h"
#include "zmtp/routing/routed_message.h"
#include "zmtp/socket/addressing.h"
#include "zmtp/socket/receiving.h"
#include "zmtp/socket/sending.h"
#include "zmtp/socket/socket.h"

#include <optional>
#include <string_view>

namespace zmtp {

class router_state;

// A peer is named by its peer_id, which is beside the message and not a frame in it. With
// socket_options::announce_peers attach and detach are received too, in order.
class router_socket : public addressing<receiving<socket, routed_message>> {
public:
  // With the options' defaults. No default argument: GCC 12 destroys one twice if the executor is
  // awaited in the same expression.
  explicit router_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error with errc::bad_option.
  router_socket(asio::any_io_executor executor, const socket_options& options);

  // The same with an envelope, as libzmq's ROUTER has it, for who passes messages on: the first part is
  // the routing id of who sent it, or of who is to have it. Attach and detach are passed over. A message
  // of that part alone goes nowhere.
  using addressing::async_receive;
  using addressing::try_receive;
  [[nodiscard]] bool try_receive(message& to) { return operations::try_receive(*core_, to); }
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  auto async_receive(std::vector<message>& batch, deadline until, Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code, std::size_t)>(
        [this, &batch](operations::received_handler h, deadline when) {
          operations::start_receive(*core_, batch, when, std::move(h));
        },
        token, until);
  }
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  auto async_receive(std::vector<message>& batch, Token&& token = {}) {
    return async_receive(batch, deadline{}, std::forward<Token>(token));
  }
  // What the peer, or the lack of one, does not take is dropped and counted, and queued says that it is
  // dealt with; with socket_options::mandatory it is full or unknown, and `m` is as it was.
  using addressing::async_send;
  using addressing::try_send;
  [[nodiscard]] send_status try_send(message&& m) {
    return operations::try_send(*core_, std::move(m));
  }
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  auto async_send(std::vector<message>& batch, deadline until, Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code, std::size_t)>(
        [this, &batch](operations::count_handler h, deadline when) {
          operations::start_send(*core_, batch, when, std::move(h));
        },
        token, until);
  }
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  auto async_send(std::vector<message>& batch, Token&& token = {}) {
    return async_send(batch, deadline{}, std::forward<Token>(token));
  }

  // The living peer with this routing id.
  [[nodiscard]] std::optional<peer_id> find(std::string_view routing_id) const noexcept;

private:
  router_state* state_;
};

}  // namespace zmtp
