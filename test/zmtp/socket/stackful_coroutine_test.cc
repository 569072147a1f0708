// Every operation takes the yield_context of asio::spawn.

#include "test/support/network_test.h"
#include "zmtp/error.h"

#include <boost/asio/detached.hpp>
#include <boost/asio/spawn.hpp>
#include <boost/system/system_error.hpp>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

class stackful_coroutine : public network_test {};

TEST_F(stackful_coroutine, sends_receives_and_gets_errors) {
  dealer_socket dealer{executor()};
  router_socket router{executor()};
  dealer.connect(router.bind("tcp://127.0.0.1:*").to_string());
  bool over = false;
  asio::spawn(
      executor(),
      [&](const asio::yield_context& yield) {
        dealer.async_send(message{"there"}, yield);
        const auto got = router.async_receive(yield);
        EXPECT_EQ(got.content, message{"there"});
        router.async_send(got.peer, message{"back"}, yield);
        EXPECT_EQ(dealer.async_receive(5s, yield), message{"back"});
        error_code ec;
        (void)dealer.async_receive(1ms, yield[ec]);
        EXPECT_EQ(ec, errc::timed_out);
        EXPECT_THROW((void)dealer.async_receive(1ms, yield), boost::system::system_error);
        over = true;
      },
      asio::detached);
  run_until([&] { return over; });
}

}  // namespace
}  // namespace zmtp::test
