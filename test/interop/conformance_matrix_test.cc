// The conformance matrix: each two types that talk to each other, of Zinc and of libzmq, with either of them
// binding, over each transport. Messages have 0 bytes to 1 MiB and 1 to 100 parts, in each direction that the
// two have. The table in docs/conformance.md is made from the names of these tests.

#include "test/interop/matrix_end.h"
#include "test/interop/two_sides.h"
#include "zmtp/socket_type.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <cctype>
#include <exception>
#include <functional>
#include <initializer_list>
#include <semaphore>
#include <stdexcept>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using enum socket_type;

constexpr socket_type all_types[] = {pair,   pub,  sub,  req,  rep, dealer,
                                     router, pull, push, xpub, xsub};

struct participant {
  maker by = maker::ours;
  socket_type type = pair;
};

struct cell {
  participant binds;
  participant connects;
  medium over = medium::tcp;
  security_side of_binder = security_side::unsecured;
};

// The security side that fits.
security_side other(security_side by) {
  switch (by) {
    case security_side::unsecured: break;
    case security_side::curve_client: return security_side::curve_server;
    case security_side::curve_server: return security_side::curve_client;
  }
  return security_side::unsecured;
}

std::string name_of(security_side by) {
  switch (by) {
    case security_side::unsecured: break;
    case security_side::curve_client: return "curve_client_";
    case security_side::curve_server: return "curve_server_";
  }
  return "";
}

