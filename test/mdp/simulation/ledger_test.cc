// The ledger detects each fault that it is for: scenarios with one injected fault, and no other trouble unless
// the fault needs it.
#include "test/mdp/simulation/ledger.h"

#include "mdp/error.h"
#include "mdp/titanic/command.h"
#include "test/mdp/simulation/scenario.h"
#include "test/simulation/seeds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace mdp::simulation {
namespace {

using namespace std::chrono_literals;

bool noticed(violation what, const scenario_options& options) {
  return zmtp::simulation::noticed(what,
                                   [&](std::uint64_t seed) { return run_scenario(seed, options); });
}

scenario_options spoiling_broker(std::function<void(broker_process::planted_fault&)> spoil,
                                 const troubles& kinds = {}) {
  return {.spoil_broker = [spoil = std::move(spoil)](broker_process& of) { spoil(of.faults()); },
          .kinds = kinds};
}

scenario_options spoiling_workers(std::function<void(worker_process::planted_fault&)> spoil) {
  return {.spoil_worker = [spoil = std::move(spoil)](worker_process& of) { spoil(of.faults()); },
          .kinds = troubles{}};
}

scenario_options spoiling_callers(std::function<void(client_actions&)> edit) {
  return {.spoil_caller =
              [edit = std::move(edit)](caller_process& of) { of.faults().client.edit = edit; },
          .kinds = troubles{}};
}

scenario_options spoiling_titanic(std::function<void(titanic_process::planted_fault&)> spoil,
                                  const troubles& kinds = {}) {
  return {.spoil_titanic = [spoil = std::move(spoil)](titanic_process& of) { spoil(of.faults()); },
          .kinds = kinds,
          .with_titanic = true};
}

// Whether this is for a worker, with a request.
bool is_request(const zmtp::message& m) {
  return m.size() > 3 && (m.front() == "MDPW02" ? m[1] == "\2" : m[2] == "\2");
}

TEST(ledger, agrees_without_injected_faults) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto result = run_scenario(seed, {.kinds = troubles{}, .with_titanic = true});
    EXPECT_TRUE(result.findings.empty())
        << result.description << ": " << result.findings.front().text;
    EXPECT_NE(result.figure("replies"), 0U) << result.description;
    EXPECT_NE(result.figure("kept by Titanic"), 0U) << result.description;
  }
}

TEST(ledger, notices_a_second_answer) {
  EXPECT_TRUE(noticed(
      violation::answered_twice,
      spoiling_callers([last = std::optional<zmtp::message>{}](client_actions& actions) mutable {
        if (actions.reply) {
          last = actions.reply;
        } else if (last && actions.sends.empty()) {
          actions.reply = std::exchange(last, std::nullopt);
        }
      })));
}

TEST(ledger, notices_the_answer_to_another_call) {
  EXPECT_TRUE(noticed(violation::wrong_answer, spoiling_workers([](auto& faults) {
                        faults.edit = [](piece& said) {
                          said.call = said.call == 1 ? 2 : said.call - 1;
                        };
                      })));
}

TEST(ledger, notices_an_altered_answer) {
  EXPECT_TRUE(noticed(violation::wrong_answer, spoiling_callers([](client_actions& actions) {
                        if (actions.reply) {
                          actions.reply->push_back("more");
                        }
                      })));
}

TEST(ledger, notices_pieces_out_of_order) {
  EXPECT_TRUE(noticed(violation::mingled, spoiling_workers([](auto& faults) {
                        faults.edit = [](piece& said) { ++said.number; };
                      })));
}

TEST(ledger, notices_a_missing_piece) {
  EXPECT_TRUE(noticed(violation::mingled,
                      spoiling_callers([](client_actions& actions) { actions.partials.clear(); })));
}

