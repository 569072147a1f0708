#include "test/zmtp/simulation/programs.h"

#include "zmtp/runtime/timer.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <array>
#include <chrono>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace zmtp::simulation {

namespace asio = boost::asio;
using asio::awaitable;
using asio::use_awaitable;
using std::chrono::seconds;

namespace {

constexpr auto no_throw = asio::as_tuple(use_awaitable);
constexpr auto rethrow = [](const std::exception_ptr& thrown) {
  if (thrown) {
    std::rethrow_exception(thrown);
  }
};
constexpr std::string_view empty_part;

}  // namespace

void programs::start(participant& p) {
  p.in->start([this, &p](const asio::any_io_executor& in) {
    const auto spawn = [&](awaitable<void> body) { asio::co_spawn(in, std::move(body), rethrow); };
    switch (p.type) {
      case socket_type::push: spawn(live<push_socket>(p)); break;
      case socket_type::pull: spawn(live<pull_socket>(p)); break;
      case socket_type::dealer: spawn(live<dealer_socket>(p)); break;
      case socket_type::router: spawn(live<router_socket>(p)); break;
      case socket_type::req: spawn(live<req_socket>(p)); break;
      case socket_type::rep: spawn(live<rep_socket>(p)); break;
      case socket_type::pair: spawn(live<pair_socket>(p)); break;
      case socket_type::pub: spawn(live<pub_socket>(p)); break;
      case socket_type::sub: spawn(live<sub_socket>(p)); break;
      case socket_type::xpub: spawn(live<xpub_socket>(p)); break;
      default: break;
    }
    return nullptr;
  });
}

// The types differ here: they speak, listen, or answer.
template <class Socket>
awaitable<void> programs::live(participant& p) {
  const auto in = co_await asio::this_coro::executor;
  Socket socket{in, p.options};
  if constexpr (std::is_same_v<Socket, sub_socket>) {
    socket.subscribe("");
  }
  if (p.binds) {
    socket.bind("tcp://*:5555");
  }
  for (const auto& to : p.connects_to) {
    socket.connect(to);
  }
  if constexpr (std::is_same_v<Socket, req_socket>) {
    co_await ask(p, socket);
  } else if constexpr (std::is_same_v<Socket, rep_socket> ||
                       std::is_same_v<Socket, router_socket>) {
    co_await answer(p, socket);
  } else if constexpr (std::is_same_v<Socket, xpub_socket>) {
    asio::co_spawn(in, speak(p, socket), rethrow);
    for (;;) {
      // Further subscriptions wait until these are received.
      (void)co_await socket.async_receive(use_awaitable);
    }
  } else if constexpr (std::is_same_v<Socket, push_socket> || std::is_same_v<Socket, pub_socket>) {
    co_await speak(p, socket);
  } else if constexpr (std::is_same_v<Socket, pull_socket> || std::is_same_v<Socket, sub_socket>) {
    co_await listen(p, socket);
  } else {
    asio::co_spawn(in, speak(p, socket), rethrow);
    co_await listen(p, socket);
  }
}

// Returns whether there is something to send now.
awaitable<bool> programs::wait_for_turn(participant& p) {
  timer pause{co_await asio::this_coro::executor};
  pause.expires_after(world_.random().up_to(p.pace));
  co_await pause.async_wait(use_awaitable);
  if (p.to_send != 0) {
    --p.to_send;
    ++p.due;
  }
  co_return p.due != 0;
}

message programs::wrap_next(const participant& p, parcel& next, bool delimited) {
  next = history_.next(p.number);
  const std::array<std::string_view, 1> delimiter{empty_part};
  auto m = wrap(next, std::span{delimiter}.first(delimited ? 1 : 0), {}, world_.random());
  history_.offered(next);
  return m;
}

template <class Socket>
awaitable<void> programs::speak(participant& p, Socket& socket) {
  if (publishes(p.type)) {
    // Without a subscription a publication goes nowhere.
    co_await socket.async_wait_peers(p.number == 1 ? all_.size() - 1 : 1, use_awaitable);
    timer subscriptions_come{co_await asio::this_coro::executor};
    subscriptions_come.expires_after(seconds{1});
    co_await subscriptions_come.async_wait(use_awaitable);
  }
  const bool delimited = types_.hub == socket_type::rep;
  for (;;) {
    if (!co_await wait_for_turn(p)) {
      continue;
    }
    parcel next;
    auto m = wrap_next(p, next, delimited);
    co_await socket.async_send(std::move(m), use_awaitable);
    history_.queued(next);
    --p.due;
  }
}

std::optional<parcel> programs::record(const participant& p, routed_message m) {
  if (!edit_) {
    return history_.received(p.number, m);
  }
  std::optional<parcel> got;
  for (auto& edited : edit_(std::move(m.content))) {
    m.content = std::move(edited);
    got = history_.received(p.number, m);
  }
  return got;
}

template <class Socket>
awaitable<void> programs::listen(participant& p, Socket& socket) {
  for (;;) {
    (void)record(p, co_await socket.async_receive_from(use_awaitable));
  }
}

awaitable<void> programs::ask(participant& p, req_socket& socket) {
  for (;;) {
    if (!co_await wait_for_turn(p)) {
      continue;
    }
    parcel next;
    auto m = wrap_next(p, next, false);
    co_await socket.async_send(std::move(m), use_awaitable);
    history_.queued(next);
    const auto [ec, reply] = co_await socket.async_receive_from(seconds{5}, no_throw);
    if (ec) {
      continue;  // asks again
    }
    --p.due;
    const auto got = record(p, reply);
    if (got && got->answers != next.sequence) {
      history_.report(violation::wrong_answer, "party " + std::to_string(p.number) + " asked " +
                                                   std::to_string(next.sequence) + ", got " +
                                                   std::to_string(got->answers));
    }
  }
}

awaitable<void> programs::answer(participant& p, rep_socket& socket) {
  for (;;) {
    const auto request = record(p, co_await socket.async_receive_from(use_awaitable));
    if (!request) {
      continue;
    }
    auto reply = history_.next(p.number, request->sender, request->sequence);
    auto m = wrap(reply, {}, {}, world_.random());
    history_.offered(reply);
    // A REP drops a reply that its peer has no space for.
    const auto sent_before = socket.counters().messages_sent;
    const auto [ec] = co_await socket.async_send(std::move(m), no_throw);
    if (!ec && socket.counters().messages_sent != sent_before) {
      history_.queued(reply);
    }
  }
}

awaitable<void> programs::answer(participant& p, router_socket& socket) {
  for (;;) {
    auto request = co_await socket.async_receive(use_awaitable);
    const auto from = request.peer;
    const auto envelope = unwrap(request.content).envelope;
    const std::vector<std::string> parts{envelope.begin(), envelope.end()};
    const auto got = record(p, std::move(request));
    if (!got) {
      continue;
    }
    const std::vector<std::string_view> views{parts.begin(), parts.end()};
    auto reply = history_.next(p.number, got->sender, got->sequence);
    auto m = wrap(reply, views, {}, world_.random());
    history_.offered(reply);
    const auto [ec] = co_await socket.async_send(from, std::move(m), no_throw);
    if (!ec) {
      history_.queued(reply);
    }
  }
}

}  // namespace zmtp::simulation
