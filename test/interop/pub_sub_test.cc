// Every pairing of our PUB and SUB with libzmq's SUB, XSUB, PUB and XPUB, with messages of every shape.

#include "test/interop/two_sides.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <future>
#include <initializer_list>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using asio::use_awaitable;

class pub_sub : public testing::TestWithParam<binder> {
protected:
  static constexpr const char* start = "start";

  // With the topic A.
  static const std::vector<parts>& shapes() {
    static const auto all = [] {
      std::vector<parts> list{
          {"A"},
          {"A", "body"},
          {"A", "", "body", ""},
          {"A" + std::string(1, '\0'), std::string("\0\xff\x01\x02", 4)},
          {"A" + content(3, 1), content(70'000, 2), "", content(255, 3), content(256, 4), "last"},
      };
      for (const auto size : std::initializer_list<std::size_t>{0, 1, 253, 254, 255, 4'095, 4'096,
                                                                8'191, 65'535, 65'536, 1'048'576}) {
        list.push_back({"A" + content(size, size)});
        list.push_back({"A", content(size, size)});
      }
      list.emplace_back(500, "A part");
      return list;
    }();
    return all;
  }

  static socket_options no_drop() {
    socket_options options;
    options.no_drop = true;
    return options;
  }

  // Publishes until a subscriber of `topic` receives it. Then earlier subscriptions are known, too.
  static asio::awaitable<void> agree(pub_socket& ours, std::string topic) {
    const auto executor = ours.get_executor();
    const auto before = ours.counters().messages_sent;
    while (ours.counters().messages_sent == before) {
      message m{topic};
      co_await ours.async_send(std::move(m), use_awaitable);
      co_await asio::post(executor, use_awaitable);
    }
  }
  static asio::awaitable<void> publish(pub_socket& ours, parts what) {
    message m = to_message(what);
    co_await ours.async_send(std::move(m), use_awaitable);
  }
  asio::awaitable<void> publish_shapes(pub_socket& ours) {
    co_await agree(ours, start);
    for (const auto& shape : shapes()) {
      parts unwanted = with_first("B", shape);
      parts wanted = shape;
      co_await publish(ours, std::move(unwanted));
      co_await publish(ours, std::move(wanted));
    }
  }
  static void expect_shapes(libzmq::socket& theirs) {
    EXPECT_EQ(theirs.receive(), parts{start});
    for (const auto& shape : shapes()) {
      const auto m = theirs.receive();
      ASSERT_TRUE(m == shape) << describe(shape) << " arrived there as " << describe(m);
    }
  }
  static void publish_shapes(libzmq::socket& theirs) {
    for (const auto& shape : shapes()) {
      theirs.send(with_first("B", shape));
      theirs.send(shape);
    }
  }
  asio::awaitable<void> expect_shapes(sub_socket& ours) {
    for (const auto& shape : shapes()) {
      message m;
      do {
        m = co_await ours.async_receive(use_awaitable);
      } while (m.front() == start);
      EXPECT_TRUE(to_parts(m) == shape)
          << describe(shape) << " arrived here as " << describe(to_parts(m));
    }
  }

  two_sides sides;
};

INSTANTIATE_TEST_SUITE_P(both_ways, pub_sub, testing::Values(binder::ours, binder::theirs),
                         [](const auto& who) { return to_string(who.param); });

TEST_P(pub_sub, our_pub_serves_their_sub) {
  pub_socket ours{sides.executor(), no_drop()};
  libzmq::socket theirs{sides.theirs(), ZMQ_SUB};
  theirs.set(ZMQ_SUBSCRIBE, "A");
  theirs.set(ZMQ_SUBSCRIBE, start);
  join(GetParam(), ours, theirs);
  sides.run([&] { return publish_shapes(ours); }, [&] { expect_shapes(theirs); });
}

TEST_P(pub_sub, our_pub_serves_their_xsub) {
  pub_socket ours{sides.executor(), no_drop()};
  libzmq::socket theirs{sides.theirs(), ZMQ_XSUB};
  join(GetParam(), ours, theirs);
  const auto subscribe = [&] {
    // Before there is a connection it would be dropped where we bind; it waits there where they do.
    static_cast<void>(theirs.wait_for(ZMQ_POLLOUT));
    theirs.send({"\1A"});
    theirs.send({std::string{"\1"} + start});
    expect_shapes(theirs);
    // Messages that are not subscriptions must not have an effect.
    theirs.send({"hello", "\1B"});
    theirs.send({std::string("\0A", 2)});
    theirs.send({"\1end"});
    EXPECT_EQ(theirs.receive(), parts{"end"});
  };
  const auto serve = [&]() -> asio::awaitable<void> {
    co_await publish_shapes(ours);
    co_await agree(ours, "end");
    const auto before = ours.counters().messages_sent;
    parts unwanted{"A"};
    co_await publish(ours, std::move(unwanted));
    EXPECT_EQ(ours.counters().messages_sent, before) << "it has cancelled";
  };
  sides.run(serve, subscribe);
}

TEST_P(pub_sub, their_xpub_serves_our_sub) {
  sub_socket ours{sides.executor()};
  ours.subscribe("A");
  libzmq::socket theirs{sides.theirs(), ZMQ_XPUB};
  theirs.set(ZMQ_SNDHWM, 0);
  join(GetParam(), ours, theirs);
  sides.run([&] { return expect_shapes(ours); },
            [&] {
              EXPECT_EQ(theirs.receive(), parts{"\1A"});
              publish_shapes(theirs);
            });
}

TEST_P(pub_sub, their_pub_serves_our_sub) {
  sub_socket ours{sides.executor()};
  ours.subscribe("A");
  ours.subscribe(start);
  libzmq::socket theirs{sides.theirs(), ZMQ_PUB};
  theirs.set(ZMQ_SNDHWM, 0);
  join(GetParam(), ours, theirs);
  std::promise<void> received;
  const auto listen = [&]() -> asio::awaitable<void> {
    const message first = co_await ours.async_receive(use_awaitable);
    EXPECT_EQ(first.front(), start);
    received.set_value();
    co_await expect_shapes(ours);
  };
  sides.run(listen, [&] {
    auto known = received.get_future();
    // A PUB does not report its subscribers.
    do {
      theirs.send({start});
    } while (known.wait_for(1ms) == std::future_status::timeout);
    publish_shapes(theirs);
  });
}

// Z-14: no_drop and a SUB that pushes back lose nothing, in either direction.
constexpr std::size_t many = 50'000;

TEST_P(pub_sub, fifty_thousand_of_ours_arrive_in_order) {
  pub_socket ours{sides.executor(), no_drop()};
  libzmq::socket theirs{sides.theirs(), ZMQ_SUB};
  theirs.set(ZMQ_SUBSCRIBE, "");
  join(GetParam(), ours, theirs);
  const auto serve = [&]() -> asio::awaitable<void> {
    co_await agree(ours, start);
    for (std::size_t n = 0; n < many; ++n) {
      parts m = numbered(n);
      co_await publish(ours, std::move(m));
    }
  };
  sides.run(serve, [&] {
    EXPECT_EQ(theirs.receive(), parts{start});
    for (std::size_t n = 0; n < many; ++n) {
      const auto m = theirs.receive();
      ASSERT_TRUE(m == numbered(n)) << "number " << n << " is " << describe(m);
    }
  });
  EXPECT_EQ(ours.counters().dropped_full, 0U);
}

TEST_P(pub_sub, fifty_thousand_of_theirs_arrive_in_order) {
  socket_options options;
  options.receive_mark.messages = 100;
  sub_socket ours{sides.executor(), options};
  ours.subscribe("");
  libzmq::socket theirs{sides.theirs(), ZMQ_XPUB};
  theirs.set(ZMQ_XPUB_NODROP, 1);
  join(GetParam(), ours, theirs);
  const auto listen = [&]() -> asio::awaitable<void> {
    message_batch batch;
    for (std::size_t n = 0; n < many;) {
      co_await ours.async_receive(batch, use_awaitable);
      for (const auto m : batch) {
        if (to_parts(m.to_message()) != numbered(n)) {
          ADD_FAILURE() << "number " << n << " is " << describe(to_parts(m.to_message()));
          co_return;
        }
        ++n;
      }
    }
  };
  sides.run(listen, [&] {
    EXPECT_EQ(theirs.receive(), parts{"\1"});
    for (std::size_t n = 0; n < many; ++n) {
      theirs.send(numbered(n));
    }
  });
}

TEST_P(pub_sub, our_pub_serves_many_of_theirs_each_what_it_wants) {
  constexpr std::size_t subscribers = 10;
  constexpr std::size_t rounds = 300;
  pub_socket ours{sides.executor(), no_drop()};
  std::vector<std::unique_ptr<libzmq::socket>> theirs;
  for (std::size_t i = 0; i < subscribers; ++i) {
    theirs.push_back(std::make_unique<libzmq::socket>(sides.theirs(), ZMQ_SUB));
    theirs.back()->set(ZMQ_SUBSCRIBE, "own " + std::to_string(i));
    theirs.back()->set(ZMQ_SUBSCRIBE, "all");
    theirs.back()->set(ZMQ_SUBSCRIBE, "start " + std::to_string(i));
    join(GetParam(), ours, *theirs.back());
  }
  const auto serve = [&]() -> asio::awaitable<void> {
    for (std::size_t i = 0; i < subscribers; ++i) {
      std::string topic = "start " + std::to_string(i);
      co_await agree(ours, std::move(topic));
    }
    for (std::size_t n = 0; n < rounds; ++n) {
      parts for_all{"all", std::to_string(n)};
      parts for_one{"own " + std::to_string(n % subscribers), std::to_string(n)};
      co_await publish(ours, std::move(for_all));
      co_await publish(ours, std::move(for_one));
    }
  };
  sides.run(serve, [&] {
    // A socket that binds does nothing, not even subscribe, unless it is called.
    for (std::size_t i = 0; i < subscribers; ++i) {
      EXPECT_EQ(theirs[i]->receive(), parts{"start " + std::to_string(i)});
    }
    for (std::size_t i = 0; i < subscribers; ++i) {
      for (std::size_t n = 0; n < rounds; ++n) {
        ASSERT_EQ(theirs[i]->receive(), (parts{"all", std::to_string(n)}));
        if (n % subscribers == i) {
          ASSERT_EQ(theirs[i]->receive(), (parts{"own " + std::to_string(i), std::to_string(n)}));
        }
      }
    }
  });
}

}  // namespace
}  // namespace zmtp::test
