// The books notice each fault that they are there for: scenarios in which nothing else goes wrong, with
// one that is put in.
#include "test/simulation/ledger.h"

#include "test/zmtp/simulation/parcel.h"
#include "test/simulation/scenario.h"
#include "test/simulation/seeds.h"
#include "zmtp/routing/xpub_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp::simulation {
namespace {

constexpr std::size_t position_of(socket_type hub, socket_type spokes) {
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    if (patterns[i].hub == hub && patterns[i].spokes == spokes) {
      return i;
    }
  }
  return patterns.size();
}

bool noticed(violation what, socket_type hub, socket_type spokes,
             const std::function<void(party&)>& prepare,
             const std::function<void(casting&)>& adjust = nullptr, bool no_troubles = true) {
  return noticed(what, [&](std::uint64_t seed) {
    return run_scenario(seed, {.adjust = adjust,
                               .prepare = prepare,
                               .pattern = position_of(hub, spokes),
                               .no_troubles = no_troubles});
  });
}

using messages = std::vector<message>;

// Gives the received messages to `edit`, whenever a message has arrived. `edit` must leave at least
// one: the user reads after a notice that a queue is readable.
std::function<void(party&)> editing(socket_type whose, std::function<void(messages&)> edit) {
  return [whose, edit = std::move(edit)](party& p) {
    if (p.socket().state().type() != whose) {
      return;
    }
    p.socket().faults().received = [edit](pipe& of) {
      messages all;
      while (!of.in.empty()) {
        message m;
        of.in.pop(m);
        all.push_back(std::move(m));
      }
      edit(all);
      for (auto& m : all) {
        of.in.push(std::move(m));
      }
    };
  };
}

std::function<void(party&)> spoiling(std::function<void(planted_fault&)> spoil) {
  return [spoil = std::move(spoil)](party& p) { spoil(p.socket().faults()); };
}

bool is_parcel(const message& m) {
  return !m.empty() && unwrap(m).found == unwrapped::state::whole;
}

message without_last_part(const message& m) {
  message shorter;
  std::size_t left = m.size() - 1;
  for (const auto part : m) {
    if (left-- == 0) {
      break;
    }
    shorter.push_back(part);
  }
  return shorter;
}

TEST(ledger, agrees_without_injected_faults) {
  for (std::size_t which = 0; which < patterns.size(); ++which) {
    const auto result = run_scenario(3, {.pattern = which, .no_troubles = true});
    EXPECT_TRUE(result.findings.empty())
        << result.description << ": " << result.findings.front().text;
    EXPECT_NE(result.figure("parcels"), 0U) << result.description;
  }
}

TEST(ledger, notices_a_missing_part) {
  const auto cut_short = [](messages& all) {
    for (auto& m : all) {
      if (m.size() > 1) {
        m = without_last_part(m);
      }
    }
  };
  EXPECT_TRUE(noticed(violation::partial, socket_type::pull, socket_type::push,
                      editing(socket_type::pull, cut_short)));
  EXPECT_TRUE(noticed(violation::partial, socket_type::pair, socket_type::pair,
                      editing(socket_type::pair, cut_short)));
}

TEST(ledger, notices_parts_of_another_message) {
  EXPECT_TRUE(noticed(violation::spliced, socket_type::dealer, socket_type::dealer,
                      editing(socket_type::dealer, [](messages& all) {
                        for (auto& m : all) {
                          if (m.size() > 1) {
                            m = without_last_part(m);
                            m.push_back("of another");
                          }
                        }
                      })));
}

TEST(ledger, notices_an_extra_part) {
  EXPECT_TRUE(noticed(violation::spliced, socket_type::pull, socket_type::push,
                      editing(socket_type::pull, [](messages& all) {
                        for (auto& m : all) {
                          if (!m.empty()) {
                            m.push_back("");
                          }
                        }
                      })));
}

TEST(ledger, notices_a_message_that_comes_twice) {
  const auto double_last = [](messages& all) {
    if (!all.empty() && !all.back().empty()) {
      all.push_back(all.back());
    }
  };
  EXPECT_TRUE(noticed(violation::duplicate, socket_type::router, socket_type::dealer,
                      editing(socket_type::router, double_last)));
  EXPECT_TRUE(noticed(violation::duplicate, socket_type::pair, socket_type::pair,
                      editing(socket_type::pair, double_last)));
  EXPECT_TRUE(noticed(violation::duplicate, socket_type::xpub, socket_type::xsub,
                      editing(socket_type::xsub, double_last)));
}