TEST(ledger, notices_a_request_that_two_workers_have) {
  EXPECT_TRUE(noticed(violation::given_twice, spoiling_broker([](auto& faults) {
                        faults.edit = [](broker_actions& actions) {
                          std::vector<broker_actions::send_action> again;
                          std::copy_if(actions.sends.begin(), actions.sends.end(),
                                       std::back_inserter(again),
                                       [](const auto& one) { return is_request(one.content); });
                          for (auto& one : again) {
                            actions.sends.push_back(std::move(one));
                          }
                        };
                      })));
}

TEST(ledger, notices_a_worker_that_works_twice) {
  EXPECT_TRUE(noticed(violation::run_twice,
                      spoiling_workers([](auto& faults) { faults.runs_twice = true; })));
}

TEST(ledger, notices_a_request_that_runs_again_and_must_not) {
  EXPECT_TRUE(noticed(violation::run_again, {.adjust =
                                                 [](broker_options& options) {
                                                   for (auto& rule : options.rules) {
                                                     rule.options.idempotent = true;
                                                   }
                                                 },
                                             .kinds = troubles{.cuts = true, .crashes = true}}));
}

// As a broker that does not know the key any more, and does not say so.
TEST(ledger, notices_a_repeat_that_the_broker_does_not_recognize) {
  auto options = spoiling_callers([salt = 'a'](client_actions& actions) mutable {
    for (auto& m : actions.sends) {
      zmtp::message changed;
      for (const auto part : m) {
        std::string bytes{part};
        if (part.starts_with("mmi.key:") && part.size() > 8) {
          bytes[8] = ++salt;
          bytes.back() = 1;
        }
        changed.push_back(bytes);
      }
      m = std::move(changed);
    }
  });
  options.kinds = troubles{.cuts = true};
  EXPECT_TRUE(noticed(violation::run_again, options));
}

TEST(ledger, notices_that_a_refused_request_is_run) {
  EXPECT_TRUE(noticed(violation::refused_yet_run, spoiling_callers([](client_actions& actions) {
                        if (actions.failure) {
                          actions.failure = errc::not_taken;
                        }
                      })));
}

TEST(ledger, notices_an_answer_without_work) {
  zmtp::simulation::run_state nowhere{1};
  ledger books{nowhere};
  const trade echo{.name = "echo"};
  const auto call = books.begin_call(echo);
  books.on_sent(call);
  books.on_reply(call, wrap_piece({call, 1, 0, 1}));
  ASSERT_EQ(books.findings().size(), 1U);
  EXPECT_EQ(books.findings().front().what, violation::never_run);
}

TEST(ledger, notices_a_late_caller) {
  const auto spoil = [](caller_process& of) { of.faults().forgets_time_in_all = true; };
  EXPECT_TRUE(noticed(violation::late, {.spoil_caller = spoil, .kinds = troubles{.pauses = true}}));
}

TEST(ledger, notices_a_lost_reply) {
  EXPECT_TRUE(noticed(violation::lost, spoiling_broker([](auto& faults) {
                        faults.edit = [count = 0](broker_actions& actions) mutable {
                          std::erase_if(actions.sends, [&](const auto& one) {
                            return !is_request(one.content) && ++count % 10 == 0;
                          });
                        };
                      })));
}

TEST(ledger, notices_counters_that_do_not_add_up) {
  EXPECT_TRUE(noticed(violation::miscounted, spoiling_broker([](auto& faults) {
                        faults.edit_status = [](broker_status& s) { ++s.counters.replies; };
                      })));
}

TEST(ledger, notices_clients_that_stay_paused) {
  EXPECT_TRUE(noticed(violation::starved,
                      spoiling_broker([](auto& faults) { faults.forgets_to_resume = true; })));
}

TEST(ledger, notices_a_call_without_an_end) {
  EXPECT_TRUE(noticed(violation::stuck,
                      spoiling_callers([](client_actions& actions) { actions.failure.reset(); })));
}

TEST(ledger, notices_a_broker_that_expires_workers_before_it_reads) {
  EXPECT_TRUE(noticed(violation::expelled,
                      spoiling_broker([](auto& faults) { faults.judges_before_it_hears = true; },
                                      {.broker_pauses = true})));
}

