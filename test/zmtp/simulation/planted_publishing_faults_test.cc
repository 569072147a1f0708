// The checks notice each fault that they are there for: scenarios in which nothing else goes wrong,
// with one fault in a user's program, in its options or in the wire record. Here: publishers and
// subscribers.
#include "test/zmtp/simulation/fault_makers.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <iterator>
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

void changing_topics(participant& p) { p.topic_changes = 50; }

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

}  // namespace
}  // namespace zmtp::simulation