TEST(ledger, notices_messages_that_are_swapped) {
  const auto swap_last = [](messages& all) {
    if (all.size() > 1 && !all.back().empty() && !all[all.size() - 2].empty()) {
      std::swap(all.back(), all[all.size() - 2]);
    }
  };
  EXPECT_TRUE(noticed(violation::reordered, socket_type::push, socket_type::pull,
                      editing(socket_type::pull, swap_last)));
  EXPECT_TRUE(noticed(violation::reordered, socket_type::pair, socket_type::pair,
                      editing(socket_type::pair, swap_last)));
  EXPECT_TRUE(noticed(violation::reordered, socket_type::xpub, socket_type::xsub,
                      editing(socket_type::xsub, swap_last)));
}

TEST(ledger, notices_a_message_that_arrives_after_those_of_a_later_connection) {
  // The last message of each connection waits until the next connection sends something.
  struct last_words {
    peer_id of;
    message what;
  };
  const auto holds_back = [](party& p) {
    p.socket().faults().received = [held = last_words{}](pipe& of) mutable {
      messages all;
      while (!of.in.empty()) {
        all.push_back(of.in.pop());
      }
      if (!all.empty() && !all.back().empty()) {
        const auto later = held.of != of.id;
        auto newest = later ? message{} : std::exchange(all.back(), {});
        if (!later) {
          all.pop_back();
        }
        if (!held.what.empty()) {
          all.insert(later ? all.end() : all.begin(), held.what);
        }
        held = {of.id, std::move(newest)};
      }
      for (auto& m : all) {
        of.in.push(std::move(m));
      }
    };
  };
  EXPECT_TRUE(noticed(violation::mingled, socket_type::pair, socket_type::pair, holds_back, nullptr,
                      false));
}

TEST(ledger, notices_a_message_that_does_not_arrive) {
  for (const auto& [hub, spokes] : patterns) {
    const auto one_at_a_time = hub == socket_type::req || spokes == socket_type::req;
    if (one_at_a_time || spokes == socket_type::push || publishes(spokes)) {
      continue;
    }
    const auto who = spokes;
    EXPECT_TRUE(noticed(violation::lost, hub, spokes,
                        editing(who,
                                [](messages& all) {
                                  if (all.size() > 1 && !all.back().empty()) {
                                    all.pop_back();
                                  }
                                })))
        << to_string(hub) << " and " << to_string(spokes);
  }
}

TEST(ledger, notices_a_queue_above_its_mark) {
  EXPECT_TRUE(noticed(violation::above_mark, socket_type::pull, socket_type::push,
                      spoiling([](planted_fault& s) { s.ignores_marks = true; })));
}

TEST(ledger, notices_a_message_at_the_wrong_peer) {
  const auto stolen = std::make_shared<message>(message{"nobody's"});
  EXPECT_TRUE(noticed(violation::misaddressed, socket_type::router, socket_type::dealer,
                      editing(socket_type::dealer, [stolen](messages& all) {
                        if (!all.empty() && !all.back().empty()) {
                          std::swap(all.back(), *stolen);
                        }
                      })));
}

TEST(ledger, notices_a_late_answer_taken_for_another) {
  // REQ behaves this way if it is relaxed and does not correlate.
  const auto adjust = [](casting& part) {
    part.options.relaxed = true;
    part.options.correlate = false;
    if (part.type == socket_type::rep) {
      part.how.eager = false;
      part.how.pace = std::chrono::seconds{10};
    }
  };
  EXPECT_TRUE(
      noticed(violation::wrong_answer, socket_type::rep, socket_type::req, nullptr, adjust));
}

TEST(ledger, notices_a_publication_after_the_subscription_was_cancelled) {
  const auto adjust = [](casting& part) { part.topic_changes = 50; };
  EXPECT_TRUE(noticed(violation::not_wanted, socket_type::pub, socket_type::sub,
                      spoiling([](planted_fault& s) { s.forgets_cancel = true; }), adjust));
}

TEST(ledger, notices_a_subscription_that_is_not_sent) {
  EXPECT_TRUE(noticed(violation::lost, socket_type::pub, socket_type::sub,
                      spoiling([](planted_fault& s) { s.forgets_topics = true; })));
}

