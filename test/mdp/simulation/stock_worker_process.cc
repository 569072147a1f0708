#include "test/mdp/simulation/stock_worker_process.h"

#include "test/mdp/simulation/stock_process.h"
#include "zmtp/runtime/completion.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <initializer_list>

namespace mdp::simulation {

namespace asio = boost::asio;

namespace {

constexpr unsigned full_liveness = 3;
constexpr std::string_view ready = "\1";
constexpr std::string_view request = "\2";
constexpr std::string_view reply = "\3";
constexpr std::string_view heartbeat = "\4";
constexpr std::string_view disconnect = "\5";

zmtp::message message_of(std::initializer_list<std::string_view> frames) {
  zmtp::message m;
  for (const auto frame : frames) {
    m.push_back(frame);
  }
  return m;
}

}  // namespace

void stock_worker_process::begin() {
  hangs_ = false;
  asio::co_spawn(executor(), serve(), zmtp::rethrow);
}

void stock_worker_process::be_good() {
  how_.hangs = 0;
  if (hangs_ && running()) {
    kill(false);
    start();
  }
}

asio::awaitable<void> stock_worker_process::serve() {
  for (;;) {
    const auto why = co_await talk();
    if (why == end_of_talk::silence) {
      co_await sleep(options_.reconnect_delay);
    }
  }
}

// The loop of the Guide's mdwrkapi.
asio::awaitable<stock_worker_process::end_of_talk> stock_worker_process::talk() {
  const auto in = executor();
  const auto at_once = without_linger();
  zmtp::dealer_socket broker{in, at_once};
  broker.connect(broker_);
  // GCC 12 cannot make a list of frames in a co_await expression.
  auto hello = message_of({"", worker_header, ready, serves_->name});
  co_await say(broker, std::move(hello));
  auto liveness = full_liveness;
  auto heartbeat_at = here().now() + options_.heartbeat;
  for (;;) {
    const auto [ec, m] =
        co_await broker.async_receive(options_.heartbeat, asio::as_tuple(asio::use_awaitable));
    if (!ec) {
      liveness = full_liveness;
      if (m.size() < 3 || !m[0].empty() || m[1] != worker_header) {
        here().calls().report(violation::wrong_answer,
                              name() + " got a message that is not MDP/0.1");
      } else if (m[2] == request) {
        co_await work(broker, m);
      } else if (m[2] == disconnect) {
        co_return end_of_talk::told_to;
      }
    } else if (--liveness == 0) {
      co_return end_of_talk::silence;
    }
    if (here().now() >= heartbeat_at) {
      heartbeat_at = here().now() + options_.heartbeat;
      auto beat = message_of({"", worker_header, heartbeat});
      co_await say(broker, std::move(beat));
    }
  }
}

// Without a broker, the message is lost.
asio::awaitable<void> stock_worker_process::say(zmtp::dealer_socket& to, zmtp::message m) {
  co_await to.async_send(std::move(m), options_.heartbeat, asio::as_tuple(asio::use_awaitable));
}

// Behind the command come the client's address, an empty frame and the body.
asio::awaitable<void> stock_worker_process::work(zmtp::dealer_socket& to, const zmtp::message& m) {
  const auto call = m.size() > 5 && m[4].empty() ? call_of(m, 5) : std::nullopt;
  if (!call) {
    here().calls().report(violation::wrong_answer, name() + " got a request that no client sent");
    co_return;
  }
  const std::string address{m[3]};
  const auto run = here().calls().begin_run(*call, address);
  here().calls().say_in(run, 1);
  if (here().random().chance(how_.hangs)) {
    hangs_ = true;
    co_await sleep(std::chrono::hours{24});
  }
  co_await sleep(here().up_to(how_.longest));
  const auto body = wrap_piece({*call, run, 0, 1});
  auto answer =
      message_of({"", worker_header, reply, address, "", body[0], body[1], body[2], body[3]});
  co_await say(to, std::move(answer));
}

asio::awaitable<void> stock_worker_process::sleep(std::chrono::nanoseconds time) {
  zmtp::timer timer{executor()};
  timer.expires_after(time);
  co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
}

}  // namespace mdp::simulation
