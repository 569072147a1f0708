#include "tools/zinc/service_manager.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/datagram_protocol.hpp>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>

namespace zinc {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

std::string bytes_of(const notify_address& address) {
  return {reinterpret_cast<const char*>(&address.name) + offsetof(sockaddr_un, sun_path),
          address.size - offsetof(sockaddr_un, sun_path)};
}

TEST(notify_address_test, a_path_ends_with_a_zero_byte) {
  EXPECT_EQ(bytes_of(parse_notify_address("/run/notify").value()),
            std::string("/run/notify\0", 12));
}

TEST(notify_address_test, an_abstract_name_begins_with_a_zero_byte) {
  EXPECT_EQ(bytes_of(parse_notify_address("@name").value()), std::string("\0name", 5));
}

TEST(notify_address_test, a_name_takes_all_bytes_of_an_address_and_no_more) {
  constexpr auto room = sizeof(sockaddr_un::sun_path);
  EXPECT_TRUE(parse_notify_address('/' + std::string(room - 2, 'a')));
  EXPECT_FALSE(parse_notify_address('/' + std::string(room - 1, 'a')));
  EXPECT_TRUE(parse_notify_address('@' + std::string(room - 1, 'a')));
  EXPECT_FALSE(parse_notify_address('@' + std::string(room, 'a')));
}

TEST(notify_address_test, rejects_anything_else) {
  for (const std::string_view text : {"", "@", "/", "run/notify", "vsock:2:1234"}) {
    EXPECT_FALSE(parse_notify_address(text)) << text;
  }
}

TEST(watchdog_period_test, is_half_of_the_time) {
  EXPECT_EQ(watchdog_period("3000000", "", 7), 1500ms);
  EXPECT_EQ(watchdog_period("3000000", "7", 7), 1500ms);
}

TEST(watchdog_period_test, another_process_has_none) {
  EXPECT_FALSE(watchdog_period("3000000", "8", 7));
  EXPECT_FALSE(watchdog_period("3000000", "seven", 7));
}

TEST(watchdog_period_test, a_time_that_is_none_is_off) {
  for (const std::string_view text : {"", "0", "1", "-3000000", "3s", "99999999999999999999"}) {
    EXPECT_FALSE(watchdog_period(text, "", 7)) << text;
  }
}

class service_manager_test : public testing::Test {
public:
  ~service_manager_test() override { clear(); }

  static void clear() {
    for (const auto* const name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) {
      ::unsetenv(name);
    }
  }
  void ask(const char* watchdog = nullptr) const {
    ::setenv("NOTIFY_SOCKET", ('@' + name_).c_str(), 1);
    if (watchdog != nullptr) {
      ::setenv("WATCHDOG_USEC", watchdog, 1);
    }
  }
  std::string received() {
    std::array<char, 64> bytes{};
    return {bytes.data(), socket.receive(asio::buffer(bytes))};
  }
  [[nodiscard]] bool nothing_received() const { return socket.available() == 0; }

  asio::io_context context{1};

private:
  std::string name_ = "zinc-service-manager-test-" + std::to_string(::getpid());
  // Events of the receiving socket do not count as handlers of `context`.
  asio::io_context other_context_{1};

protected:
  asio::local::datagram_protocol::socket socket{other_context_, {std::string(1, '\0') + name_}};
};

TEST_F(service_manager_test, is_told_when_the_process_serves_and_when_it_stops) {
  ask();
  service_manager manager{context.get_executor()};
  manager.ready();
  EXPECT_EQ(received(), "READY=1");
  manager.stopping();
  EXPECT_EQ(received(), "STOPPING=1");
}

TEST_F(service_manager_test, without_a_watchdog_keeps_no_context_running) {
  ask();
  service_manager manager{context.get_executor()};
  manager.ready();
  context.run();
}

TEST_F(service_manager_test, the_watchdog_is_fed_until_the_end) {
  ask("2000");
  service_manager manager{context.get_executor()};
  manager.ready();
  context.run_one();
  context.run_one();
  for (const auto* const state : {"READY=1", "WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1"}) {
    EXPECT_EQ(received(), state);
  }
  manager.end();
  context.run();
  EXPECT_TRUE(nothing_received());
}

TEST_F(service_manager_test, the_watchdog_does_not_wait_for_a_manager_that_does_not_read) {
  ask("2000");
  service_manager manager{context.get_executor()};
  manager.ready();
  asio::local::datagram_protocol::socket other{socket.get_executor(),
                                               asio::local::datagram_protocol{}};
  other.non_blocking(true);
  boost::system::error_code ec;
  while (!ec) {
    other.send_to(asio::buffer("full", 4), socket.local_endpoint(), 0, ec);
  }
  ASSERT_EQ(ec, asio::error::would_block);
  EXPECT_EQ(context.run_one(), 1u);
  manager.end();
  context.run();
}

TEST_F(service_manager_test, no_child_inherits_the_settings) {
  ask("2000");
  ::setenv("WATCHDOG_PID", "1", 1);
  const service_manager manager{context.get_executor()};
  for (const auto* const name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) {
    EXPECT_EQ(std::getenv(name), nullptr) << name;
  }
}

TEST_F(service_manager_test, the_watchdog_is_fed_without_free_file_descriptors) {
  ask("2000");
  service_manager manager{context.get_executor()};
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  manager.ready();
  context.run_one();
  manager.stopping();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  for (const auto* const state : {"READY=1", "WATCHDOG=1", "WATCHDOG=1", "STOPPING=1"}) {
    ASSERT_FALSE(nothing_received()) << state;
    EXPECT_EQ(received(), state);
  }
}

TEST_F(service_manager_test, that_has_gone_does_not_end_the_process_and_may_come_back) {
  ask("2000");
  service_manager manager{context.get_executor()};
  const auto name = socket.local_endpoint();
  socket.close();
  manager.ready();
  EXPECT_EQ(context.run_one(), 1u);
  socket = {socket.get_executor(), name};
  EXPECT_EQ(context.run_one(), 1u);
  ASSERT_FALSE(nothing_received());
  EXPECT_EQ(received(), "WATCHDOG=1");
  manager.end();
  context.run();
}

TEST_F(service_manager_test, sends_nothing_without_an_address) {
  clear();
  service_manager manager{context.get_executor()};
  manager.ready();
  manager.stopping();
  EXPECT_TRUE(nothing_received());
}

}  // namespace
}  // namespace zinc
