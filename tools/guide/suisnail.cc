// suisnail: a subscriber that exits if it is more than a second behind its publisher.

#include "tools/guide/program.h"
#include "zmtp/pattern/suicidal_snail.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <charconv>
#include <chrono>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

struct settings {
  std::string bind = "tcp://*:5556";
  std::string connect = "tcp://localhost:5556";
  std::chrono::milliseconds interval = 1ms;
  std::chrono::milliseconds work = 1ms;
  std::chrono::milliseconds max_delay = 1s;
  bool only_publish = false;
  bool only_subscribe = false;
};

std::chrono::milliseconds now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::system_clock::now().time_since_epoch());
}

// Returns the time in the message. A message without a valid time is never late.
zmtp::snail_stamp stamp_of(const zmtp::message_view& m) {
  const auto text = m.front();
  long long at = 0;
  const auto* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, at);
  if (fault != std::errc{} || stop != end) {
    return {};
  }
  return {.at = std::chrono::milliseconds{at}};
}

// Runs in its own thread. Each message takes the time of --work.
class snail {
public:
  explicit snail(const settings& is)
      : work_{is.work},
        subscriber_{context_.get_executor(),
                    {.max_delay = is.max_delay},
                    {.stamp_of = stamp_of,
                     .on_message = [this](const zmtp::message_view& m) { toil(m); },
                     .on_end = [this](const zmtp::snail_report&) { die(); }}} {
    subscriber_.subscribe("");
    subscriber_.connect(is.connect);
    thread_ = std::thread{[this] { context_.run(); }};
  }
  ~snail() {
    context_.stop();
    thread_.join();
  }
  snail(const snail&) = delete;
  snail& operator=(const snail&) = delete;

  [[nodiscard]] bool dead() const noexcept { return dead_; }

private:
  void toil(const zmtp::message_view& m) {
    guide::say_line(m.front());
    std::this_thread::sleep_for(work_ + std::chrono::milliseconds{extra_(random_)});
  }
  void die() {
    fmt::print(stderr, "E: subscriber cannot keep up, aborting\n");
    dead_ = true;
  }

  const std::chrono::milliseconds work_;
  std::mt19937 random_{std::random_device{}()};
  std::uniform_int_distribution<int> extra_{0, 1};
  std::atomic<bool> dead_{false};
  asio::io_context context_{1};
  zmtp::suicidal_snail subscriber_;
  std::thread thread_;
};

asio::awaitable<int> race(const settings& is) {
  zmtp::pub_socket publisher{co_await asio::this_coro::executor};
  if (!is.only_subscribe) {
    publisher.bind(is.bind);
  }
  std::optional<snail> subscriber;
  if (!is.only_publish) {
    subscriber.emplace(is);
  }
  while (!subscriber || !subscriber->dead()) {
    zmtp::message m{std::to_string(now().count())};
    co_await publisher.async_send(std::move(m), asio::use_awaitable);
    co_await guide::pause(is.interval);
  }
  co_return guide::exit_code::done;
}

}  // namespace

int main(int argc, char** argv) {
  settings is;
  guide::command_line line{"Suicidal Snail: a subscriber that exits if it is too late"};
  line.endpoint("--bind", is.bind, "endpoint to bind, for the publisher");
  line.endpoint("--connect", is.connect, "publisher that the subscriber connects to");
  line.milliseconds("--interval", is.interval, "time between messages");
  line.milliseconds("--work", is.work, "time to process a message; at random 1 ms longer", 0);
  line.milliseconds("--max-delay", is.max_delay,
                    "age of a message above which the subscriber exits");
  line.flag("--only-publish", is.only_publish, "run only the publisher");
  line.flag("--only-subscribe", is.only_subscribe, "run only the subscriber");
  return guide::run(line, argc, argv, race, is);
}
