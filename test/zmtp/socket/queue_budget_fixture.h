#pragma once
// Base of tests of what the queues of all sockets may hold together: a small budget, and sockets that
// nothing else stops.

#include "test/support/pattern_test.h"
#include "test/support/sizes.h"
#include "zmtp/socket/memory_budget.h"
#include "zmtp/socket/pipeline_sockets.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <string>

namespace zmtp::test {

inline constexpr std::size_t budget = 8 * mebi;

inline std::size_t used() { return process_memory_use().queued; }

inline void allow(std::size_t bytes) {
  auto all = process_memory_budget();
  all.queued = bytes;
  set_process_memory_budget(all);
}

// Options without marks: only the budget and a small kernel buffer stop the socket.
inline socket_options unmarked() {
  socket_options options;
  options.send_mark = {.messages = {}, .bytes = {}};
  options.receive_mark = {.messages = {}, .bytes = {}};
  options.linger = std::chrono::milliseconds{0};
  options.transport.send_buffer = 16 * 1024;
  options.transport.receive_buffer = 16 * 1024;
  return options;
}

inline message numbered(std::size_t number, std::size_t size) {
  return message{std::to_string(number), std::string(size, 'x')};
}

inline std::size_t number_of(const message& m) { return std::stoul(std::string{m.front()}); }

// Sends until the socket is full even after a write. Returns the number of the next message.
template <class Socket>
std::size_t send_until_full(Socket& to, std::size_t size, std::size_t number = 0) {
  while (number != 100'000 && to.try_send(numbered(number, size)) == send_status::queued) {
    ++number;
  }
  return number;
}

class a_queue_budget : public pattern_test {
protected:
  a_queue_budget() { allow(budget); }
  ~a_queue_budget() override {
    destroy_context();
    EXPECT_EQ(used(), 0U);
    set_process_memory_budget(before_);
  }

  // Sends on while there is room, until nothing moves any more. How many were sent.
  template <class Socket>
  std::size_t fill(Socket& to, std::size_t size) {
    wait_for_peer(to);
    std::size_t sent = 0;
    for (auto before = sent + 1; before != sent;) {
      before = sent;
      for (int i = 0; i < 100; ++i) {
        sent = send_until_full(to, size, sent);
        run_ready();
      }
    }
    return sent;
  }

  // Waits for another thread, which sends no notification.
  template <class Done>
  void look_until(Done&& done) {
    const auto end = std::chrono::steady_clock::now() + timeout;
    context().restart();
    while (!done()) {
      if (std::chrono::steady_clock::now() > end) {
        FAIL() << "time has run out";
      }
      context().run_one_for(std::chrono::milliseconds{1});
    }
  }

private:
  const memory_budget before_ = process_memory_budget();
};

}  // namespace zmtp::test