TEST(ledger, notices_a_subscription_that_is_not_sent_again) {
  // A socket that reconnects sends no topics; only cuts cause reconnects.
  const auto forgets_later = [](party& p) {
    auto& faults = p.socket().faults();
    p.socket().net().here().events.after(std::chrono::milliseconds{500},
                                         [&faults] { faults.forgets_topics = true; });
  };
  for (const auto hub : {socket_type::pub, socket_type::xpub}) {
    for (const auto spokes : {socket_type::sub, socket_type::xsub}) {
      EXPECT_TRUE(noticed(violation::lost, hub, spokes, forgets_later, nullptr, false))
          << to_string(hub) << " and " << to_string(spokes);
    }
  }
}

TEST(ledger, notices_a_message_to_XSUB_without_a_subscription) {
  EXPECT_TRUE(noticed(violation::not_wanted, socket_type::xpub, socket_type::xsub,
                      editing(socket_type::xsub, [](messages& all) {
                        for (auto& m : all) {
                          message other{"of another topic"};
                          for (auto part = std::next(m.begin()); part != m.end(); ++part) {
                            other.push_back(*part);
                          }
                          m = other;
                        }
                      })));
}

TEST(ledger, notices_a_topic_that_XPUB_reports_twice) {
  const auto adjust = [](casting& part) {
    part.options.xpub.notifications = xpub_options::notices::all;
  };
  EXPECT_TRUE(noticed(violation::mistold, socket_type::xpub, socket_type::sub, nullptr, adjust));
}

TEST(ledger, notices_a_topic_that_XPUB_does_not_report) {
  EXPECT_TRUE(noticed(violation::mistold, socket_type::xpub, socket_type::xsub,
                      editing(socket_type::xpub, [](messages& all) {
                        if (all.size() > 1 && !all.back().empty()) {
                          all.pop_back();
                        }
                      })));
}

TEST(ledger, notices_a_topic_that_outlives_its_subscriber) {
  EXPECT_TRUE(noticed(violation::mistold, socket_type::xpub, socket_type::sub,
                      spoiling([](planted_fault& s) { s.forgets_detach = true; })));
}

TEST(ledger, notices_a_cancelled_topic_that_does_not_end) {
  const auto adjust = [](casting& part) { part.topic_changes = 50; };
  EXPECT_TRUE(noticed(violation::mistold, socket_type::sub, socket_type::xpub,
                      spoiling([](planted_fault& s) { s.forgets_cancel = true; }), adjust));
}

TEST(ledger, notices_a_message_before_its_sender_is_announced) {
  EXPECT_TRUE(noticed(violation::attach_order, socket_type::pull, socket_type::push,
                      editing(socket_type::pull, [](messages& all) {
                        if (all.size() > 1 && all[0].empty()) {
                          std::swap(all[0], all[1]);
                        }
                      })));
}

TEST(ledger, notices_drops_that_are_not_counted) {
  EXPECT_TRUE(noticed(violation::miscounted, socket_type::push, socket_type::pull, [](party& p) {
    if (p.socket().state().type() == socket_type::push) {
      p.socket().faults().received = [](pipe& of) { of.out.clear(); };
    }
  }));
}

TEST(ledger, notices_bytes_that_are_written_twice) {
  const auto once = [](planted_fault& s) {
    s.taken = [lied = false](std::size_t count) mutable {
      return std::exchange(lied, true) ? count : count - count / 2;
    };
  };
  EXPECT_TRUE(noticed(violation::spliced, socket_type::push, socket_type::pull, spoiling(once)));
}

TEST(ledger, notices_messages_to_publishers_that_do_not_arrive) {
  EXPECT_TRUE(noticed(violation::lost, socket_type::xpub, socket_type::xsub,
                      editing(socket_type::xpub, [](messages& all) {
                        if (all.size() > 1 && is_parcel(all.back())) {
                          all.pop_back();
                        }
                      })));
}

TEST(ledger, notices_messages_to_publishers_that_arrive_twice) {
  EXPECT_TRUE(noticed(violation::duplicate, socket_type::xsub, socket_type::xpub,
                      editing(socket_type::xpub, [](messages& all) {
                        if (!all.empty() && is_parcel(all.back())) {
                          all.push_back(all.back());
                        }
                      })));
}

TEST(ledger, notices_a_message_to_publishers_that_is_taken_for_a_subscription) {
  // Cuts off all parts after the first.
  EXPECT_TRUE(noticed(violation::lost, socket_type::xpub, socket_type::xsub,
                      editing(socket_type::xpub, [](messages& all) {
                        for (auto& m : all) {
                          if (is_parcel(m) && m.front().starts_with('\1')) {
                            m = message{m.front()};
                          }
                        }
                      })));
}

