// One io_context for each core, run by one thread, with sockets of its own. They share nothing but messages.

#include "zmtp/socket/pipeline_sockets.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace asio = boost::asio;
using asio::use_awaitable;

constexpr int count = 10'000;

// The work of one core, until its context stops.
asio::awaitable<void> work(std::string jobs_at, std::string results_at) {
  const auto own = co_await asio::this_coro::executor;
  zmtp::pull_socket jobs{own};
  zmtp::push_socket results{own};
  jobs.connect(jobs_at);
  results.connect(results_at);
  zmtp::message_batch batch;
  zmtp::message_batch done;
  for (;;) {
    co_await jobs.async_receive(batch, use_awaitable);
    for (const auto job : batch) {
      done.append(job.front(), "done");
    }
    co_await results.async_send(done, use_awaitable);
  }
}

asio::awaitable<void> give_out(zmtp::push_socket& jobs) {
  for (int n = 0; n < count; ++n) {
    zmtp::message job{std::to_string(n)};
    co_await jobs.async_send(std::move(job), use_awaitable);
  }
}

asio::awaitable<void> collect(zmtp::pull_socket& results, asio::io_context& context) {
  zmtp::message_batch batch;
  for (std::size_t done = 0; done < count;) {
    done += co_await results.async_receive(batch, use_awaitable);
  }
  std::cout << count << " jobs done\n";
  context.stop();
}

int main() {
  asio::io_context context{1};
  zmtp::push_socket jobs{context.get_executor()};
  zmtp::pull_socket results{context.get_executor()};
  const auto jobs_at = jobs.bind("tcp://127.0.0.1:*").to_string();
  const auto results_at = results.bind("tcp://127.0.0.1:*").to_string();

  std::vector<std::unique_ptr<asio::io_context>> cores;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(2U, std::thread::hardware_concurrency()); ++i) {
    auto& own = *cores.emplace_back(std::make_unique<asio::io_context>(1));
    asio::co_spawn(own, work(jobs_at, results_at), asio::detached);
    threads.emplace_back([&own] { own.run(); });
  }

  asio::co_spawn(context, give_out(jobs), asio::detached);
  asio::co_spawn(context, collect(results, context), asio::detached);
  context.run();
  for (auto& core : cores) {
    core->stop();
  }
  for (auto& thread : threads) {
    thread.join();
  }
}
