#include "zmtp/authenticators/zap.h"

#include "zmtp/authenticators/authenticator_function.h"
#include "zmtp/authenticators/zap_message.h"
#include "zmtp/runtime/runtime.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstdint>
#include <utility>
#include <variant>

namespace zmtp {

namespace {

namespace asio = boost::asio;
using verdict = authenticator::verdict;

constexpr const char* handler_endpoint = "inproc://zeromq.zap.01";

// Asks with a socket of its own, so that a late reply reaches no other request.
asio::awaitable<verdict> ask(asio::any_io_executor executor,
                             std::shared_ptr<const zap_options> options, peer_info peer,
                             credentials shown) {
  const auto refuse = [&options = *options](const std::string& fault) -> verdict {
    if (options.on_fault) {
      options.on_fault(std::string{"ZAP handler at "} + handler_endpoint + ": " + fault);
    }
    return authenticator::refusal{.status = "500"};
  };
  constexpr auto as_result = asio::as_tuple(asio::use_awaitable);
  auto& time = runtime::of(executor);
  const auto deadline = time.now() + options->timeout;
  const zap_request request{.id = std::to_string(time.random<std::uint64_t>()),
                            .domain = options->domain,
                            .routing_id = options->routing_id};
  socket_options of_socket;
  of_socket.linger = std::chrono::milliseconds{0};
  req_socket socket{executor, of_socket};
  socket.connect(handler_endpoint);
  auto question = to_message(request, peer, shown);
  const auto [not_sent] = co_await socket.async_send(std::move(question), deadline, as_result);
  if (not_sent) {
    co_return refuse("none is bound; bind it in this process");
  }
  const auto [not_received, reply] = co_await socket.async_receive(deadline, as_result);
  if (not_received) {
    co_return refuse("no reply in time; it must answer each request");
  }
  auto decided = parse_zap_reply(reply, request);
  if (const auto* const fault = std::get_if<std::string>(&decided)) {
    co_return refuse(*fault + "; correct the handler");
  }
  co_return std::get<verdict>(std::move(decided));
}

}  // namespace

std::shared_ptr<authenticator> make_zap_authenticator(asio::any_io_executor executor,
                                                      const zap_options& options) {
  return make_authenticator(executor, [executor, kept = std::make_shared<const zap_options>(
                                                     options)](peer_info peer, credentials shown) {
    return ask(executor, kept, std::move(peer), std::move(shown));
  });
}

}  // namespace zmtp