std::string name_of(const participant& who) {
  std::string name = who.by == maker::ours ? "our_" : "their_";
  for (const char c : to_string(who.type)) {
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return name;
}

std::ostream& operator<<(std::ostream& to, const cell& c) {
  return to << name_of(c.of_binder) << name_of(c.binds) << "_binds_" << name_of(c.connects)
            << "_connects_over_" << c.over;
}

std::vector<cell> cells() {
  std::vector<cell> all;
  const auto add = [&](maker binder, maker connector, medium over) {
    for (const auto one : all_types) {
      for (const auto other : all_types) {
        if (compatible(one, other)) {
          all.push_back({{binder, one}, {connector, other}, over});
        }
      }
    }
  };
  for (const auto over : {medium::tcp, medium::ipc}) {
    add(maker::ours, maker::theirs, over);
    add(maker::theirs, maker::ours, over);
    add(maker::ours, maker::ours, over);
  }
  add(maker::ours, maker::ours, medium::inproc);
  return all;
}

// libzmq 4.3.4 never sends the subscriptions of a SUB or XSUB that binds with CURVE, also not to
// libzmq.
bool sends_nothing_with_curve(const participant& who) {
  return who.by == maker::theirs && (who.type == sub || who.type == xsub);
}

// With CURVE, and either of them as its server.
std::vector<cell> secured_cells() {
  std::vector<cell> all;
  for (auto c : cells()) {
    if (c.over == medium::tcp && !sends_nothing_with_curve(c.binds)) {
      for (const auto by : {security_side::curve_client, security_side::curve_server}) {
        c.of_binder = by;
        all.push_back(c);
      }
    }
  }
  return all;
}

// No part begins with the byte 0 or 1: libzmq would treat such a part of an XSUB's message as a subscription,
// at any place in the message.
std::string part_of(std::size_t size) { return size == 0 ? "" : "m" + content(size - 1, size); }

const std::vector<parts>& shapes() {
  static const auto all = [] {
    std::vector<parts> list{{""}, {"m"}, {"m", ""}, {"", "m"}, {"m", "", "", "m"}, {"", "", ""}};
    // Both sides of the change of the frame's form, a read buffer and more.
    for (const auto size : std::initializer_list<std::size_t>{255, 256, 65'536, 1'048'576}) {
      list.push_back({part_of(size)});
    }
    list.push_back({"m", std::string("\xff\0\1", 3), part_of(70'000), "", part_of(256)});
    list.emplace_back(100, "");
    auto& mixed = list.emplace_back();
    for (std::size_t n = 0; n < 100; ++n) {
      mixed.push_back(part_of(n * n % 600));
    }
    return list;
  }();
  return all;
}

// Returns whether the first of two types sends first. If both types are equal, either one can.
bool leads(socket_type one, socket_type other) {
  switch (one) {
    case pub:
    case xpub:
    case push:
    case req:
    case dealer:
    case pair: return true;
    case router: return other == router;
    case rep:
    case sub:
    case xsub:
    case pull: return false;
  }
  return false;
}

const parts no_parts;
const parts empty_part{""};

parts behind(const parts& envelope, const parts& shape) {
  auto m = envelope;
  m.insert(m.end(), shape.begin(), shape.end());
  return m;
}

class conformance : public testing::TestWithParam<cell> {
protected:
  asio::awaitable<void> say_all(matrix_end& with) {
    for (const auto& shape : shapes()) {
      co_await with.say(shape);
    }
  }
  asio::awaitable<void> hear_all(matrix_end& with) {
    for (const auto& shape : shapes()) {
      parts m = co_await with.hear();
      while (m == anybody_there) {
        received.release();
        m = co_await with.hear();
      }
      EXPECT_TRUE(m == shape) << describe(shape) << " arrived as " << describe(m);
    }
  }
  // `envelope` goes before each message and is to come back with it.
  asio::awaitable<void> ask_all(matrix_end& with, parts envelope) {
    for (const auto& shape : shapes()) {
      const auto question = behind(envelope, shape);
      co_await with.say(question);
      const parts m = co_await with.hear();
      EXPECT_TRUE(m == question) << describe(question) << " came back as " << describe(m);
    }
  }
  asio::awaitable<void> answer_all(matrix_end& with, parts envelope) {
    for (const auto& shape : shapes()) {
      const parts m = co_await with.hear();
      const auto question = behind(envelope, shape);
      EXPECT_TRUE(m == question) << describe(question) << " arrived as " << describe(m);
      co_await with.say(m);
    }
  }

  asio::awaitable<void> lead(matrix_end& with, socket_type type, socket_type to) {
    switch (type) {
      case push: co_await say_all(with); break;
      case pub:
      case xpub:
        co_await with.wait_for_subscriber(received);
        co_await say_all(with);
        if (type == xpub && to == xsub) {
          co_await hear_all(with);
        }
        break;
      case router: {
        // The peer announces itself to the ROUTER.
        const parts announcement = co_await with.hear();
        EXPECT_EQ(announcement, empty_part);
        co_await ask_all(with, no_parts);
        break;
      }
      default: co_await ask_all(with, type == dealer && to == rep ? empty_part : no_parts); break;
    }
    co_await with.wait_written();
  }
  asio::awaitable<void> follow(matrix_end& with, socket_type type, socket_type leader) {
    switch (type) {
      case pull:
      case sub: co_await hear_all(with); break;
      case xsub:
        co_await hear_all(with);
        if (leader == xpub) {
          co_await say_all(with);
        }
        break;
      default:
        co_await answer_all(with, type == router && leader == req ? empty_part : no_parts);
        break;
    }
    co_await with.wait_written();
  }
  asio::awaitable<void> speak(matrix_end& with, const participant& who, const participant& other,
                              bool leading) {
    return leading ? lead(with, who.type, other.type) : follow(with, who.type, other.type);
  }

  // In the thread of the other side, whatever its socket is.
  void run_there(const std::function<asio::awaitable<void>()>& part) {
    bool over = false;
    std::exception_ptr failure;
    asio::co_spawn(there, part, [&](std::exception_ptr e) {
      failure = e;
      over = true;
    });
    const auto end = std::chrono::steady_clock::now() + two_sides::timeout;
    while (!over && there.run_one_until(end) != 0) {
    }
    if (!over) {
      throw std::runtime_error{"time has run out"};
    }
    if (failure) {
      std::rethrow_exception(failure);
    }
  }

  two_sides sides;
  asio::io_context there{1};
  std::binary_semaphore received{0};
};

TEST_P(conformance, messages_arrive_as_they_were_sent) {  // Z-10, Z-16
  const auto& binds = GetParam().binds;
  const auto& connects = GetParam().connects;
  // Zinc's sockets live in this thread. If both are of Zinc, the one that connects lives in the other thread.
  const bool binder_is_here = binds.by == maker::ours;
  const bool binder_leads = leads(binds.type, connects.type);
  const auto make = [&](const participant& who, bool here, bool leading) {
    return make_end(who.by, who.type, who.type == router && !leading && binds.type == connects.type,
                    &who == &binds ? GetParam().of_binder : other(GetParam().of_binder),
                    here ? sides.executor() : there.get_executor(), sides.theirs());
  };
  const auto binder = make(binds, binder_is_here, binder_leads);
  const auto connector = make(connects, !binder_is_here, !binder_leads);
  connector->connect(binder->bind(free_endpoint(GetParam().over)));
  const auto binders = [&] { return speak(*binder, binds, connects, binder_leads); };
  const auto connectors = [&] { return speak(*connector, connects, binds, !binder_leads); };
  if (binder_is_here) {
    sides.run(binders, [&] { run_there(connectors); });
  } else {
    sides.run(connectors, [&] { run_there(binders); });
  }
}

INSTANTIATE_TEST_SUITE_P(matrix, conformance, testing::ValuesIn(cells()),
                         testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(secured, conformance, testing::ValuesIn(secured_cells()),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace zmtp::test
