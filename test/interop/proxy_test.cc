// A proxy of Zinc between libzmq's sockets, in a chain with libzmq's proxy, and controlled by its sockets.

#include "zmtp/socket/proxy.h"

#include "test/interop/two_sides.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace zmtp::test {
namespace {

using asio::use_awaitable;

class proxied : public testing::Test {
protected:
  // Until their part is over, which ends by telling the proxy to.
  void run(proxy& p, const std::function<void()>& their_part) {
    sides.run([&]() -> asio::awaitable<void> { co_await p.async_run(use_awaitable); },
              [&] {
                their_part();
                asio::post(sides.executor(), [&p] { p.terminate(); });
              });
  }

  two_sides sides;
};

class proxied_requests : public proxied {
protected:
  void SetUp() override { client_.connect(frontend_.bind("tcp://127.0.0.1:*").to_string()); }
  void exchange(libzmq::socket& from, libzmq::socket& to, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto question = numbered(i);
      from.send(question);
      ASSERT_EQ(to.receive(), question);
      const auto answer = numbered(i + count);
      to.send(answer);
      ASSERT_EQ(from.receive(), answer);
    }
  }

  router_socket frontend_{sides.executor()};
  dealer_socket backend_{sides.executor()};
  libzmq::socket client_{sides.theirs(), ZMQ_REQ};
  proxy proxy_{frontend_, backend_};
};

TEST_F(proxied_requests, go_from_req_to_rep_and_back) {
  libzmq::socket server{sides.theirs(), ZMQ_REP};
  server.connect(backend_.bind("tcp://127.0.0.1:*").to_string());
  run(proxy_, [&] { exchange(client_, server, 200); });
  EXPECT_EQ(proxy_.statistics().frontend.messages_received, 200U);
  EXPECT_EQ(proxy_.statistics().frontend.messages_sent, 200U);
}

TEST_F(proxied_requests, go_through_a_chain_with_libzmqs_proxy) {
  libzmq::socket their_front{sides.theirs(), ZMQ_ROUTER};
  libzmq::socket their_back{sides.theirs(), ZMQ_DEALER};
  libzmq::socket control{sides.theirs(), ZMQ_PAIR};
  libzmq::socket controller{sides.theirs(), ZMQ_PAIR};
  controller.bind("inproc://control");
  control.connect("inproc://control");
  libzmq::socket server{sides.theirs(), ZMQ_REP};
  backend_.connect(their_front.bind());
  server.connect(their_back.bind());
  const auto no_time_limit = [](libzmq::socket& s) {
    s.set(ZMQ_RCVTIMEO, -1);
    s.set(ZMQ_SNDTIMEO, -1);
  };
  no_time_limit(their_front);
  no_time_limit(their_back);
  no_time_limit(control);
  std::thread theirs{[&] {
    zmq_proxy_steerable(their_front.handle(), their_back.handle(), nullptr, control.handle());
  }};
  run(proxy_, [&] {
    exchange(client_, server, 100);
    controller.send({"TERMINATE"});
  });
  theirs.join();
}

TEST_F(proxied_requests, each_client_gets_its_own_reply) {
  constexpr std::size_t count = 20;
  const auto at = frontend_.bind("tcp://127.0.0.1:*").to_string();
  std::vector<std::unique_ptr<libzmq::socket>> clients;
  for (std::size_t i = 0; i < count; ++i) {
    clients.push_back(std::make_unique<libzmq::socket>(sides.theirs(), ZMQ_REQ));
    clients.back()->connect(at);
  }
  libzmq::socket server{sides.theirs(), ZMQ_REP};
  server.connect(backend_.bind("tcp://127.0.0.1:*").to_string());
  run(proxy_, [&] {
    for (int round = 0; round < 5; ++round) {
      for (std::size_t i = 0; i < count; ++i) {
        clients[i]->send({std::to_string(i)});
      }
      for (std::size_t i = 0; i < count; ++i) {
        server.send({server.receive().front(), "answered"});
      }
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(clients[i]->receive(), (parts{std::to_string(i), "answered"}));
      }
    }
  });
}

