// Round trips from one thread to another, or with THREADS 1 within one executor.
#include "bench/round_trip.h"
#include "bench/spinning.h"
#include "bench/support/arguments.h"
#include "zmtp/runtime/completion.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <thread>

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "SIZE ROUNDTRIPS [THREADS [SPIN_US]]"};
  const bench::round_trips work{arguments.number(0), arguments.number(1)};
  boost::asio::io_context here{1};
  boost::asio::io_context there{1};
  const auto answers = arguments.number_or(2, 2) == 1 ? here.get_executor() : there.get_executor();
  const auto options = bench::spinning(arguments, 3);
  zmtp::rep_socket rep{answers, options};
  rep.bind("inproc://round-trips");
  zmtp::req_socket req{here.get_executor(), options};
  req.connect("inproc://round-trips");
  co_spawn(answers, bench::answer(std::move(rep), work), zmtp::rethrow);
  co_spawn(here, bench::ask(std::move(req), work), zmtp::rethrow);
  const std::jthread other{[&] { there.run(); }};
  here.run();
}
