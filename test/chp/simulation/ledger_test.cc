// The ledger detects each fault that it is for: scenarios with one injected fault, and the trouble that it
// needs. Also tests that each drama happens.
#include "test/chp/simulation/ledger.h"

#include "chp/command.h"
#include "chp/properties.h"
#include "test/chp/simulation/scenario.h"
#include "test/simulation/seeds.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace chp::simulation {
namespace {

bool noticed(violation what, const scenario_options& options) {
  return zmtp::simulation::noticed(what,
                                   [&](std::uint64_t seed) { return run_scenario(seed, options); });
}

scenario_options spoiling_nodes(std::function<void(node_process::planted_fault&)> spoil,
                                drama what = drama::chance, const troubles& kinds = {}) {
  return {.spoil_node = [spoil = std::move(spoil)](node_process& of) { spoil(of.faults()); },
          .what = what,
          .kinds = kinds};
}

scenario_options spoiling_clients(std::function<void(client_process::planted_fault&)> spoil,
                                  drama what = drama::chance, const troubles& kinds = {}) {
  return {.spoil_client = [spoil = std::move(spoil)](client_process& of) { spoil(of.faults()); },
          .what = what,
          .kinds = kinds};
}

// Returns a copy of a KVSET with another id.
zmtp::message with_another_id(const zmtp::message& m, std::uint64_t number) {
  const auto u = parse_set(m, form::kvmsg, {});
  return u ? make_set(form::kvmsg, u->key, update_id::of_random(number, number), u->properties,
                      u->value)
           : m;
}

TEST(ledger, agrees_without_injected_faults) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto result = run_scenario(seed, {.kinds = troubles{}});
    EXPECT_TRUE(result.findings.empty())
        << result.description << ": " << result.findings.front().text;
    EXPECT_NE(result.figure("committed"), 0U) << result.description;
    EXPECT_NE(result.figure("expired"), 0U) << result.description;
    EXPECT_EQ(result.figure("activations"), 1U) << result.description;
  }
}

TEST(ledger, notices_a_passive_server_that_erases_expired_keys) {
  EXPECT_TRUE(noticed(violation::differs,
                      spoiling_nodes([](auto& faults) { faults.expires_when_passive = true; },
                                     drama::active_killed)));
}

TEST(ledger, notices_an_acknowledgement_before_the_backup_has_it) {
  EXPECT_TRUE(noticed(violation::unreplicated,
                      spoiling_nodes([](auto& faults) { faults.acknowledges_at_once = true; })));
}

TEST(ledger, notices_a_resent_update_applied_as_a_new_one) {
  EXPECT_TRUE(noticed(violation::resurrected,
                      spoiling_nodes(
                          [](auto& faults) {
                            faults.received = [seen = std::set<std::string>{},
                                               last = std::uint64_t{0}](const server_state&,
                                                                        zmtp::message& m) mutable {
                              if (const auto u = parse_set(m, form::kvmsg, {});
                                  u && !seen.insert(std::string{u->id}).second) {
                                m = with_another_id(m, ++last);
                              }
                              return true;
                            };
                          },
                          drama::chance, {.cuts = true})));
}

TEST(ledger, notices_an_update_published_with_another_id) {
  EXPECT_TRUE(noticed(violation::invented, spoiling_nodes([](auto& faults) {
                        faults.edit = [](const server_state&, server_actions& out) {
                          for (auto& m : out.publish) {
                            const auto said = parse_publication(m, form::kvmsg, {});
                            const auto* const u = said ? std::get_if<update>(&*said) : nullptr;
                            if (u != nullptr && u->number % 16 == 0 && !u->erases()) {
                              auto other = *u;
                              other.value = "1 ";
                              m = make_publication(form::kvmsg, other, update_id::of_frame(u->id),
                                                   u->number);
                            }
                          }
                        };
                      })));
}

TEST(ledger, notices_a_snapshot_whose_difference_is_not_reported) {
  EXPECT_TRUE(noticed(violation::differs,
                      spoiling_clients([](auto& faults) { faults.tells_no_difference = true; },
                                       drama::active_killed)));
}

TEST(ledger, notices_a_snapshot_that_does_not_count) {
  EXPECT_TRUE(
      noticed(violation::differs,
              spoiling_clients([](auto& faults) { faults.keeps_snapshot_connection = true; },
                               drama::chance, {.cuts = true, .node_crashes = true})));
}

