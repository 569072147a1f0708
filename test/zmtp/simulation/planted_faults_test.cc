// The checks notice each fault that they are there for: scenarios in which nothing else goes wrong,
// with one fault in a user's program, in its options or in the wire record.
#include "test/simulation/seeds.h"
#include "test/zmtp/simulation/parcel.h"
#include "test/zmtp/simulation/production_scenario.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp::simulation {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;
using enum socket_type;
using batch = std::vector<routed_message>;

constexpr std::size_t position_of(socket_type hub, socket_type spokes) {
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    if (patterns[i].hub == hub && patterns[i].spokes == spokes) {
      return i;
    }
  }
  return patterns.size();
}

// Each run begins with a copy of the fault.
bool noticed(violation what, socket_type hub, socket_type spokes, const planted_fault& fault,
             bool no_troubles = true) {
  return noticed(what, [&](std::uint64_t seed) {
    return run_production(
        seed, {.pattern = position_of(hub, spokes), .no_troubles = no_troubles, .fault = fault});
  });
}

// Gives the messages that a user of this type has received to `edit`.
planted_fault editing(socket_type whose, std::function<void(batch&)> edit) {
  return {.received = [whose, edit = std::move(edit)](const participant& p, batch& got) {
    if (p.type == whose) {
      edit(got);
    }
  }};
}

// The same for each message, which is removed if `edit` returns false.
planted_fault editing_each(socket_type whose, std::function<bool(routed_message&)> edit) {
  return editing(whose, [edit = std::move(edit)](batch& got) {
    batch left;
    for (auto& m : got) {
      if (m.what != routed_message::kind::message || edit(m)) {
        left.push_back(std::move(m));
      }
    }
    got = std::move(left);
  });
}

bool is_message(const routed_message& m) { return m.what == routed_message::kind::message; }

bool is_parcel(const routed_message& m) {
  return is_message(m) && unwrap(m.content).found == unwrapped::state::whole;
}

// A notice of an XPUB about a topic.
bool is_notice(const routed_message& m, char begins) {
  return is_message(m) && !is_parcel(m) && m.content.front().starts_with(begins);
}

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

void double_last(batch& got) {
  if (!got.empty() && is_parcel(got.back())) {
    got.push_back(got.back());
  }
}

void drop_last(batch& got) {
  if (got.size() > 1 && is_parcel(got.back())) {
    got.pop_back();
  }
}

void swap_last(batch& got) {
  const auto count = got.size();
  if (count > 1 && is_parcel(got[count - 1]) && is_parcel(got[count - 2])) {
    std::swap(got[count - 1], got[count - 2]);
  }
}

planted_fault adjusted(planted_fault fault, std::function<void(participant&)> adjust) {
  fault.adjust = std::move(adjust);
  return fault;
}

void changing_topics(participant& p) { p.topic_changes = 50; }

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

// The publisher goes on, as if it had read SUBSCRIBE and not CANCEL.
TEST(planted_faults, a_publication_after_the_subscription_was_cancelled_is_noticed) {
  planted_fault fault;
  fault.written = [](std::string& bytes) {
    constexpr std::string_view begins = "\x09SUBSCRIBE";
    if (const auto at = bytes.find(begins); at != std::string::npos && at != 0) {
      bytes[at - 1] = static_cast<char>(bytes[at - 1] - 3);
      bytes.replace(at, begins.size(),
                    "\x06"
                    "CANCEL");
    }
  };
  EXPECT_TRUE(noticed(violation::not_wanted, pub, sub, fault));
}

planted_fault with_topics_forgotten_after(world::duration time) {
  return {.opened = [time](world& in, participant& p) {
    if (subscribes(p.type)) {
      in.after(time, [&p] { p.change_topic = [](bool, std::string_view) {}; });
    }
  }};
}

TEST(planted_faults, a_subscription_that_is_not_sent_is_noticed) {
  EXPECT_TRUE(noticed(violation::lost, pub, sub,
                      adjusted(with_topics_forgotten_after(milliseconds{500}), changing_topics)));
}

