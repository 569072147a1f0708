#include "bench/stream.h"

#include "bench/support/arguments.h"
#include "bench/support/report.h"

#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace bench {

namespace asio = boost::asio;

namespace {

constexpr std::uint64_t batch_messages = 1024;
// Small enough to stay in the cache until it is written.
constexpr std::uint64_t batch_bytes = 64 * 1024;

// The bytes are whatever the memory holds, as those of libzmq's programs are.
zmtp::message make_message(const stream& work) {
  zmtp::message m;
  for (std::uint64_t part = 0; part < work.parts; ++part) {
    (void)m.prepare_back(work.size);
  }
  return m;
}

void append(zmtp::message_batch& batch, const stream& work) {
  if (work.parts == 1) {
    (void)batch.prepare(work.size);
  } else {
    batch.append(make_message(work));
  }
}

// `Message` is a message or a message_view.
template <class Message>
void check(const Message& m, const stream& work) {
  if (m.size() != work.parts || m.front().size() != work.size) {
    fail("a message of another size or number of parts: give both programs the same arguments");
  }
}

void report(const stream& work, double seconds) {
  print_throughput(work.size * work.parts, work.count, seconds);
}

asio::awaitable<void> send_or_wait(zmtp::push_socket& push, zmtp::message& m) {
  if (push.try_send(std::move(m)) != zmtp::send_status::queued) {
    co_await push.async_send(std::move(m));
  }
}

asio::awaitable<void> receive_or_wait(zmtp::pull_socket& pull, zmtp::message& m) {
  if (!pull.try_receive(m)) {
    m = co_await pull.async_receive();
  }
}

}  // namespace

call parse_call(std::string_view word) {
  constexpr std::pair<std::string_view, call> forms[] = {{"await", call::await},
                                                         {"if_needed", call::if_needed},
                                                         {"attempt", call::attempt},
                                                         {"block", call::block}};
  for (const auto& [name, form] : forms) {
    if (word == name) {
      return form;
    }
  }
  misused("CALL is await, if_needed, attempt or block");
}

asio::awaitable<void> send_stream(zmtp::push_socket push, stream work) {
  const auto most =
      std::clamp<std::uint64_t>(batch_bytes / (work.size * work.parts), 1, batch_messages);
  zmtp::message_batch batch;
  for (auto left = work.count; left != 0;) {
    const auto count = std::min(most, left);
    for (std::uint64_t i = 0; i < count; ++i) {
      append(batch, work);
    }
    co_await push.async_send(batch, asio::use_awaitable);
    left -= count;
  }
}

asio::awaitable<void> receive_stream(zmtp::pull_socket pull, stream work) {
  zmtp::message_batch batch;
  std::optional<stopwatch> clock;
  for (std::uint64_t received = 0; received < work.count;) {
    co_await pull.async_receive(batch, asio::use_awaitable);
    if (!clock) {
      clock.emplace();
    }
    for (const auto m : batch) {
      check(m, work);
    }
    received += batch.size();
  }
  report(work, clock->seconds());
}

asio::awaitable<void> send_singly(zmtp::push_socket push, stream work, call form) {
  for (auto left = work.count; left != 0; --left) {
    auto m = make_message(work);
    if (form == call::await) {
      co_await push.async_send(std::move(m));
    } else if (form == call::if_needed) {
      co_await send_or_wait(push, m);
    } else {
      while (push.try_send(std::move(m)) != zmtp::send_status::queued) {
        co_await push.async_wait_writable(asio::use_awaitable);
      }
    }
  }
}

asio::awaitable<void> receive_singly(zmtp::pull_socket pull, stream work, call form) {
  std::optional<stopwatch> clock;
  zmtp::message m;
  for (auto left = work.count; left != 0; --left) {
    if (form == call::await) {
      m = co_await pull.async_receive();
    } else if (form == call::if_needed) {
      co_await receive_or_wait(pull, m);
    } else {
      while (!pull.try_receive(m)) {
        co_await pull.async_wait_readable(asio::use_awaitable);
      }
    }
    check(m, work);
    if (!clock) {
      clock.emplace();
    }
  }
  report(work, clock->seconds());
}

void send_singly(zmtp::blocking::push_socket& push, const stream& work) {
  for (auto left = work.count; left != 0; --left) {
    push.send(make_message(work));
  }
}

void receive_singly(zmtp::blocking::pull_socket& pull, const stream& work) {
  check(pull.receive(), work);
  const stopwatch clock;
  for (auto left = work.count - 1; left != 0; --left) {
    check(pull.receive(), work);
  }
  report(work, clock.seconds());
}

}  // namespace bench