TEST(ledger, notices_messages_to_publishers_that_reach_no_socket) {
  EXPECT_TRUE(noticed(violation::miscounted, socket_type::xsub, socket_type::xpub, [](party& p) {
    if (p.socket().state().type() == socket_type::xsub) {
      p.socket().faults().received = [](pipe& of) { of.out.clear(); };
    }
  }));
}

TEST(ledger, notices_messages_that_PUB_does_not_count) {
  EXPECT_TRUE(noticed(violation::miscounted, socket_type::pub, socket_type::xsub,
                      editing(socket_type::pub, [](messages& all) { all.clear(); })));
}

void by_hand(casting& part) { part.options.xpub.manual = part.type == socket_type::xpub; }

// Behind its user's back.
std::function<void(party&)> granting(bool subscribe, std::string_view topic) {
  return [=](party& p) {
    if (p.socket().state().type() != socket_type::xpub) {
      return;
    }
    auto& state = static_cast<xpub_state&>(p.socket().state());
    p.socket().faults().subscribed = [=, &state](pipe& of, bool, std::string_view) {
      (void)(subscribe ? state.subscribe(of.id, topic) : state.cancel(of.id, topic));
    };
  };
}

TEST(ledger, notices_messages_of_XPUB_to_a_peer_that_its_user_rejected) {
  EXPECT_TRUE(noticed(violation::not_wanted, socket_type::xpub, socket_type::xsub,
                      granting(true, "ba"), by_hand));
}

TEST(ledger, notices_messages_of_XPUB_missing_although_its_user_granted_them) {
  const auto adjust = [](casting& part) {
    by_hand(part);
    part.topic_changes = 50;
  };
  EXPECT_TRUE(
      noticed(violation::lost, socket_type::xpub, socket_type::sub, granting(false, "a"), adjust));
}

TEST(ledger, notices_a_subscription_that_a_manual_user_does_not_receive) {
  EXPECT_TRUE(noticed(
      violation::mistold, socket_type::xpub, socket_type::sub,
      [](party& p) {
        if (p.socket().state().type() == socket_type::xpub) {
          p.socket().faults().subscribed = [](pipe& of, bool, std::string_view) {
            if (of.in.size() > 1) {
              of.in.clear();
              of.in.push(message{});
            }
          };
        }
      },
      by_hand));
}

TEST(ledger, notices_a_subscription_that_a_manual_user_receives_twice) {
  EXPECT_TRUE(noticed(
      violation::mistold, socket_type::xpub, socket_type::sub,
      [](party& p) {
        auto& state = p.socket().state();
        if (state.type() == socket_type::xpub) {
          p.socket().faults().subscribed = [&state](pipe& of, bool subscribe,
                                                    std::string_view topic) {
            state.on_subscription(of, subscribe, topic);
          };
        }
      },
      by_hand));
}

void keeping_last_values(casting& part) {
  part.topic_changes = 50;
  if (part.type == socket_type::xpub) {
    part.options.xpub.manual = false;
    part.options.xpub.last_values.emplace();
  }
}

TEST(ledger, notices_last_values_that_are_not_sent) {
  EXPECT_TRUE(noticed(
      violation::lost, socket_type::xpub, socket_type::sub,
      [](party& p) {
        p.socket().faults().subscribed = [](pipe& of, bool, std::string_view) { of.out.clear(); };
      },
      keeping_last_values));
}

TEST(ledger, notices_last_values_that_are_sent_twice) {
  EXPECT_TRUE(noticed(
      violation::not_wanted, socket_type::xpub, socket_type::sub,
      [](party& p) {
        auto& state = p.socket().state();
        p.socket().faults().subscribed = [&state](pipe& of, bool subscribe,
                                                  std::string_view topic) {
          state.on_subscription(of, !subscribe, topic);
          state.on_subscription(of, subscribe, topic);
        };
      },
      keeping_last_values));
}

TEST(ledger, notices_pipes_that_are_left) {
  EXPECT_TRUE(noticed(violation::leaked, socket_type::router, socket_type::dealer,
                      spoiling([](planted_fault& s) { s.forgets_detach = true; })));
}

TEST(ledger, notices_a_socket_that_waits_without_end) {
  EXPECT_TRUE(noticed(violation::stuck, socket_type::pull, socket_type::push,
                      spoiling([](planted_fault& s) { s.never_resumes = true; })));
}

}  // namespace
}  // namespace zmtp::simulation