TEST(ledger, notices_a_client_that_stays_with_a_lost_broker) {
  const auto spoil = [](caller_process& of) { of.faults().client.never_leaves_its_broker = true; };
  EXPECT_TRUE(
      noticed(violation::starved,
              {.spoil_caller = spoil, .kinds = troubles{.broker_losses = true}, .brokers = 2}));
}

TEST(ledger, notices_replies_that_go_to_another_broker) {
  const auto spoil = [](worker_process& of) { of.faults().mixes_brokers_up = true; };
  EXPECT_TRUE(
      noticed(violation::wrong_answer, {.spoil_worker = spoil, .kinds = troubles{}, .brokers = 2}));
}

TEST(ledger, notices_that_titanic_forgets) {
  EXPECT_TRUE(noticed(
      violation::forgotten,
      spoiling_titanic([](auto& faults) { faults.never_syncs = true; }, {.crashes = true})));
}

TEST(ledger, notices_a_closed_request_that_reappears) {
  EXPECT_TRUE(noticed(violation::came_back, spoiling_titanic(
                                                [](auto& faults) {
                                                  faults.edit = [](titanic::titanic_actions& all) {
                                                    for (auto& one : all.operations) {
                                                      if (one.what == titanic::operation::close) {
                                                        one.what = titanic::operation::read_request;
                                                      }
                                                    }
                                                  };
                                                },
                                                {.crashes = true})));
}

TEST(ledger, notices_a_reply_that_has_changed) {
  EXPECT_TRUE(noticed(violation::changed, spoiling_titanic([](auto& faults) {
                        faults.edit = [count = 0](titanic::titanic_actions& all) mutable {
                          for (auto& one : all.answers) {
                            if (one.body.size() > parts_of_piece && ++count % 2 == 0) {
                              auto again = one.body;
                              again.pop_front();
                              one.body.append(again);
                            }
                          }
                        };
                      })));
}

TEST(ledger, notices_a_request_that_titanic_dispatches_twice) {
  EXPECT_TRUE(noticed(violation::dispatched_again, spoiling_titanic([](auto& faults) {
                        faults.edit = [](titanic::titanic_actions& all) {
                          if (!all.dispatches.empty()) {
                            all.dispatches.push_back(all.dispatches.front());
                          }
                        };
                      })));
}

TEST(ledger, notices_that_titanic_repeats_an_answered_request_after_a_crash) {
  EXPECT_TRUE(
      noticed(violation::dispatched_again, spoiling_titanic(
                                               [](auto& faults) {
                                                 faults.edit = [](titanic::titanic_actions& all) {
                                                   for (auto& one : all.operations) {
                                                     if (one.what == titanic::operation::answer) {
                                                       one.what = titanic::operation::read_request;
                                                     }
                                                   }
                                                 };
                                               },
                                               {.crashes = true})));
}

TEST(ledger, notices_that_titanic_gives_up_too_early) {
  EXPECT_TRUE(noticed(violation::lost, spoiling_titanic([](auto& faults) {
                        faults.edit = [](titanic::titanic_actions& all) {
                          for (auto& one : all.operations) {
                            if (one.what == titanic::operation::answer) {
                              one.what = titanic::operation::give_up;
                            }
                          }
                          for (auto& one : all.answers) {
                            if (one.body.front() == titanic::not_yet) {
                              one.body = zmtp::message{titanic::broken};
                            }
                          }
                        };
                      })));
}

TEST(ledger, notices_that_titanic_never_ends_its_wait) {
  EXPECT_TRUE(noticed(violation::stuck,
                      spoiling_titanic([](auto& faults) { faults.has_no_clock = true; })));
}

TEST(ledger, notices_peers_that_are_not_freed) {
  EXPECT_TRUE(noticed(violation::leaked,
                      spoiling_broker([](auto& faults) { faults.forgets_detach = true; })));
}

}  // namespace
}  // namespace mdp::simulation
