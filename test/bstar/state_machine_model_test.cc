// Every history of a pair up to a depth, and planted faults that must be found.

#include "test/bstar/model_checker.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <iostream>

namespace bstar::model {

void PrintTo(invariant i, std::ostream* to) {
  static constexpr std::array names{"B1", "B2", "B3", "B5"};
  *to << names[static_cast<std::size_t>(i)];
}

namespace {

using namespace std::chrono_literals;

constexpr unsigned full_depth = 12;

void expect_none_broken(const finding& found) {
  EXPECT_EQ(found.broken, std::nullopt) << found.trace;
  EXPECT_EQ(found.depth, full_depth);
  std::cout << found.worlds << " worlds\n";
}

struct named_setting {
  const char* name;
  setting how;
};

class every_history : public testing::TestWithParam<named_setting> {};

INSTANTIATE_TEST_SUITE_P(
    bstar, every_history,
    testing::Values(
        named_setting{"from_the_start", {}},
        named_setting{"of_a_pair_that_met", {.from = beginning::met}},
        named_setting{"of_a_pair_whose_backup_took_over", {.from = beginning::taken_over}},
        named_setting{"with_data_that_last",
                      {.data_outlive_crashes = true, .faults = 1, .from = beginning::met}},
        named_setting{"whose_losses_are_told", {.losses_are_told = true, .from = beginning::met}},
        named_setting{"whose_losses_are_told_after_a_takeover",
                      {.losses_are_told = true, .from = beginning::taken_over}},
        named_setting{"whose_losses_are_told_with_takeover_on_expiry",
                      {.options = {.heartbeat = 8ms, .take_over = takeover::on_expiry},
                       .losses_are_told = true,
                       .faults = 1,
                       .from = beginning::met}},
        named_setting{"with_takeover_on_expiry",
                      {.options = {.heartbeat = 8ms, .take_over = takeover::on_expiry},
                       .faults = 1,
                       .from = beginning::met}}),
    [](const auto& tested) { return tested.param.name; });

// BS-13, BS-14, BS-15, BS-17
TEST_P(every_history, keeps_the_invariants) {
  expect_none_broken(search<state_machine>(GetParam().how, full_depth));
}

TEST(histories, together_have_every_state) {
  std::array<std::array<std::size_t, 5>, 2> states{};
  for (const auto from : {beginning::apart, beginning::met, beginning::taken_over}) {
    const auto found = search<state_machine>({.from = from}, 8);
    for (const auto who : both) {
      for (std::size_t i = 0; i < states[who].size(); ++i) {
        states[who][i] += found.states[who][i];
      }
    }
  }
  for (const auto s :
       {state::primary, state::backup, state::active, state::passive, state::suspended}) {
    for (const auto who : both) {
      const bool can_be = s != (who == 0 ? state::backup : state::primary);
      EXPECT_EQ(states[who][static_cast<std::size_t>(s)] != 0, can_be)
          << who << ' ' << static_cast<int>(s);
    }
  }
}

// B4, for each sequence of three restarts, each begun when the pair is whole again.
class planned_restarts : public testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(bstar, planned_restarts, testing::Bool(), [](const auto& tested) {
  return tested.param ? "whose_losses_are_told" : "of_a_pair_without_data";
});

// BS-16
TEST_P(planned_restarts, reject_requests_for_two_heartbeats_at_most) {
  constexpr unsigned longest_down = 6;
  const setting how{.losses_are_told = GetParam(), .from = beginning::met};
  std::size_t sequences = 0;
  const auto try_all = [&](auto& again, const world<state_machine>& from, unsigned left) -> void {
    for (const auto who : both) {
      for (unsigned down = 0; down <= longest_down; ++down) {
        auto to = from;
        EXPECT_LE(to.refused_by_restart(who, down), 2 * how.options.heartbeat)
            << who << " down for " << down;
        EXPECT_EQ(to.broken(), std::nullopt);
        EXPECT_EQ(to.broken_later(), std::nullopt);
        if (left > 1) {
          again(again, to, left - 1);
        }
        ++sequences;
      }
    }
  };
  try_all(try_all, world<state_machine>{how}, 3);
  EXPECT_EQ(sequences, 14U + 14 * 14 + 14 * 14 * 14);
}

// The same machine with something wrong: the checker finds it.

// A machine that serves although it was paused.
class forgets_pauses : public state_machine {
public:
  using state_machine::state_machine;
  void on_peer(const peer_report& report, time_point now, actions& out) {
    state_machine::on_peer(report, real(now), out);
  }
  bool on_client_request(time_point now, actions& out) {
    return state_machine::on_client_request(real(now), out);
  }
  void on_deadline(time_point now, actions& out) { state_machine::on_deadline(real(now), out); }
  void on_persisted(epoch which, time_point now, actions& out) {
    state_machine::on_persisted(which, real(now), out);
  }
  time_point next_deadline() const { return state_machine::next_deadline() + hidden_; }

private:
  time_point real(time_point now) {
    if (now > next_deadline()) {
      hidden_ += now - next_deadline();
    }
    return now - hidden_;
  }
  std::chrono::nanoseconds hidden_{0};
};

// Takes every message for a new one.
class believes_old_messages : public state_machine {
public:
  using state_machine::state_machine;
  void on_peer(peer_report report, time_point now, actions& out) {
    if (report.more) {
      report.more->received = this->report().more->tick;
    }
    state_machine::on_peer(report, now, out);
  }
};

// A machine that takes over because of a silence from before it could receive.
class looks_once : public state_machine {
public:
  using state_machine::state_machine;
  bool on_client_request(time_point now, actions& out) {
    return state_machine::on_client_request(now, out) ||
           (current() == state::passive && state_machine::on_client_request(now + 2ms, out));
  }
};

// Goes on beside another active.
class never_gives_way : public state_machine {
public:
  using state_machine::state_machine;
  void on_peer(const peer_report& report, time_point now, actions& out) {
    if (!serving() || report.state != peer_state::active) {
      state_machine::on_peer(report, now, out);
    }
  }
};

// A machine with which neither of two passive nodes, or of two waiting nodes, goes first.
class too_polite : public state_machine {
public:
  using state_machine::state_machine;
  void on_peer(peer_report report, time_point now, actions& out) {
    if (report.more && report.state != peer_state::active) {
      report.more->position = ~std::uint64_t{0};
    }
    state_machine::on_peer(report, now, out);
  }
};

// Does not know that it has lost its data.
class takes_over_with_nothing : public state_machine {
public:
  using state_machine::state_machine;
  void set_data_lost(bool) {}
};

template <class Machine>
void expect_found(const setting& how, invariant which) {
  const auto found = search<Machine>(how, full_depth);
  EXPECT_EQ(found.broken, which) << found.trace;
  std::cout << found.trace << '\n';
}

TEST(checker, finds_an_epoch_that_a_crash_forgot) {
  expect_found<state_machine>({.epochs_outlive_crashes = false, .from = beginning::met},
                              invariant::b1);
}
TEST(checker, finds_the_proof_of_concepts_rule) {
  expect_found<state_machine>(
      {.options = {.heartbeat = 8ms, .primary_serves_at_once = true}, .from = beginning::met},
      invariant::b2);
}
TEST(checker, finds_a_passive_node_that_checks_only_once) {
  expect_found<looks_once>({.from = beginning::met}, invariant::b2);
}
TEST(checker, finds_an_active_that_serves_after_a_pause) {
  expect_found<forgets_pauses>({.from = beginning::met}, invariant::b2);
}
TEST(checker, finds_a_node_that_accepts_old_messages) {
  expect_found<believes_old_messages>({.from = beginning::met}, invariant::b2);
}
TEST(checker, finds_an_active_node_that_never_yields) {
  expect_found<never_gives_way>({.from = beginning::met}, invariant::b3);
}
TEST(checker, finds_a_node_that_takes_over_without_data) {
  expect_found<takes_over_with_nothing>({.losses_are_told = true, .from = beginning::met},
                                        invariant::b5);
}
TEST(checker, finds_two_nodes_that_wait_for_each_other) {
  expect_found<too_polite>({}, invariant::b3);
}

}  // namespace
}  // namespace bstar::model
