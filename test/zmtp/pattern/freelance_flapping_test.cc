// Freelance calls while servers come and go, answer late, out of order and twice: no answer may be another
// call's.

#include "test/support/long_run.h"
#include "test/support/network_test.h"
#include "zmtp/pattern/freelance_client.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;

// Echoes, as a bad server does: some answers are late, some come twice, or a second time much later.
class flapping_server {
public:
  flapping_server(const asio::any_io_executor& executor, unsigned seed)
      : executor_{executor}, random_{seed}, timer_{executor} {
    start("tcp://127.0.0.1:*");
  }

  [[nodiscard]] const std::string& at() const noexcept { return at_; }
  [[nodiscard]] std::size_t requests() const noexcept { return requests_; }
  [[nodiscard]] bool up() const noexcept { return router_.has_value(); }

  // Ends the server like a killed process, with its pending requests.
  void kill() {
    late_.clear();
    timer_.cancel();
    router_.reset();
  }
  void restart() { start(at_); }

private:
  void start(const std::string& at) {
    socket_options options;
    options.routing_id = "as before";  // clients know the server under this id
    router_.emplace(executor_, options);
    at_ = router_->bind(at).to_string();
    receive();
    tick();
  }

  void receive() {
    router_->async_receive(batch_, [this](error_code ec, std::size_t) {
      if (ec) {
        return;
      }
      for (const auto item : batch_) {
        answer(item.to_routed_message());
      }
      receive();
    });
  }

  void answer(routed_message item) {
    if (item.content == message{"PING"sv}) {
      send({routed_message::kind::message, item.peer, {"PONG"sv}});
      return;
    }
    ++requests_;
    const auto fate = random_() % 10;
    if (fate < 2) {
      send(item);  // twice, at once
    } else if (fate < 4) {
      late_.push_back(item);  // twice, the second time late
    } else if (fate < 6) {
      late_.push_back(std::move(item));
      return;
    }
    send(std::move(item));
  }

  void send(routed_message item) {
    static_cast<void>(router_->try_send(item.peer, std::move(item.content)));
  }

  // Sends delayed replies in any order.
  void tick() {
    timer_.expires_after(5ms);
    timer_.async_wait([this](error_code ec) {
      if (ec || !router_) {
        return;
      }
      std::shuffle(late_.begin(), late_.end(), random_);
      for (auto& item : std::exchange(late_, {})) {
        send(std::move(item));
      }
      tick();
    });
  }

  asio::any_io_executor executor_;
  std::mt19937 random_;
  asio::steady_timer timer_;
  std::optional<router_socket> router_;
  std::string at_;
  message_batch batch_;
  std::vector<routed_message> late_;
  std::size_t requests_ = 0;
};

class freelance_flapping : public test::network_test,
                           public testing::WithParamInterface<freelance_model> {};

INSTANTIATE_TEST_SUITE_P(models, freelance_flapping,
                         testing::Values(freelance_model::shotgun, freelance_model::directed),
                         [](const auto& tested) {
                           return tested.param == freelance_model::shotgun ? "shotgun" : "directed";
                         });

TEST_P(freelance_flapping, no_answer_is_another_calls) {
  constexpr std::size_t at_once = 50;
  const std::size_t calls = test::long_run() ? 200'000 : 20'000;
  // A client comes back to a server that goes often after two seconds only.
  const std::size_t flap_after = test::long_run() ? 2'500 : 500;
  flapping_server first{executor(), 1};
  flapping_server second{executor(), 2};
  flapping_server third{executor(), 3};
  const std::array servers{&first, &second, &third};
  freelance_client client{executor(),
                          {first.at(), second.at(), third.at()},
                          {.model = GetParam(), .timeout = 20s, .ping_timeout = 20ms}};
  std::size_t begun = 0;
  std::size_t ended = 0;
  std::size_t mismatched = 0;
  std::size_t failed = 0;
  std::size_t flaps = 0;
  std::chrono::steady_clock::duration longest{0};
  // One goes, and is back before the next one goes.
  const auto flap = [&] {
    auto& which = *servers[flaps / 2 % servers.size()];
    flaps++ % 2 == 0 ? which.kill() : which.restart();
  };
  std::function<void()> call_again = [&] {
    if (begun == calls) {
      return;
    }
    const auto body = std::to_string(++begun);
    client.async_call(
        message{body}, {.idempotent = true},
        [&, body, asked = std::chrono::steady_clock::now()](error_code ec, const message& answer) {
          longest = std::max(longest, std::chrono::steady_clock::now() - asked);
          failed += ec ? 1 : 0;
          mismatched += !ec && answer != message{body} ? 1 : 0;
          if (++ended % flap_after == 0) {
            flap();
          }
          call_again();
        });
  };
  for (std::size_t i = 0; i < at_once; ++i) {
    call_again();
  }
  while (ended != calls && !HasFailure()) {
    const auto before = ended;
    run_until([&] { return ended >= before + 1'000 || ended == calls; });
  }
  EXPECT_EQ(mismatched, 0U);
  EXPECT_EQ(failed, 0U);
  EXPECT_GE(flaps, calls / flap_after - 1);
  EXPECT_EQ(client.counters().answers, calls);
  EXPECT_GT(client.counters().surplus, calls / 10) << "there were no duplicates to speak of";
  EXPECT_EQ(client.counters().invalid, 0U);
  RecordProperty("surplus_answers", std::to_string(client.counters().surplus));
  RecordProperty("longest_call_ms", std::to_string(longest / 1ms));
}

}  // namespace
}  // namespace zmtp
