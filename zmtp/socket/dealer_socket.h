#pragma once
// DEALER: sends each message to the next peer that has room, receives fairly from all. Face of
// zmtp/routing/round_robin_state.h.

#include "zmtp/options.h"
#include "zmtp/routing/routed_message.h"
#include "zmtp/socket/receiving.h"
#include "zmtp/socket/receiving_from.h"
#include "zmtp/socket/sending.h"
#include "zmtp/socket/socket.h"

#include <cstddef>
#include <vector>

namespace zmtp {

class dealer_socket : public sending<receiving_from<receiving<socket>>> {
public:
  // With the options' defaults. No default argument: GCC 12 destroys one twice if the executor is
  // awaited in the same expression.
  explicit dealer_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error with errc::bad_option.
  dealer_socket(asio::any_io_executor executor, const socket_options& options);

  using receiving<socket>::async_receive;
  // Like the batch of messages, with the sender beside each, and with socket_options::announce_peers
  // the attach and detach of peers among them.
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  auto async_receive(std::vector<routed_message>& batch, deadline until, Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code, std::size_t)>(
        [this, &batch](operations::received_handler h, deadline when) {
          operations::start_receive(*core_, batch, when, std::move(h));
        },
        token, until);
  }
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  auto async_receive(std::vector<routed_message>& batch, Token&& token = {}) {
    return async_receive(batch, deadline{}, std::forward<Token>(token));
  }
};

}  // namespace zmtp
