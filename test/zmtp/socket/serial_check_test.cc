#include "test/support/network_test.h"
#include "zmtp/runtime/executor.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

namespace zmtp::test {
namespace {

TEST(serial_check, one_thread_may_enter_repeatedly) {
  serial_check check;
  const serial_check::scope once{check};
  const serial_check::scope twice{check};
}

TEST(serial_check, threads_may_take_turns) {
  serial_check check;
  { const serial_check::scope here{check}; }
  std::thread{[&] { const serial_check::scope there{check}; }}.join();
  { const serial_check::scope here_again{check}; }
}

TEST(serial_check, several_threads_can_use_a_socket_on_a_strand) {
  asio::io_context context;
  const auto strand = asio::make_strand(context);
  router_socket router{strand, announcing()};
  dealer_socket dealer{strand};
  dealer.connect(router.bind("tcp://127.0.0.1:*").to_string());
  auto work = asio::make_work_guard(context);
  std::atomic<int> received = 0;
  constexpr int count = 200;
  std::promise<void> all;
  std::function<void(error_code, const routed_message&)> take = [&](error_code ec,
                                                                    const routed_message& m) {
    received += m.what == routed_message::kind::message ? 1 : 0;
    if (ec || received == count) {
      all.set_value();
    } else {
      router.async_receive(take);
    }
  };
  asio::post(strand, [&] { router.async_receive(take); });
  for (int i = 0; i < count; ++i) {
    asio::post(strand, [&] { dealer.async_send(message{"m"}, [](error_code) {}); });
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] { context.run(); });
  }
  all.get_future().wait();
  asio::post(strand, [&] {
    dealer.close();
    router.close();
  });
  work.reset();
  for (auto& each : threads) {
    each.join();
  }
  EXPECT_EQ(received, count);
}

#ifndef NDEBUG

constexpr auto* complaint = "used by two threads at once: its executor is not serial";

TEST(serial_check_death_test, a_second_thread_ends_the_program) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  serial_check check;
  const serial_check::scope here{check};
  EXPECT_DEATH(std::thread([&] { const serial_check::scope there{check}; }).join(), complaint);
}

TEST(serial_check_death_test, a_socket_reports_a_second_thread) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto misuse = [] {
    asio::io_context context;
    router_socket router{context.get_executor(), announcing()};
    dealer_socket dealer{context.get_executor()};
    dealer.connect(router.bind("tcp://127.0.0.1:*").to_string());
    // In its handler one thread is in the socket; another one that comes meanwhile is too many.
    router.async_receive([&](error_code, const routed_message& m) {
      std::thread{[&] {
        static_cast<void>(router.try_send(m.peer, message{"from another thread"}));
      }}.join();
    });
    context.run_for(network_test::timeout);
  };
  EXPECT_DEATH(misuse(), complaint);
}

#endif

}  // namespace
}  // namespace zmtp::test
