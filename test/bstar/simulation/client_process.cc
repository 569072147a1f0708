#include "test/bstar/simulation/client_process.h"

#include "zmtp/runtime/timer.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>
#include <utility>

namespace bstar::simulation {

namespace asio = boost::asio;

namespace {

asio::awaitable<void> insist(std::string server, std::chrono::milliseconds pace) {
  const auto executor = co_await asio::this_coro::executor;
  zmtp::dealer_socket socket{executor};
  socket.connect(server);
  zmtp::timer pause{executor};
  for (;;) {
    // While the server is away, the queue becomes full.
    static_cast<void>(socket.try_send(zmtp::message{"", "insistent"}));
    pause.expires_after(pace);
    co_await pause.async_wait(asio::use_awaitable);
    zmtp::message answer;
    while (socket.try_receive(answer)) {
    }
  }
}

}  // namespace

client_process::client_process(zmtp::simulation::world& in, pair_history& to,
                               const std::string& host, std::vector<std::string> servers,
                               const client_options& how)
    : process_{&in.add(host)}, history_{&to} {
  // The process owns the client, because a client must be destroyed before its context.
  process_->start([this, servers = std::move(servers), how](asio::any_io_executor executor) {
    auto calls = std::make_shared<client>(executor, servers, how);
    asio::co_spawn(executor, call(*calls, how.timeout / 10), asio::detached);
    return calls;
  });
}

asio::awaitable<void> client_process::call(client& calls, std::chrono::milliseconds pace) {
  zmtp::timer pause{co_await asio::this_coro::executor};
  for (std::size_t n = 0;; ++n) {
    const zmtp::message body{process_->host() + std::to_string(n)};
    const auto [ec, answer] =
        co_await calls.async_request(body, {}, asio::as_tuple(asio::use_awaitable));
    if (ec || answer != body) {
      history_->report(violation::unserved, process_->host() + " got a wrong answer");
    }
    ++answers_;
    pause.expires_after(pace);
    co_await pause.async_wait(asio::use_awaitable);
  }
}

insistent_client_process::insistent_client_process(zmtp::simulation::world& in,
                                                   const std::string& host,
                                                   const std::string& endpoint,
                                                   std::chrono::milliseconds pace)
    : process_{&in.add(host)} {
  process_->run([endpoint, pace] { return insist(endpoint, pace); });
}

}  // namespace bstar::simulation