TEST(ledger, notices_an_epoch_that_is_used_again) {
  EXPECT_TRUE(noticed(
      violation::epoch_twice,
      spoiling_nodes([](auto& faults) { faults.forgets_epoch = true; }, drama::both_killed)));
}

TEST(ledger, notices_an_acknowledgement_before_the_update_is_on_disk) {
  auto how =
      spoiling_nodes([](auto& faults) { faults.says_stored_at_once = true; }, drama::both_killed);
  how.stored = true;
  EXPECT_TRUE(noticed(violation::lost, how));
}

TEST(ledger, notices_a_pending_update_that_is_not_replayed) {
  EXPECT_TRUE(noticed(violation::forgotten, spoiling_nodes(
                                                [](auto& faults) {
                                                  faults.received = [](const server_state& at,
                                                                       zmtp::message&) {
                                                    return at.active();
                                                  };
                                                },
                                                drama::active_killed)));
}

TEST(ledger, notices_an_offer_that_overwrites_a_later_update) {
  EXPECT_TRUE(noticed(violation::resurrected,
                      spoiling_nodes(
                          [](auto& faults) {
                            faults.asked = [](zmtp::message& m) {
                              const auto said = parse_snapshot_port(m, {});
                              if (const auto* const r =
                                      said ? std::get_if<resubmission>(&*said) : nullptr) {
                                m = make_resubmission(max_sequence, r->change.key,
                                                      update_id::of_frame(r->change.id),
                                                      r->change.properties, r->change.value);
                              }
                            };
                          },
                          drama::partition)));
}

TEST(ledger, notices_an_update_that_is_not_offered) {
  EXPECT_TRUE(noticed(violation::lost, spoiling_nodes(
                                           [](auto& faults) {
                                             faults.asked = [](zmtp::message& m) {
                                               const auto said = parse_snapshot_port(m, {});
                                               if (said &&
                                                   std::holds_alternative<resubmission>(*said)) {
                                                 m = make_snapshot_request("/nothing/");
                                               }
                                             };
                                           },
                                           drama::partition)));
}

// An answer that does not fit into the queue is lost only together with its connection; the peer then repeats
// its request.
TEST(ledger, notices_a_dropped_answer_on_a_connection_that_stays) {
  const auto how = [](bool drops) {
    return spoiling_nodes(
        [drops](auto& faults) {
          faults.answers_each_question = true;
          faults.drops_answers = drops;
        },
        drama::questions_held);
  };
  EXPECT_TRUE(noticed(violation::not_converged, how(true)));
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    EXPECT_TRUE(run_scenario(seed, how(false)).findings.empty()) << seed;
  }
}

TEST(ledger, notices_a_server_that_takes_over_with_nothing) {
  EXPECT_TRUE(noticed(violation::lost,
                      spoiling_nodes([](auto& faults) { faults.takes_over_with_nothing = true; },
                                     drama::left_alone)));
}

TEST(ledger, notices_a_history_without_its_start) {
  EXPECT_TRUE(noticed(violation::went_back,
                      spoiling_nodes(
                          [](auto& faults) {
                            faults.answered = [](zmtp::message& m) {
                              const auto said = parse_snapshot(m, form::kvmsg, {});
                              const auto* const end =
                                  said ? std::get_if<snapshot_end>(&*said) : nullptr;
                              if (end != nullptr) {
                                m = make_snapshot_end(form::kvmsg, end->number, end->subtree, {});
                              }
                            };
                          },
                          drama::both_killed)));
}

TEST(ledger, notices_a_key_that_expires_too_early) {
  EXPECT_TRUE(noticed(violation::too_early,
                      spoiling_nodes([](auto& faults) { faults.expires_early = true; })));
}

TEST(ledger, notices_a_key_that_does_not_expire) {
  EXPECT_TRUE(noticed(violation::outlived, spoiling_nodes([](auto& faults) {
                        faults.received = [](const server_state&, zmtp::message& m) {
                          const auto u = parse_set(m, form::kvmsg, {});
                          if (u && properties{u->properties}.find(property_name::ttl)) {
                            m = make_set(form::kvmsg, u->key, update_id::of_frame(u->id),
                                         "ttl=100\n", u->value);
                          }
                          return true;
                        };
                      })));
}

TEST(ledger, notices_servers_that_do_not_receive) {
  EXPECT_TRUE(noticed(violation::stuck, spoiling_nodes([](auto& faults) {
                        faults.received = [](const server_state&, zmtp::message&) { return false; };
                      })));
}

}  // namespace
}  // namespace chp::simulation

int main(int count, char** arguments) { return zmtp::simulation::run_tests(count, arguments); }
