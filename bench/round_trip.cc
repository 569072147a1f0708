#include "bench/round_trip.h"

#include "bench/support/arguments.h"
#include "bench/support/report.h"

#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace bench {

namespace asio = boost::asio;

asio::awaitable<void> ask(zmtp::req_socket req, round_trips work) {
  zmtp::message m;
  (void)m.prepare_back(work.size);
  const stopwatch clock;
  for (std::uint64_t i = 0; i < work.count; ++i) {
    if (req.try_send(std::move(m)) != zmtp::send_status::queued) {
      fail("a request had no room, with none in flight: the endpoint is not the right one");
    }
    m = co_await req.async_receive(asio::use_awaitable);
    if (m.front().size() != work.size) {
      fail("a message of another size: give both programs the same arguments");
    }
  }
  print_latency(work.size, work.count, clock.seconds());
}

asio::awaitable<void> answer(zmtp::rep_socket rep, round_trips work) {
  for (std::uint64_t i = 0; i < work.count; ++i) {
    auto m = co_await rep.async_receive(asio::use_awaitable);
    if (m.front().size() != work.size) {
      fail("a message of another size: give both programs the same arguments");
    }
    if (rep.try_send(std::move(m)) != zmtp::send_status::queued) {
      fail("a reply had no room: the peer is gone");
    }
  }
}

}  // namespace bench
