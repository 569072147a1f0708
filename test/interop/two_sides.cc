#include "test/interop/two_sides.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <exception>
#include <initializer_list>
#include <memory>
#include <thread>

namespace zmtp::test {

namespace {

void report(std::string_view side, const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& e) {
    ADD_FAILURE() << side << " side: " << e.what();
  }
}

// Shared with handlers that are still in the context after the timeout.
struct progress {
  int left = 2;
  bool failed = false;
};

asio::awaitable<void> nothing() { co_return; }

}  // namespace

void two_sides::run(const std::function<asio::awaitable<void>()>& our_part,
                    const std::function<void()>& their_part, std::chrono::seconds limit) {
  const auto state = std::make_shared<progress>();
  const auto over = [state](std::string_view side, const std::exception_ptr& failure) {
    --state->left;
    // A failure of one side that follows a failure of the other adds no information.
    if (failure && !std::exchange(state->failed, true)) {
      report(side, failure);
    }
  };
  asio::co_spawn(ours_, our_part, [over](std::exception_ptr failure) { over("our", failure); });
  std::thread theirs{[&] {
    std::exception_ptr failure;
    try {
      their_part();
    } catch (...) {
      failure = std::current_exception();
    }
    asio::post(ours_, [over, failure] { over("libzmq's", failure); });
  }};
  const auto work = asio::make_work_guard(ours_);
  const auto end = std::chrono::steady_clock::now() + limit;
  ours_.restart();
  while (state->left != 0 && !state->failed && std::chrono::steady_clock::now() < end) {
    ours_.run_one_until(end);
  }
  if (state->left != 0) {
    EXPECT_TRUE(state->failed) << "time has run out";
    state->failed = true;
    theirs_.shutdown();
  }
  theirs.join();
}

void two_sides::run_ours(const std::function<asio::awaitable<void>()>& our_part) {
  run(our_part, [] {});
}

void two_sides::run_theirs(const std::function<void()>& their_part) { run(nothing, their_part); }

void two_sides::run_to_the_end(std::chrono::seconds limit) {
  ours_.restart();
  ours_.run_for(limit);
  EXPECT_TRUE(ours_.stopped()) << "time has run out";
}

std::string to_string(binder who) { return who == binder::ours ? "we_bind" : "libzmq_binds"; }

void join(binder who, socket& ours, libzmq::socket& theirs, medium over) {
  theirs.set(ZMQ_IPV6, over == medium::tcp_ipv6 ? 1 : 0);
  const auto at = free_endpoint(over);
  switch (who) {
    case binder::ours: theirs.connect(ours.bind(at).to_string()); return;
    case binder::theirs: ours.connect(theirs.bind(at)); return;
  }
}

std::ostream& operator<<(std::ostream& to, const encounter& e) {
  return to << test::to_string(e.who) << "_over_" << e.over;
}

std::vector<encounter> encounters() {
  std::vector<encounter> all;
  for (const auto over : byte_media()) {
    all.push_back({binder::ours, over});
    all.push_back({binder::theirs, over});
  }
  return all;
}

void join(const encounter& how, socket& ours, libzmq::socket& theirs) {
  join(how.who, ours, theirs, how.over);
}

message to_message(const parts& from) {
  message m;
  for (const auto& part : from) {
    m.push_back(part);
  }
  return m;
}

parts to_parts(const message& from) {
  parts to;
  for (const auto part : from) {
    to.emplace_back(part);
  }
  return to;
}

parts without_first(const parts& from) { return {from.begin() + 1, from.end()}; }

parts with_first(std::string_view first, const parts& from) {
  parts to{std::string{first}};
  to.insert(to.end(), from.begin(), from.end());
  return to;
}

std::string content(std::size_t size, std::size_t seed) {
  std::string bytes(size, '\0');
  auto next = static_cast<std::uint32_t>(seed + 1);
  for (auto& byte : bytes) {
    next = next * 1'664'525 + 1'013'904'223;
    byte = static_cast<char>(next >> 24);
  }
  return bytes;
}

parts numbered(std::size_t n) {
  parts m{std::to_string(n), content(n * 7'919 % 300, n)};
  if (n % 7 == 0) {
    m.emplace_back();
  }
  if (n % 100 == 0) {
    m.push_back(content(5'000, n));
  }
  return m;
}

const std::vector<parts>& shapes() {
  static const auto all = [] {
    std::vector<parts> list{
        {"hello"},
        {"hello", "world"},
        {"a", "b", "c", "d", "e"},
        // Empty parts: alone, first, between, last, several.
        {""},
        {"", "body"},
        {"", "", "body"},
        {"head", "", "body"},
        {"body", ""},
        {"", "body", ""},
        {"", "", ""},
        {"head", "", "body", ""},
        // No text.
        {std::string(1, '\0')},
        {std::string("\0\xff\x01\x02", 4), std::string(1, '\xff')},
        // Large and small parts by turns.
        {content(3, 1), content(70'000, 2), "", content(255, 3), content(256, 4), "last"},
    };
    // Both sides of every change of the frame's form, and more than a read buffer.
    for (const auto size : std::initializer_list<std::size_t>{
             0, 1, 254, 255, 256, 257, 4'095, 4'096, 8'191, 65'535, 65'536, 1'048'576}) {
      list.push_back({content(size, size)});
      list.push_back({content(size, 1), content(size, 2), content(size, 3)});
      if (size <= 256) {
        list.emplace_back(1'000, content(size, 4));
      }
    }
    list.push_back({"", content(1'048'576, 5), ""});
    return list;
  }();
  return all;
}

std::string describe(const parts& what) {
  auto text = std::to_string(what.size()) + " parts of";
  for (std::size_t i = 0; i < what.size() && i < 10; ++i) {
    text += ' ' + std::to_string(what[i].size());
  }
  return text + " bytes";
}

void expect_shape(const parts& got, const parts& shape) {
  EXPECT_TRUE(got == shape) << describe(shape) << " arrived as " << describe(got);
}

socket_options persistent() {
  using namespace std::chrono_literals;
  socket_options options;
  options.relaxed = true;
  options.correlate = true;
  options.reconnect = {.initial = 5ms, .maximum = 20ms};
  return options;
}

}  // namespace zmtp::test