TEST_F(proxied_requests, are_controlled_as_libzmqs_are) {
  rep_socket control{sides.executor()};
  libzmq::socket controller{sides.theirs(), ZMQ_REQ};
  controller.connect(control.bind("tcp://127.0.0.1:*").to_string());
  libzmq::socket server{sides.theirs(), ZMQ_REP};
  server.connect(backend_.bind("tcp://127.0.0.1:*").to_string());
  const auto tell = [&](const char* what) {
    controller.send({what});
    return controller.receive();
  };
  proxy_.obey(control);
  sides.run([&]() -> asio::awaitable<void> { co_await proxy_.async_run(use_awaitable); },
            [&] {
              exchange(client_, server, 1);
              const auto statistics = tell("STATISTICS");
              ASSERT_EQ(statistics.size(), 8U);
              std::uint64_t received = 0;
              std::memcpy(&received, statistics[0].data(), sizeof received);
              EXPECT_EQ(received, 1U);
              tell("PAUSE");
              client_.send({"held up"});
              EXPECT_FALSE(server.receive_within(std::chrono::milliseconds{20}));
              tell("RESUME");
              EXPECT_EQ(server.receive(), parts{"held up"});
              tell("TERMINATE");
            });
}

// A hundred thousand messages, far above the marks, there and back (the Guide's round-trip demo).
TEST_F(proxied, pipelined_requests_are_not_lost) {
  constexpr std::size_t count = 100'000;
  dealer_socket frontend{sides.executor()};
  dealer_socket backend{sides.executor()};
  libzmq::socket client{sides.theirs(), ZMQ_DEALER};
  libzmq::socket worker{sides.theirs(), ZMQ_DEALER};
  client.set(ZMQ_SNDHWM, 0);
  client.set(ZMQ_RCVHWM, 0);
  client.connect(frontend.bind("tcp://127.0.0.1:*").to_string());
  worker.connect(backend.bind("tcp://127.0.0.1:*").to_string());
  proxy p{frontend, backend};
  run(p, [&] {
    std::thread echo{[&] {
      for (std::size_t i = 0; i < count; ++i) {
        worker.send(worker.receive());
      }
    }};
    for (std::size_t i = 0; i < count; ++i) {
      client.send({"hello"});
    }
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(client.receive(), parts{"hello"});
    }
    echo.join();
  });
  EXPECT_EQ(p.statistics().dropped, 0U);
}

TEST_F(proxied, pipelines_are_in_order_and_whole) {
  constexpr std::size_t count = 2'000;
  pull_socket from{sides.executor()};
  push_socket to{sides.executor()};
  libzmq::socket producer{sides.theirs(), ZMQ_PUSH};
  libzmq::socket consumer{sides.theirs(), ZMQ_PULL};
  producer.connect(from.bind("tcp://127.0.0.1:*").to_string());
  consumer.connect(to.bind("tcp://127.0.0.1:*").to_string());
  proxy p{from, to};
  run(p, [&] {
    std::thread produce{[&] {
      for (std::size_t i = 0; i < count; ++i) {
        producer.send(numbered(i));
      }
    }};
    for (std::size_t i = 0; i < count; ++i) {
      const auto m = consumer.receive();
      ASSERT_TRUE(m == numbered(i)) << i << ": " << describe(m);
    }
    produce.join();
  });
}

TEST_F(proxied, publications_and_their_copies_arrive) {
  sub_socket from{sides.executor()};
  pub_socket to{sides.executor()};
  push_socket capture{sides.executor()};
  from.subscribe("");
  libzmq::socket publisher{sides.theirs(), ZMQ_XPUB};
  libzmq::socket subscriber{sides.theirs(), ZMQ_SUB};
  libzmq::socket watcher{sides.theirs(), ZMQ_PULL};
  subscriber.set(ZMQ_SUBSCRIBE, "A");
  from.connect(publisher.bind());
  subscriber.connect(to.bind("tcp://127.0.0.1:*").to_string());
  watcher.connect(capture.bind("tcp://127.0.0.1:*").to_string());
  proxy p{from, to};
  p.capture_to(capture);
  run(p, [&] {
    EXPECT_EQ(publisher.receive(), parts{std::string(1, '\1')});
    // Sends until the subscription has arrived behind the proxy.
    std::optional<parts> first;
    std::size_t sent = 0;
    for (; !first; ++sent) {
      publisher.send({"A", std::to_string(sent)});
      first = subscriber.receive_within(std::chrono::milliseconds{1});
    }
    publisher.send({"B", "is not for it"});
    publisher.send({"A", "last"});
    parts m = *first;
    while (m.back() != "last") {
      EXPECT_EQ(m.front(), "A");
      m = subscriber.receive();
    }
    for (std::size_t i = 0; i < sent; ++i) {
      ASSERT_EQ(watcher.receive(), (parts{"A", std::to_string(i)}));
    }
    EXPECT_EQ(watcher.receive().front(), "B");
    EXPECT_EQ(watcher.receive().back(), "last");
  });
}

}  // namespace
}  // namespace zmtp::test
