// The checks notice each fault that they are there for: scenarios in which nothing else goes wrong,
// with one fault in a user's program, in its options or in the wire record.
#include "test/zmtp/simulation/fault_makers.h"
#include "test/zmtp/simulation/parcel.h"
#include "test/zmtp/simulation/production_scenario.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace zmtp::simulation {
namespace {

using std::chrono::milliseconds;
using enum socket_type;
using batch = std::vector<routed_message>;

message without_last_part(const message& m) {
  message shorter;
  for (std::size_t i = 0; i + 1 < m.size(); ++i) {
    shorter.push_back(m[i]);
  }
  return shorter;
}

// Behind the part that describes the message there is another.
bool has_body(const routed_message& m) {
  return is_parcel(m) && m.content.size() > unwrap(m.content).envelope.size() + 1;
}

bool cut_short(routed_message& m) {
  if (has_body(m)) {
    m.content = without_last_part(m.content);
  }
  return true;
}

void swap_last(batch& got) {
  const auto count = got.size();
  if (count > 1 && is_parcel(got[count - 1]) && is_parcel(got[count - 2])) {
    std::swap(got[count - 1], got[count - 2]);
  }
}

TEST(planted_faults, a_missing_part_is_noticed) {
  EXPECT_TRUE(noticed(violation::partial, pull, push, editing_each(pull, cut_short)));
  EXPECT_TRUE(noticed(violation::partial, socket_type::pair, socket_type::pair,
                      editing_each(socket_type::pair, cut_short)));
}

TEST(planted_faults, parts_of_another_message_are_noticed) {
  EXPECT_TRUE(noticed(violation::spliced, dealer, dealer, editing_each(dealer, [](auto& m) {
                        if (has_body(m)) {
                          m.content = without_last_part(m.content);
                          m.content.push_back("of another");
                        }
                        return true;
                      })));
}

TEST(planted_faults, an_extra_part_is_noticed) {
  EXPECT_TRUE(noticed(violation::spliced, pull, push, editing_each(pull, [](auto& m) {
                        m.content.push_back("");
                        return true;
                      })));
}

TEST(planted_faults, a_message_that_comes_twice_is_noticed) {
  EXPECT_TRUE(noticed(violation::duplicate, router, dealer, editing(router, double_last)));
  EXPECT_TRUE(noticed(violation::duplicate, socket_type::pair, socket_type::pair,
                      editing(socket_type::pair, double_last)));
  EXPECT_TRUE(noticed(violation::duplicate, xpub, xsub, editing(xsub, double_last)));
}

TEST(planted_faults, messages_that_are_swapped_are_noticed) {
  EXPECT_TRUE(noticed(violation::reordered, push, pull, editing(pull, swap_last)));
  EXPECT_TRUE(noticed(violation::reordered, socket_type::pair, socket_type::pair,
                      editing(socket_type::pair, swap_last)));
  EXPECT_TRUE(noticed(violation::reordered, xpub, xsub, editing(xsub, swap_last)));
}

// The last message of a connection waits until the next connection brings one.
TEST(planted_faults, a_message_after_those_of_a_later_connection_is_noticed) {
  planted_fault fault;
  fault.received = [held = batch{}](const participant& p, batch& got) mutable {
    if (p.number != 1) {
      return;
    }
    batch left;
    for (auto& m : got) {
      if (!is_parcel(m)) {
        left.push_back(std::move(m));
        continue;
      }
      if (held.empty() || held.front().peer == m.peer) {
        std::move(held.begin(), held.end(), std::back_inserter(left));
        held.clear();
        held.push_back(std::move(m));
        continue;
      }
      left.push_back(std::move(m));
      left.push_back(std::move(held.front()));
      held.clear();
    }
    got = std::move(left);
  };
  EXPECT_TRUE(noticed(violation::mingled, socket_type::pair, socket_type::pair, fault, false));
}

TEST(planted_faults, a_message_that_does_not_arrive_is_noticed) {
  for (const auto& [hub, spokes] : patterns) {
    const bool one_at_a_time = hub == req || spokes == req || spokes == rep;
    if (one_at_a_time || spokes == push || publishes(spokes)) {
      continue;
    }
    EXPECT_TRUE(noticed(violation::lost, hub, spokes, editing(spokes, drop_last)))
        << to_string(hub) << " and " << to_string(spokes);
  }
  EXPECT_TRUE(noticed(violation::lost, dealer, rep,
                      editing_each(rep, [count = 0](auto&) mutable { return ++count != 3; })));
}

TEST(planted_faults, a_queue_above_its_mark_is_noticed) {
  EXPECT_TRUE(
      noticed(violation::above_mark, pull, push,
              {.options = [](const participant&, socket_options& o) { o.receive_mark = {}; }}));
}

TEST(planted_faults, a_message_at_the_wrong_peer_is_noticed) {
  const auto swaps = [stolen = std::make_shared<message>("of no one")](batch& got) {
    if (!got.empty() && is_parcel(got.back())) {
      std::swap(got.back().content, *stolen);
    }
  };
  EXPECT_TRUE(noticed(violation::misaddressed, router, dealer, editing(dealer, swaps)));
}

TEST(planted_faults, a_late_answer_taken_for_another_is_noticed) {
  // REQ behaves this way if it is relaxed and does not correlate.
  EXPECT_TRUE(noticed(violation::wrong_answer, rep, req, adjusted({}, [](participant& p) {
                        if (p.type == rep) {
                          p.eager = false;
                          p.pace = std::chrono::seconds{10};
                        } else {
                          p.options.relaxed = true;
                          p.options.correlate = false;
                        }
                      })));
}

// A ROUTER that connects forgets to which endpoints.
TEST(planted_faults, peers_that_are_left_are_noticed) {
  planted_fault fault;
  fault.opened = [](world& in, participant& p) {
    if (p.type == router) {
      in.after(milliseconds{500}, [&p] { p.connects_to.clear(); });
    }
  };
  EXPECT_TRUE(noticed(violation::leaked, router, dealer, fault));
}

TEST(planted_faults, a_socket_that_waits_without_end_is_noticed) {
  EXPECT_TRUE(noticed(violation::stuck, pull, push, adjusted({}, [](participant& p) {
                        if (p.type == pull) {
                          p.eager = false;
                          p.pace = std::chrono::hours{10};
                        }
                      })));
}

}  // namespace
}  // namespace zmtp::simulation
