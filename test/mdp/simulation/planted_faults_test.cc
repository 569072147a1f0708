// A scenario with a program that does something wrong is noticed: no other trouble, unless the fault
// needs it.
#include "test/mdp/simulation/scenario.h"
#include "test/simulation/seeds.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <utility>

namespace mdp::simulation {
namespace {

bool noticed(violation what, const scenario_options& options) {
  return zmtp::simulation::noticed(what,
                                   [&](std::uint64_t seed) { return run_scenario(seed, options); });
}

scenario_options with_workers(std::function<void(worker_process::planted_fault&)> spoil) {
  return {.spoil_worker = [spoil = std::move(spoil)](worker_process& of) { spoil(of.faults()); },
          .kinds = troubles{}};
}

scenario_options with_callers(std::function<void(caller_process::planted_fault&)> spoil,
                              const troubles& kinds = {}) {
  return {.spoil_caller = [spoil = std::move(spoil)](caller_process& of) { spoil(of.faults()); },
          .kinds = kinds};
}

scenario_options with_database(std::function<void(simulated_database::planted_fault&)> spoil,
                               const troubles& kinds = {}) {
  return {.spoil_titanic = [spoil = std::move(spoil)](titanic_process& of) { spoil(of.faults()); },
          .kinds = kinds,
          .with_titanic = true};
}

// A database that does something else instead of `what`.
scenario_options with_database(titanic::operation what, titanic::operation instead,
                               const troubles& kinds = {}) {
  return with_database(
      [=](auto& faults) {
        faults.edit = [=](titanic::store_operation& one) {
          one.what = one.what == what ? instead : one.what;
        };
      },
      kinds);
}

TEST(planted_faults, are_the_only_ones) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto result = run_scenario(seed, {.kinds = troubles{}, .with_titanic = true});
    EXPECT_TRUE(result.findings.empty())
        << result.description << ": " << result.findings.front().text;
    EXPECT_NE(result.figure("replies"), 0U) << result.description;
    EXPECT_NE(result.figure("kept by Titanic"), 0U) << result.description;
  }
}

TEST(planted_faults, a_second_answer_is_noticed) {
  EXPECT_TRUE(noticed(violation::answered_twice,
                      with_callers([](auto& faults) { faults.tells_replies_twice = true; })));
}

TEST(planted_faults, the_answer_to_another_call_is_noticed) {
  EXPECT_TRUE(noticed(violation::wrong_answer, with_workers([](auto& faults) {
                        faults.edit = [](piece& said) {
                          said.call = said.call == 1 ? 2 : said.call - 1;
                        };
                      })));
}

TEST(planted_faults, an_altered_answer_is_noticed) {
  EXPECT_TRUE(noticed(violation::wrong_answer,
                      with_callers([](auto& faults) { faults.adds_to_replies = true; })));
}

TEST(planted_faults, pieces_out_of_order_are_noticed) {
  EXPECT_TRUE(noticed(violation::mingled, with_workers([](auto& faults) {
                        faults.edit = [](piece& said) { ++said.number; };
                      })));
}

TEST(planted_faults, a_missing_piece_is_noticed) {
  EXPECT_TRUE(
      noticed(violation::mingled, with_workers([](auto& faults) { faults.omits_a_piece = true; })));
}

// While workers are killed, their requests go to others.
TEST(planted_faults, a_broker_that_redelivers_without_the_loss_of_a_worker_is_noticed) {
  EXPECT_TRUE(
      noticed(violation::given_twice,
              {.spoil_broker = [](broker_process& of) { of.faults().hides_lost_workers = true; },
               .kinds = troubles{.cuts = true, .crashes = true}}));
}

TEST(planted_faults, a_worker_that_works_twice_is_noticed) {
  EXPECT_TRUE(
      noticed(violation::run_twice, with_workers([](auto& faults) { faults.runs_twice = true; })));
}