// Ends all subscriptions of a socket when a connection ends.
asio::awaitable<void> forget_topics(participant& p) {
  auto events = p.socket->monitor(1'000);
  for (;;) {
    const auto event = co_await events.async_receive(asio::use_awaitable);
    if (event.what == monitor_event::kind::detached) {
      for (const auto topic : wanted_topics) {
        p.change_topic(false, topic);
      }
    }
  }
}

TEST(planted_faults, a_subscription_that_is_not_sent_again_is_noticed) {
  planted_fault fault;
  fault.opened = [](world&, participant& p) {
    if (subscribes(p.type)) {
      asio::co_spawn(p.in->executor(), forget_topics(p), asio::detached);
    }
  };
  for (const auto hub : {pub, xpub}) {
    for (const auto spokes : {sub, xsub}) {
      EXPECT_TRUE(noticed(violation::lost, hub, spokes, fault, false))
          << to_string(hub) << " and " << to_string(spokes);
    }
  }
}

TEST(planted_faults, a_message_to_XSUB_without_a_subscription_is_noticed) {
  EXPECT_TRUE(noticed(violation::not_wanted, xpub, xsub, editing_each(xsub, [](auto& m) {
                        message other{"of another topic"};
                        for (std::size_t i = 1; i < m.content.size(); ++i) {
                          other.push_back(m.content[i]);
                        }
                        m.content = std::move(other);
                        return true;
                      })));
}

TEST(planted_faults, a_topic_that_XPUB_reports_twice_is_noticed) {
  EXPECT_TRUE(noticed(violation::mistold, xpub, sub, adjusted({}, [](participant& p) {
                        if (p.type == xpub) {
                          p.options.xpub.notifications = xpub_options::notices::all;
                        }
                      })));
}

TEST(planted_faults, a_topic_that_XPUB_does_not_report_is_noticed) {
  EXPECT_TRUE(noticed(violation::mistold, xpub, xsub,
                      editing_each(xpub, [](auto& m) { return !is_notice(m, '\1'); })));
}

TEST(planted_faults, a_topic_that_outlives_its_subscriber_is_noticed) {
  EXPECT_TRUE(noticed(violation::mistold, xpub, sub,
                      adjusted(editing_each(xpub, [](auto& m) { return !is_notice(m, '\0'); }),
                               [](participant& p) { p.topic_changes = 0; })));
}

TEST(planted_faults, a_cancelled_topic_that_does_not_end_is_noticed) {
  // Only the first, which comes long before the subscribers leave.
  EXPECT_TRUE(noticed(violation::mistold, sub, xpub,
                      adjusted(editing_each(xpub,
                                            [done = false](auto& m) mutable {
                                              return !is_notice(m, '\0') ||
                                                     std::exchange(done, true);
                                            }),
                               changing_topics)));
}

TEST(planted_faults, a_message_before_its_sender_is_announced_is_noticed) {
  EXPECT_TRUE(noticed(violation::attach_order, dealer, router,
                      editing(dealer, [held = batch{}](batch& got) mutable {
                        std::move(held.begin(), held.end(), std::back_inserter(got));
                        held.clear();
                        if (got.front().what == routed_message::kind::attached) {
                          held.push_back(std::move(got.front()));
                          got.erase(got.begin());
                        }
                      })));
}

// A socket of this type shows other counters than it has.
planted_fault counting(socket_type whose, std::function<void(socket_counters&)> wrong) {
  return {.counted = [whose, wrong = std::move(wrong)](const participant& p, socket_counters& c) {
    if (p.type == whose) {
      wrong(c);
    }
  }};
}

TEST(planted_faults, drops_that_are_not_counted_are_noticed) {
  const auto one_more = [](socket_counters& c) { ++c.messages_sent; };
  EXPECT_TRUE(noticed(violation::miscounted, push, pull, counting(push, one_more)));
}

TEST(planted_faults, messages_to_publishers_that_reach_no_socket_are_noticed) {
  const auto one_more = [](socket_counters& c) { ++c.messages_sent; };
  EXPECT_TRUE(noticed(violation::miscounted, xsub, xpub, counting(xsub, one_more)));
}

TEST(planted_faults, messages_that_PUB_does_not_count_are_noticed) {
  EXPECT_TRUE(noticed(violation::miscounted, pub, xsub,
                      counting(pub, [](socket_counters& c) { c.dropped_unexpected = 0; })));
}

TEST(planted_faults, bytes_that_are_written_twice_are_noticed) {
  planted_fault fault;
  fault.written = [count = 0](std::string& bytes) mutable {
    if (++count == 30) {
      bytes.insert(bytes.size() / 2, bytes, 0, bytes.size() / 2);
    }
  };
  EXPECT_TRUE(noticed(violation::spliced, push, pull, fault));
}

TEST(planted_faults, messages_to_publishers_that_do_not_arrive_are_noticed) {
  EXPECT_TRUE(noticed(violation::lost, xpub, xsub, editing(xpub, drop_last)));
}

TEST(planted_faults, messages_to_publishers_that_arrive_twice_are_noticed) {
  EXPECT_TRUE(noticed(violation::duplicate, xsub, xpub, editing(xpub, double_last)));
}

TEST(planted_faults, a_message_to_publishers_that_is_taken_for_a_subscription_is_noticed) {
  EXPECT_TRUE(noticed(violation::lost, xpub, xsub, editing_each(xpub, [](auto& m) {
                        if (is_parcel(m) && m.content.front().starts_with('\1')) {
                          m.content = message{m.content.front()};
                        }
                        return true;
                      })));
}

void by_hand(participant& p) { p.options.xpub.manual = p.type == xpub; }

// Behind the back of the record.
planted_fault granting(bool subscribe, std::string_view topic) {
  planted_fault fault;
  fault.adjust = [](participant& p) {
    by_hand(p);
    changing_topics(p);
  };
  fault.subscribed = [=](xpub_socket& publisher, peer_id to) {
    error_code ec;
    subscribe ? publisher.subscribe(to, topic, ec) : publisher.cancel(to, topic, ec);
  };
  return fault;
}

TEST(planted_faults, messages_of_XPUB_to_a_peer_that_its_user_rejected_are_noticed) {
  EXPECT_TRUE(noticed(violation::not_wanted, xpub, xsub, granting(true, "ba")));
}

TEST(planted_faults, messages_of_XPUB_missing_although_its_user_granted_them_are_noticed) {
  EXPECT_TRUE(noticed(violation::lost, xpub, sub, granting(false, "a")));
}

TEST(planted_faults, a_subscription_that_a_manual_user_does_not_receive_is_noticed) {
  EXPECT_TRUE(
      noticed(violation::mistold, xpub, sub,
              adjusted(editing_each(xpub, [](auto& m) { return !is_notice(m, '\1'); }), by_hand)));
}

TEST(planted_faults, a_subscription_that_a_manual_user_receives_twice_is_noticed) {
  EXPECT_TRUE(noticed(violation::mistold, xpub, sub,
                      adjusted(editing(xpub,
                                       [](batch& got) {
                                         if (!got.empty() && is_notice(got.back(), '\1')) {
                                           got.push_back(got.back());
                                         }
                                       }),
                               by_hand)));
}

void keeping_last_values(participant& p) {
  changing_topics(p);
  if (p.type == xpub) {
    p.options.xpub.manual = false;
    p.options.xpub.last_values.emplace();
  }
}

TEST(planted_faults, last_values_that_are_not_sent_are_noticed) {
  planted_fault fault;
  fault.options = [](const participant&, socket_options& o) { o.xpub.last_values.reset(); };
  EXPECT_TRUE(noticed(violation::lost, xpub, sub, adjusted(fault, keeping_last_values)));
}

// Returns the size of the first message if the bytes are whole short frames.
std::size_t size_of_first_message(std::string_view bytes) {
  std::size_t first = 0;
  std::size_t at = 0;
  while (at + 1 < bytes.size()) {
    const auto flags = static_cast<unsigned char>(bytes[at]);
    if (flags > 1) {
      return 0;
    }
    at += 2 + std::size_t{static_cast<unsigned char>(bytes[at + 1])};
    first = first == 0 && flags == 0 ? at : first;
  }
  return at == bytes.size() ? first : 0;
}

TEST(planted_faults, last_values_that_are_sent_twice_are_noticed) {
  planted_fault fault;
  fault.written = [](std::string& bytes) {
    bytes.insert(0, bytes, 0, size_of_first_message(bytes));
  };
  EXPECT_TRUE(noticed(violation::not_wanted, xpub, sub, adjusted(fault, keeping_last_values)));
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
