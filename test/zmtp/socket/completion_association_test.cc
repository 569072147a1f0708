// The executor and the allocator that are associated with a handler are used.

#include "test/support/network_test.h"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/strand.hpp>

#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

class completion_association : public network_test {
protected:
  void SetUp() override { peer_ = join(dealer_, router_); }

  dealer_socket dealer_{executor()};
  router_socket router_{executor(), announcing()};
  peer_id peer_;
};

TEST_F(completion_association, a_handler_runs_in_its_strand) {
  const auto strand = asio::make_strand(context());
  int calls = 0;
  auto handler = asio::bind_executor(strand, [&](error_code, const auto&...) {
    EXPECT_TRUE(strand.running_in_this_thread());
    ++calls;
  });
  message_batch batch;
  dealer_.async_send(message{"done at once"}, handler);
  router_.async_receive(batch, handler);
  dealer_.async_receive(deadline{1ms}, handler);
  router_.async_wait_writable(peer_, handler);
  run_until([&] { return calls == 4; });
  router_.async_receive(handler);
  router_.close();
  run_until([&] { return calls == 5; });
}

TEST_F(completion_association, a_handler_runs_in_its_own_context) {
  asio::io_context own{1};
  std::thread::id ran_in;
  message got;
  dealer_.async_receive(asio::bind_executor(own.get_executor(), [&](error_code ec, message m) {
    EXPECT_FALSE(ec);
    ran_in = std::this_thread::get_id();
    got = std::move(m);
  }));
  std::thread::id own_thread;
  std::thread runner{[&] {
    own_thread = std::this_thread::get_id();
    own.run();
  }};
  EXPECT_EQ(router_.try_send(peer_, message{"across"}), send_status::queued);
  run_until([&] { return dealer_.counters().messages_received == 1; });
  runner.join();
  EXPECT_EQ(got, message{"across"});
  EXPECT_EQ(ran_in, own_thread);
}

// Or its run() would return before the handler has come.
TEST_F(completion_association, a_handler_s_own_context_has_work_until_then) {
  asio::io_context own{1};
  int calls = 0;
  auto handler =
      asio::bind_executor(own.get_executor(), [&](error_code, const auto&...) { ++calls; });
  const auto has_work = [&] {
    own.restart();
    own.poll();
    return !own.stopped();
  };
  EXPECT_FALSE(has_work());
  dealer_.async_receive(handler);
  EXPECT_TRUE(has_work());
  EXPECT_EQ(router_.try_send(peer_, message{"m"}), send_status::queued);
  run_until([&] { return dealer_.counters().messages_received == 1; });
  EXPECT_FALSE(has_work());
  EXPECT_EQ(calls, 1);
  dealer_.async_receive(handler);
  dealer_.async_receive(deadline{1h}, handler);
  dealer_.close();
  EXPECT_TRUE(has_work()) << "while the completion is on its way";
  EXPECT_EQ(calls, 1);
  router_.close();
  run_to_the_end();
  EXPECT_FALSE(has_work());
  EXPECT_EQ(calls, 3);
}

TEST_F(completion_association, a_handler_may_be_type_erased) {
  const auto strand = asio::make_strand(context());
  asio::cancellation_signal signal;
  int calls = 0;
  // The type-erased handler keeps all its associations.
  asio::any_completion_handler<void(error_code, message)> bound{asio::bind_cancellation_slot(
      signal.slot(), asio::bind_executor(strand, [&](error_code ec, const message& m) {
        EXPECT_TRUE(strand.running_in_this_thread());
        EXPECT_FALSE(ec);
        EXPECT_EQ(m, message{"m"});
        ++calls;
      }))};
  dealer_.async_receive(std::move(bound));
  EXPECT_EQ(router_.try_send(peer_, message{"m"}), send_status::queued);
  run_until([&] { return calls == 1; });
  asio::any_completion_handler<void(error_code, message)> cancelled{
      asio::bind_cancellation_slot(signal.slot(), [&](error_code ec, const message&) {
        EXPECT_EQ(ec, asio::error::operation_aborted);
        ++calls;
      })};
  dealer_.async_receive(std::move(cancelled));
  signal.emit(asio::cancellation_type::total);
  EXPECT_EQ(calls, 1);
  run_until([&] { return calls == 2; });
}

TEST_F(completion_association, a_type_erased_handler_ends_with_the_context) {
  asio::any_completion_handler<void(error_code, message)> dropped{
      [](error_code, const message&) { ADD_FAILURE() << "called"; }};
  dealer_.async_receive(std::move(dropped));
  destroy_context();
}

struct allocation_count {
  std::size_t taken = 0;
  std::size_t live = 0;
};

template <class T>
class counting_allocator {
public:
  using value_type = T;

  explicit counting_allocator(allocation_count& count) noexcept : count_{&count} {}
  template <class U>
  counting_allocator(const counting_allocator<U>& other) noexcept : count_{other.count_} {}

  T* allocate(std::size_t n) {
    ++count_->taken;
    ++count_->live;
    return std::allocator<T>{}.allocate(n);
  }
  void deallocate(T* p, std::size_t n) noexcept {
    --count_->live;
    std::allocator<T>{}.deallocate(p, n);
  }
  friend bool operator==(const counting_allocator& a, const counting_allocator& b) noexcept {
    return a.count_ == b.count_;
  }

private:
  template <class>
  friend class counting_allocator;
  allocation_count* count_;
};

TEST_F(completion_association, a_handler_s_allocator_is_used_and_gets_all_back) {
  allocation_count count;
  std::size_t live_in_handler = 1;
  int calls = 0;
  auto handler =
      asio::bind_allocator(counting_allocator<void>{count}, [&](error_code, const auto&...) {
        // The memory of the handler is free again when the handler runs, so operations that it
        // starts can use it.
        live_in_handler = count.live;
        ++calls;
      });
  dealer_.async_receive(handler);
  EXPECT_GT(count.taken, 0U);
  EXPECT_GT(count.live, 0U);
  EXPECT_EQ(router_.try_send(peer_, message{"m"}), send_status::queued);
  run_until([&] { return calls == 1; });
  EXPECT_EQ(live_in_handler, 0U);
  const auto for_one = count.taken;
  dealer_.async_send(message{"n"}, handler);
  run_until([&] { return calls == 2; });
  EXPECT_EQ(live_in_handler, 0U);
  EXPECT_GT(count.taken, for_one);
  dealer_.async_receive(deadline{1ms}, handler);
  run_until([&] { return calls == 3; });
  dealer_.async_receive(handler);
  dealer_.close();
  run_until([&] { return calls == 4; });
  EXPECT_EQ(live_in_handler, 0U);
  dealer_.async_receive(handler);
  run_until([&] { return calls == 5; });
  EXPECT_EQ(count.live, 0U);
}

TEST_F(completion_association, a_handlers_allocator_gets_everything_back_from_a_destroyed_context) {
  allocation_count count;
  auto handler =
      asio::bind_allocator(counting_allocator<void>{count}, [](error_code, const auto&...) {});
  dealer_.async_receive(handler);
  router_.async_receive(handler);
  router_.async_send(peer_, message{"done, not told"}, handler);
  EXPECT_GT(count.live, 0U);
  destroy_context();
  EXPECT_EQ(count.live, 0U);
}

}  // namespace
}  // namespace zmtp::test