TEST(planted_faults, a_request_that_runs_again_and_must_not_is_noticed) {
  EXPECT_TRUE(noticed(violation::run_again, {.adjust =
                                                 [](broker_options& options) {
                                                   for (auto& rule : options.rules) {
                                                     rule.options.idempotent = true;
                                                   }
                                                 },
                                             .kinds = troubles{.cuts = true, .crashes = true}}));
}

// The broker takes the repetition for another request.
TEST(planted_faults, a_client_that_repeats_what_must_not_be_is_noticed) {
  EXPECT_TRUE(noticed(violation::run_again,
                      {.spoil_stock_client = [](auto& options) { options.repeats_all = true; },
                       .kinds = troubles{.cuts = true}}));
}

TEST(planted_faults, a_refused_request_that_was_run_is_noticed) {
  EXPECT_TRUE(noticed(violation::refused_yet_run,
                      with_workers([](auto& faults) { faults.refuses_after_work = true; })));
}

TEST(planted_faults, a_late_caller_is_noticed) {
  EXPECT_TRUE(noticed(
      violation::late,
      with_callers([](auto& faults) { faults.forgets_time_in_all = true; }, {.pauses = true})));
}

TEST(planted_faults, a_lost_reply_is_noticed) {
  EXPECT_TRUE(
      noticed(violation::lost, with_workers([](auto& faults) { faults.never_answers = true; })));
}

TEST(planted_faults, a_service_that_does_not_answer_is_noticed) {
  EXPECT_TRUE(
      noticed(violation::starved, with_workers([](auto& faults) { faults.never_answers = true; })));
}

TEST(planted_faults, a_call_without_an_end_is_noticed) {
  EXPECT_TRUE(
      noticed(violation::stuck, with_callers([](auto& faults) { faults.hides_failures = true; })));
}

TEST(planted_faults, a_worker_that_expires_is_noticed) {
  EXPECT_TRUE(noticed(violation::expelled,
                      with_workers([](auto& faults) { faults.sends_no_heartbeats = true; })));
}

TEST(planted_faults, a_client_that_stays_with_a_lost_broker_is_noticed) {
  auto options =
      with_callers([](auto& faults) { faults.knows_one_broker = true; }, {.broker_losses = true});
  options.brokers = 2;
  EXPECT_TRUE(noticed(violation::starved, options));
}

TEST(planted_faults, a_peer_that_stays_is_noticed) {
  EXPECT_TRUE(
      noticed(violation::leaked, with_workers([](auto& faults) { faults.never_leaves = true; })));
}

TEST(planted_faults, a_database_that_does_not_sync_is_noticed) {
  EXPECT_TRUE(
      noticed(violation::forgotten,
              with_database([](auto& faults) { faults.never_syncs = true; }, {.crashes = true})));
}

TEST(planted_faults, a_database_that_closes_nothing_is_noticed) {
  EXPECT_TRUE(noticed(violation::came_back,
                      with_database(titanic::operation::close, titanic::operation::read_request,
                                    {.crashes = true})));
}

TEST(planted_faults, a_database_that_stores_no_replies_is_noticed) {
  EXPECT_TRUE(noticed(violation::forgotten,
                      with_database(titanic::operation::answer, titanic::operation::read_request,
                                    {.crashes = true})));
}

TEST(planted_faults, a_database_that_gives_requests_up_is_noticed) {
  EXPECT_TRUE(noticed(violation::lost,
                      with_database(titanic::operation::answer, titanic::operation::give_up)));
}

TEST(planted_faults, a_database_that_changes_replies_is_noticed) {
  EXPECT_TRUE(noticed(violation::changed, with_database([](auto& faults) {
                        faults.edit_result = [count = 0](titanic::store_result& one) mutable {
                          if (one.body.size() == parts_of_piece && ++count % 2 == 0) {
                            auto again = one.body;
                            one.body.append(again);
                          }
                        };
                      })));
}

TEST(planted_faults, a_database_that_says_nothing_is_noticed) {
  EXPECT_TRUE(
      noticed(violation::stuck, with_database([](auto& faults) { faults.loses_outcomes = true; })));
}

}  // namespace
}  // namespace mdp::simulation
