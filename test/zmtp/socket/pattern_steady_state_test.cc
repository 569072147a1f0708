// Once warm, messages of PUSH, PULL, REQ and REP cost no memory, however they are sent and received.

#include "test/support/steady_test.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <array>
#include <chrono>
#include <ostream>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using asio::use_awaitable;

TEST_F(steady_test, handler_memory_is_counted) {
  const auto before = all_requests();
  std::string large(100'000, 'x');
  asio::post(context(), [copy = std::array<char, 2'000>{}] { static_cast<void>(copy); });
  run_ready();
  EXPECT_GE(all_requests() - before, 2U);
}

// One request in each window is seen.
TEST_F(steady_test, rare_requests_are_counted) {
  struct {
    steady_test& test;
    std::size_t rounds = 0;
    std::string last = {};
    void round() {
      if (++rounds % count == count / 2) {
        last = std::string(1'000, 'x');
      }
      test.note(1);
      asio::post(test.context(), [this] { round(); });
    }
  } run{*this};
  run.round();
  EXPECT_EQ(requests(), 1U);
}

class steady_push_pull : public steady_test, public testing::WithParamInterface<std::size_t> {
public:
  void SetUp() override { join(pull_, push_); }

  push_socket push_{executor()};
  pull_socket pull_{executor()};
  const message model_{std::string(GetParam(), 'x')};
};

// Sizes that fit into a message object. Larger messages share the blocks that they are read into,
// from a pool.
INSTANTIATE_TEST_SUITE_P(bytes, steady_push_pull, testing::Values(1, 10, 90));

TEST_P(steady_push_pull, in_awaited_batches_allocates_nothing) {
  const auto send = [&]() -> asio::awaitable<void> {
    message_batch batch;
    for (;;) {
      for (int i = 0; i < 500; ++i) {
        batch.append(model_);
      }
      co_await push_.async_send(batch, use_awaitable);
    }
  };
  const auto receive_all = [&]() -> asio::awaitable<void> {
    message_batch batch;
    for (;;) {
      const auto n = co_await pull_.async_receive(batch, use_awaitable);
      note(n);
    }
  };
  asio::co_spawn(context(), send, asio::detached);
  asio::co_spawn(context(), receive_all, asio::detached);
  EXPECT_EQ(requests(), 0U);
}

TEST_P(steady_push_pull, awaited_one_by_one_allocates_nothing) {
  const auto send = [&]() -> asio::awaitable<void> {
    for (;;) {
      auto m = model_;
      co_await push_.async_send(std::move(m), use_awaitable);
    }
  };
  const auto receive_all = [&]() -> asio::awaitable<void> {
    for (;;) {
      const message m = co_await pull_.async_receive(use_awaitable);
      note(1);
    }
  };
  asio::co_spawn(context(), send, asio::detached);
  asio::co_spawn(context(), receive_all, asio::detached);
  EXPECT_EQ(requests(), 0U);
}

TEST_P(steady_push_pull, with_deadlines_allocates_nothing) {
  const auto send = [&]() -> asio::awaitable<void> {
    for (;;) {
      auto m = model_;
      co_await push_.async_send(std::move(m), deadline{1h}, use_awaitable);
    }
  };
  const auto receive_all = [&]() -> asio::awaitable<void> {
    for (;;) {
      const message m = co_await pull_.async_receive(deadline{1h}, use_awaitable);
      note(1);
    }
  };
  asio::co_spawn(context(), send, asio::detached);
  asio::co_spawn(context(), receive_all, asio::detached);
  EXPECT_EQ(requests(), 0U);
}

TEST_P(steady_push_pull, tried_and_waited_for_allocates_nothing) {
  const auto send = [&]() -> asio::awaitable<void> {
    for (;;) {
      co_await push_.async_wait_writable(use_awaitable);
      for (auto m = model_; push_.try_send(std::move(m)) == send_status::queued; m = model_) {
      }
    }
  };
  const auto receive_all = [&]() -> asio::awaitable<void> {
    message m;
    for (;;) {
      co_await pull_.async_wait_readable(use_awaitable);
      while (pull_.try_receive(m)) {
        note(1);
      }
    }
  };
  asio::co_spawn(context(), send, asio::detached);
  asio::co_spawn(context(), receive_all, asio::detached);
  EXPECT_EQ(requests(), 0U);
}

// In handlers outside the turns of the sockets.
TEST_P(steady_push_pull, tried_from_elsewhere_allocates_nothing) {
  struct {
    steady_push_pull& test;
    void round() {
      message m;
      for (int i = 0; i < 100; ++i) {
        m = test.model_;
        if (test.push_.try_send(std::move(m)) != send_status::queued) {
          break;
        }
      }
      while (test.pull_.try_receive(m)) {
        test.note(1);
      }
      asio::post(test.context(), [this] { round(); });
    }
  } run{*this};
  run.round();
  EXPECT_EQ(requests(), 0U);
}

class large_push_pull : public steady_push_pull {};

INSTANTIATE_TEST_SUITE_P(bytes, large_push_pull, testing::Values(1'000, 4'000));

// A block belongs to the messages in it, and returns to the pool with the last of them.
TEST_P(large_push_pull, awaited_batches_allocate_only_the_blocks_that_are_read_into) {
  const auto send = [&]() -> asio::awaitable<void> {
    message_batch batch;
    for (;;) {
      for (int i = 0; i < 100; ++i) {
        batch.append(model_);
      }
      co_await push_.async_send(batch, use_awaitable);
    }
  };
  const auto receive_all = [&]() -> asio::awaitable<void> {
    message_batch batch;
    for (;;) {
      const auto n = co_await pull_.async_receive(batch, use_awaitable);
      note(n);
    }
  };
  asio::co_spawn(context(), send, asio::detached);
  asio::co_spawn(context(), receive_all, asio::detached);
  constexpr std::size_t read_size = 64 * 1024;
  EXPECT_LE(requests(), 2 * count * (GetParam() + 10) / read_size);
}

struct kind {
  bool relaxed;
  bool correlate;
  friend std::ostream& operator<<(std::ostream& to, const kind& k) {
    return to << (k.relaxed ? "relaxed" : "strict");
  }
};

class steady_request_reply : public steady_test, public testing::WithParamInterface<kind> {
public:
  void SetUp() override { join(rep_, req_); }

  static socket_options options() {
    socket_options o;
    o.relaxed = GetParam().relaxed;
    o.correlate = GetParam().correlate;
    return o;
  }

  req_socket req_{executor(), options()};
  rep_socket rep_{executor()};
};

INSTANTIATE_TEST_SUITE_P(kinds, steady_request_reply, testing::Values(kind{}, kind{true, true}),
                         testing::PrintToStringParamName());

TEST_P(steady_request_reply, awaited_allocates_nothing) {
  const auto serve = [&]() -> asio::awaitable<void> {
    for (;;) {
      message m = co_await rep_.async_receive(use_awaitable);
      co_await rep_.async_send(std::move(m), use_awaitable);
    }
  };
  const auto ask = [&]() -> asio::awaitable<void> {
    message m{"question", std::string(60, 'x')};
    for (;;) {
      co_await req_.async_send(std::move(m), use_awaitable);
      m = co_await req_.async_receive(use_awaitable);
      note(1);
    }
  };
  asio::co_spawn(context(), serve, asio::detached);
  asio::co_spawn(context(), ask, asio::detached);
  EXPECT_EQ(requests(), 0U);
}

TEST_P(steady_request_reply, with_deadlines_and_batches_allocates_nothing) {
  const auto serve = [&]() -> asio::awaitable<void> {
    message_batch batch;
    for (;;) {
      co_await rep_.async_receive(batch, deadline{1h}, use_awaitable);
      co_await rep_.async_send(batch, deadline{1h}, use_awaitable);
    }
  };
  const auto ask = [&]() -> asio::awaitable<void> {
    message_batch batch;
    batch.append("question");
    for (;;) {
      co_await req_.async_send(batch, deadline{1h}, use_awaitable);
      co_await req_.async_receive(batch, deadline{1h}, use_awaitable);
      note(1);
    }
  };
  asio::co_spawn(context(), serve, asio::detached);
  asio::co_spawn(context(), ask, asio::detached);
  EXPECT_EQ(requests(), 0U);
}

TEST_P(steady_request_reply, tried_from_elsewhere_allocates_nothing) {
  struct {
    steady_request_reply& test;
    message m{"question"};
    void round() {
      if (test.rep_.try_receive(m)) {
        EXPECT_EQ(test.rep_.try_send(std::move(m)), send_status::queued);
      } else if (test.req_.try_receive(m)) {
        test.note(1);
        EXPECT_EQ(test.req_.try_send(std::move(m)), send_status::queued);
      }
      asio::post(test.context(), [this] { round(); });
    }
  } run{*this};
  EXPECT_EQ(req_.try_send(message{"question"}), send_status::queued);
  run.round();
  EXPECT_EQ(requests(), 0U);
}

TEST_P(steady_request_reply, with_callbacks_allocates_nothing) {
  struct {
    steady_request_reply& test;
    void serve() {
      test.rep_.async_receive([this](error_code ec, message m) {
        if (!ec) {
          static_cast<void>(test.rep_.try_send(std::move(m)));
          serve();
        }
      });
    }
    void ask(message m) {
      static_cast<void>(test.req_.try_send(std::move(m)));
      test.req_.async_receive([this](error_code ec, message answer) {
        if (!ec) {
          test.note(1);
          ask(std::move(answer));
        }
      });
    }
  } run{*this};
  run.serve();
  run.ask(message{"question"});
  EXPECT_EQ(requests(), 0U);
  req_.close();
  rep_.close();
  run_to_the_end();
}

// Many clients in turn, in the envelopes of their own.
TEST_F(steady_test, a_rep_with_many_requesters_allocates_nothing) {
  rep_socket rep{executor()};
  const auto at = rep.bind("tcp://127.0.0.1:*").to_string();
  const auto serve = [&]() -> asio::awaitable<void> {
    for (;;) {
      message m = co_await rep.async_receive(use_awaitable);
      co_await rep.async_send(std::move(m), use_awaitable);
    }
  };
  const auto ask = [&](dealer_socket& dealer) -> asio::awaitable<void> {
    message m{"addr1", "addr2", "", "question"};
    for (;;) {
      co_await dealer.async_send(std::move(m), use_awaitable);
      m = co_await dealer.async_receive(use_awaitable);
      note(1);
    }
  };
  std::vector<dealer_socket> dealers;
  for (int i = 0; i < 20; ++i) {
    dealers.emplace_back(executor());
  }
  asio::co_spawn(context(), serve, asio::detached);
  for (auto& dealer : dealers) {
    dealer.connect(at);
    asio::co_spawn(context(), ask(dealer), asio::detached);
  }
  EXPECT_EQ(requests(), 0U);
  EXPECT_EQ(rep.counters().dropped_unexpected + rep.counters().dropped_full, 0U);
}

}  // namespace
}  // namespace zmtp::test
