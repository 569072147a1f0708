// The programs of PUB, XPUB, SUB and XSUB.
#include "test/zmtp/simulation/programs.h"
#include "zmtp/runtime/completion.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <type_traits>

namespace zmtp::simulation {

namespace asio = boost::asio;
using asio::awaitable;
using asio::use_awaitable;

bool programs::is_due(const participant& subscriber, const participant& publisher,
                      std::string_view topic) const {
  const auto& wanted = history_.topics_of(subscriber.number);
  return std::any_of(wanted.begin(), wanted.end(), [&](const auto& w) {
    const auto given = granted(publisher, w);
    return given && topic.starts_with(*given);
  });
}

std::size_t programs::receivers_of(const participant& p, std::string_view topic) const {
  if (!settled_) {
    return 0;
  }
  return static_cast<std::size_t>(std::count_if(all_.begin(), all_.end(), [&](const auto& other) {
    return p.type == socket_type::xsub ? other->type == socket_type::xpub
                                       : subscribes(other->type) && is_due(*other, p, topic);
  }));
}

// Sends each message to many peers, and knows the moment when the socket has taken it. An XSUB sends
// some that would be a subscription if they stood alone.
template <class Socket>
awaitable<void> programs::publish(participant& p, Socket& socket) {
  co_await socket.async_wait_peers(1, use_awaitable);
  for (;;) {
    for (co_await wait_for_turn(p); p.due != 0; --p.due) {
      std::string first;
      if (!p.next_topics.empty()) {
        first = p.next_topics.front();
        p.next_topics.pop_front();
      } else if constexpr (std::is_same_v<Socket, xsub_socket>) {
        first = "\1weather";
      } else {
        first = published_topics[world_.random().pick(published_topics.size())];
      }
      const bool bare = std::is_same_v<Socket, xsub_socket> && world_.random().chance(50);
      const std::array<std::string_view, 1> envelope{first};
      parcel next;
      auto m = wrap_next(p, next, std::span{envelope}.first(bare ? 0 : 1));
      history_.offered(next, first);
      while (socket.try_send(std::move(m)) == send_status::full) {
        co_await socket.async_wait_writable(use_awaitable);
      }
      history_.queued(next, receivers_of(p, first));
      history_.check_marks(p.number);
    }
  }
}

awaitable<void> programs::converse(participant& p, pub_socket& socket) {
  co_await publish(p, socket);
}

awaitable<void> programs::converse(participant& p, xpub_socket& socket) {
  asio::co_spawn(co_await asio::this_coro::executor, publish(p, socket), rethrow);
  for (;;) {
    history_.check_marks(p.number);
    auto got = co_await receive(socket);
    edit(p, got);
    for (const auto& m : got) {
      const auto said = history_.received(p.number, m);
      if (!said && m.what == routed_message::kind::message) {
        grant(p, socket, m);
      }
    }
    if (!p.eager) {
      co_await pause(p.pace);
    }
  }
}

void programs::grant(const participant& p, xpub_socket& socket, const routed_message& action) {
  const auto wanted = action.content.front();
  const bool begins = wanted.starts_with('\1');
  const auto topic = granted(p, wanted.substr(1));
  if (p.options.xpub.manual && topic) {
    error_code ec;
    begins ? socket.subscribe(action.peer, *topic, ec) : socket.cancel(action.peer, *topic, ec);
    if (!ec) {
      history_.granted(p.number, action.peer, begins, *topic);
    }
  }
  if (fault_.subscribed) {
    fault_.subscribed(socket, action.peer);
  }
}

void programs::change_topic(participant& p, bool begins, std::string_view topic) {
  begins ? history_.subscribed(p.number, topic) : history_.unsubscribed(p.number, topic);
  p.change_topic(begins, topic);
}

void programs::subscribe(participant& p, std::string_view topic) {
  asio::post(p.in->executor(), [this, &p, topic] { change_topic(p, true, topic); });
}

void programs::change_some_topic(participant& p) {
  auto& random = world_.random();
  const auto& topics = history_.topics_of(p.number);
  if (topics.empty() || random.chance(50)) {
    change_topic(p, true, wanted_topics[random.pick(wanted_topics.size())]);
    return;
  }
  const std::string topic{
      *std::next(topics.begin(), static_cast<std::ptrdiff_t>(random.pick(topics.size())))};
  change_topic(p, false, topic);
}

// Subscribes to some topics, and changes them now and then, but never while it has received messages
// that it has not recorded.
template <class Socket>
awaitable<void> programs::follow(participant& p, Socket& socket) {
  for (auto count = world_.random().between(1, 3); count != 0; --count) {
    change_topic(p, true, wanted_topics[world_.random().pick(wanted_topics.size())]);
  }
  for (;;) {
    co_await socket.async_wait_readable(use_awaitable);
    history_.check_marks(p.number);
    batch got;
    for (routed_message m; socket.try_receive_from(m);) {
      got.push_back(std::move(m));
    }
    record(p, got);
    if (!settled_ && world_.random().chance(p.topic_changes)) {
      change_some_topic(p);
    }
    if (!p.eager) {
      co_await pause(p.pace);
    }
  }
}

awaitable<void> programs::converse(participant& p, sub_socket& socket) {
  p.change_topic = [&socket](bool begins, std::string_view topic) {
    begins ? socket.subscribe(topic) : socket.unsubscribe(topic);
  };
  co_await follow(p, socket);
}

awaitable<void> programs::converse(participant& p, xsub_socket& socket) {
  p.change_topic = [&socket](bool begins, std::string_view topic) {
    (void)socket.try_send(message{(begins ? '\1' : '\0') + std::string{topic}});
  };
  asio::co_spawn(co_await asio::this_coro::executor, publish(p, socket), rethrow);
  co_await follow(p, socket);
}

}  // namespace zmtp::simulation
