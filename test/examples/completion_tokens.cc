// Every operation takes any completion token of Asio, and honours the executor, the allocator and the
// cancellation slot that its handler is associated with.

#include "zmtp/socket/pipeline_sockets.h"

#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>

#include <array>
#include <iostream>
#include <memory_resource>
#include <thread>

namespace asio = boost::asio;

int main() {
  asio::io_context context{1};
  zmtp::pull_socket pull{context.get_executor()};
  zmtp::push_socket push{context.get_executor()};
  push.connect(pull.bind("tcp://127.0.0.1:*").to_string());

  // A plain function object.
  push.async_send({"callback"}, [](zmtp::error_code) {});

  // Deferred, which is the default: nothing happens until the operation is called.
  auto later = push.async_send({"deferred"});
  std::move(later)([](zmtp::error_code) {});

  // In another executor, and with its memory from a buffer.
  asio::io_context other{1};
  std::array<std::byte, 4096> buffer;
  std::pmr::monotonic_buffer_resource memory{buffer.data(), buffer.size()};
  const std::pmr::polymorphic_allocator<std::byte> allocator{&memory};
  const auto here = [&](zmtp::error_code, const zmtp::message& m) {
    std::cout << m.front() << (other.get_executor().running_in_this_thread() ? " there\n" : "\n");
  };
  pull.async_receive(asio::bind_executor(other, asio::bind_allocator(allocator, here)));

  // A future, for a thread that may wait.
  std::thread runner{[&] { context.run(); }};
  other.run();
  auto received =
      asio::post(context, asio::use_future([&] { return pull.async_receive(asio::use_future); }))
          .get();
  std::cout << received.get().front() << '\n';
  asio::post(context, asio::use_future([&] {
               pull.close();
               push.close();
             }))
      .get();
  runner.join();
}
