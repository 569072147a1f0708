// Many small messages, in batches of framed bytes. A filter forwards some of the messages that it receives.

#include "zmtp/message_batch.h"
#include "zmtp/socket/pipeline_sockets.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <iostream>
#include <string>

namespace asio = boost::asio;
using asio::use_awaitable;

constexpr int count = 1'000'000;

asio::awaitable<void> produce(zmtp::push_socket& readings) {
  zmtp::message_batch batch;
  for (int n = 0; n < count; n += 1'000) {
    for (int i = 0; i < 1'000; ++i) {
      batch.append(i % 4 == 0 ? "alarm" : "normal", std::to_string(n + i));
    }
    co_await readings.async_send(batch, use_awaitable);
  }
}

asio::awaitable<void> filter(zmtp::pull_socket& readings, zmtp::push_socket& alarms) {
  zmtp::message_batch received;
  zmtp::message_batch passed;
  for (;;) {
    co_await readings.async_receive(received, use_awaitable);
    for (const auto reading : received) {
      if (reading.front() == "alarm") {
        passed.append(reading);
      }
    }
    co_await alarms.async_send(passed, use_awaitable);
  }
}

asio::awaitable<void> collect(zmtp::pull_socket& alarms, asio::io_context& context) {
  zmtp::message_batch batch;
  zmtp::message last;
  for (int left = count / 4; left != 0;) {
    co_await alarms.async_receive(batch, use_awaitable);
    for (const auto alarm : batch) {
      if (--left == 0) {
        last = alarm.to_message();  // lives longer than the batch
      }
    }
  }
  std::cout << "last alarm: " << last.back() << '\n';
  context.stop();
}

int main() {
  asio::io_context context{1};
  zmtp::push_socket source{context.get_executor()};
  zmtp::pull_socket readings{context.get_executor()};
  zmtp::push_socket alarms{context.get_executor()};
  zmtp::pull_socket sink{context.get_executor()};
  readings.connect(source.bind("tcp://127.0.0.1:*").to_string());
  sink.connect(alarms.bind("tcp://127.0.0.1:*").to_string());
  asio::co_spawn(context, produce(source), asio::detached);
  asio::co_spawn(context, filter(readings, alarms), asio::detached);
  asio::co_spawn(context, collect(sink, context), asio::detached);
  context.run();
}
