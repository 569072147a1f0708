// The faults of the first servers of a pair are noticed when production servers and clients have them
// again. They are planted in the messages that these read.
#include "chp/answers.h"
#include "chp/command.h"
#include "chp/lineage.h"
#include "chp/pair_messages.h"
#include "chp/properties.h"
#include "chp/update_id.h"
#include "test/chp/simulation/expect_noticed.h"
#include "test/chp/simulation/message_edits.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <variant>

namespace chp::simulation {
namespace {

bool lacks_id(const zmtp::message& m) {
  return m.size() == frames && is_once(m.front()) && update_id::of_frame(m[id_frame]).empty();
}

// Edits one kind of the messages between the servers. `change` returns how often it is read.
template <class Message, class Change>
message_edit of_pair(Change change) {
  return [change](zmtp::message& m) {
    const auto said = parse_pair_message(m);
    if (!said || !std::holds_alternative<Message>(*said)) {
      return 1U;
    }
    auto edited = std::get<Message>(*said);
    const unsigned times = change(edited);
    m = make_message(edited);
    return times;
  };
}

message_edit both(message_edit first, message_edit second) {
  return [first = std::move(first), second = std::move(second)](zmtp::message& m) {
    return std::min(first(m), second(m));
  };
}

const auto confirms_everything = of_pair<confirmation>([](confirmation& c) {
  c.durable = max_sequence;
  return 1U;
});
const auto counts_end_of_hello = of_pair<hello>([](hello& h) {
  h.durable = h.end;
  return 1U;
});
const auto needs_nothing = of_pair<follow>([](follow& f) {
  f.needed = 0;
  return 1U;
});
const auto copies_no_sessions =
    of_pair<copy_piece>([](copy_piece& c) { return c.kind == copied::sessions ? 0U : 1U; });
const auto forgets_silently = of_pair<copy_end>([](copy_end& c) {
  c.forgotten = 0;
  return 1U;
});
// A higher number is taken for a later update of the same history: nothing is cut.
const auto hides_divergence = both(of_pair<hello>([](hello& h) {
                                     h.end = 0;
                                     return 1U;
                                   }),
                                   of_pair<follow>([](follow& f) {
                                     f.common = max_sequence;
                                     return 1U;
                                   }));

// Each reign that has ended has had all numbers.
unsigned has_all_numbers(zmtp::message& m) {
  const auto said = parse_snapshot(m, form::kvmsg, {});
  if (!said || !std::holds_alternative<lineage_notice>(*said)) {
    return 1;
  }
  const auto& [rows, end] = std::get<lineage_notice>(*said);
  lineage edited;
  for (const auto& each : rows.rows()) {
    const bool is_last = each == rows.last();
    edited.begin_reign(each.epoch, each.tag,
                       is_last ? each.last : make_sequence(each.epoch, max_position));
  }
  m = make_lineage(edited, end);
  return 1;
}

scenario_options on_servers(faults which, message_edit edit, std::function<void(setting&)> set) {
  return {.faults = std::move(which), .set = std::move(set), .spoil = [edit](server, auto& how) {
            how.edit = edit;
          }};
}
scenario_options on_clients(faults which, message_edit edit) {
  return {.faults = std::move(which), .spoil_client = [edit](auto& how) { how.edit = edit; }};
}

void with_stores(setting& how) { how.stores = {true, true}; }
void with_block(setting& how) {
  with_stores(how);
  how.block = true;
}

TEST(planted_messages, are_the_only_faults) {
  const message_edit nothing = [](zmtp::message&) { return 1U; };
  auto options = on_servers({fault::kill, fault::link_cut, fault::client_cut}, nothing, {});
  options.spoil_client = [nothing](auto& how) { how.edit = nothing; };
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto result = run_scenario(seed, options);
    EXPECT_TRUE(result.findings.empty())
        << result.description << ": " << result.findings.front().text;
  }
}

// 1. Acknowledged updates are lost although both disks are intact.
TEST(planted_messages, a_confirmation_of_what_no_disk_has_is_noticed) {
  const auto options = on_servers({fault::kill, fault::power_loss, fault::slow_disk},
                                  confirms_everything, with_stores);
  expect_noticed(violation::not_on_both, 1, options);
}

TEST(planted_messages, a_hello_that_names_more_than_the_disk_has_is_noticed) {
  const auto options = on_servers({fault::connections_cut, fault::kill, fault::slow_disk},
                                  counts_end_of_hello, with_stores);
  expect_noticed(violation::not_on_both, 44, options);
}

TEST(planted_messages, a_server_with_a_part_of_what_both_had_is_noticed) {
  const auto options =
      on_servers({fault::kill, fault::power_loss, fault::slow}, needs_nothing, [](setting& how) {
        how.stores = {true, false};
        how.small_pieces = true;
      });
  expect_noticed(violation::stopped, 36, options);
}

TEST(planted_messages, a_copy_without_sessions_is_noticed) {
  expect_noticed(violation::made_twice, 105,
                 on_servers({fault::kill, fault::power_loss, fault::slow}, copies_no_sessions,
                            [](setting& how) { how.short_log = true; }));
}

// 2. With `block`, an update that one server has is acknowledged.
TEST(planted_messages, an_acknowledgement_in_block_that_no_backup_confirmed_is_noticed) {
  expect_noticed(violation::not_on_both, 1,
                 on_servers({fault::kill, fault::slow_disk}, confirms_everything, with_block));
}

// 3. An older update wins against a newer one.
TEST(planted_messages, a_higher_number_that_is_taken_for_a_later_update_is_noticed) {
  expect_noticed(
      violation::unequal, 1,
      on_servers({fault::link_cut, fault::one_way_cut, fault::client_cut}, hides_divergence, {}));
}

// 4. A client follows a history without what it has seen.
TEST(planted_messages, a_higher_epoch_that_is_taken_for_a_later_history_is_noticed) {
  expect_noticed(
      violation::unreported_history, 1,
      on_clients({fault::link_cut, fault::one_way_cut, fault::client_cut}, has_all_numbers));
}

// 5. Updates without an id are made twice.
TEST(planted_messages, updates_that_lose_their_ids_are_noticed) {
  expect_noticed(violation::made_twice, 1,
                 on_servers(
                     {fault::kill},
                     [](zmtp::message& m) {
                       if (m.size() == frames && is_once(m.front())) {
                         set_frame(m, id_frame, {});
                       }
                       return 1U;
                     },
                     with_stores));
}

// The passive server then keeps the updates until it becomes active.
TEST(planted_messages, updates_without_ids_that_a_passive_server_keeps_are_noticed) {
  auto options = on_servers({fault::kill}, {}, with_stores);
  options.spoil = [](server who, auto& how) {
    how.edit = [who](zmtp::message& m) {
      if (lacks_id(m)) {
        const auto id = std::to_string(who) + std::string{m[value_frame]};
        set_frame(m, id_frame, id);
      }
      return 1U;
    };
  };
  options.guide = guide_process::options{.expects_once = true};
  expect_noticed(violation::made_twice, 1, options);
}

TEST(planted_messages, an_update_without_an_id_that_arrives_twice_is_noticed) {
  auto options = on_servers(
      {}, [](zmtp::message& m) { return lacks_id(m) ? 2U : 1U; }, with_stores);
  options.guide = guide_process::options{.expects_once = true, .sends_to = 0};
  expect_noticed(violation::made_twice, 1, options);
}

TEST(planted_messages, an_update_of_a_shared_key_that_arrives_twice_is_noticed) {
  auto options = on_servers(
      {},
      [](zmtp::message& m) {
        const bool doubles = m.size() == frames && m.front() == "/shared/0" &&
                             update_id::of_frame(m[id_frame]).empty();
        return doubles ? 2U : 1U;
      },
      with_stores);
  options.guide = guide_process::options{.expects_once = true, .sends_to = 0};
  expect_noticed(violation::made_twice, 1, options);
}

// 6. Small limits.
TEST(planted_messages, a_session_that_was_forgotten_silently_is_noticed) {
  expect_noticed(violation::made_twice, 275,
                 on_servers({fault::kill, fault::power_loss, fault::client_cut}, forgets_silently,
                            [](setting& how) {
                              how.short_log = true;
                              how.few_sessions = true;
                            }));
}

TEST(planted_messages, a_copy_without_its_few_sessions_is_noticed) {
  expect_noticed(violation::made_twice, 105,
                 on_servers({fault::kill, fault::power_loss, fault::slow}, copies_no_sessions,
                            [](setting& how) {
                              how.short_log = true;
                              how.few_sessions = true;
                            }));
}

// 7. Readers are not told degraded.
TEST(planted_messages, a_client_that_is_not_told_degraded_is_noticed) {
  const scenario_options options{
      .faults = faults{fault::link_cut, fault::one_way_cut, fault::client_cut},
      .spoil_client = [](auto& how) {
        how.edit = hides_degraded();
        how.client.server_ttl = 2 * how.client.heartbeat;
      }};
  expect_noticed(violation::untold_degraded, 1, options);
  expect_noticed(violation::seen_lost, 1, options);
}

TEST(planted_messages, a_client_that_stays_degraded_is_noticed) {
  expect_noticed(violation::stays_degraded, 1,
                 on_clients({fault::kill}, of_notices([](std::string& to, const property& each) {
                              append_property(
                                  to, each.name,
                                  each.name == property_name::degraded ? "1" : each.value);
                            })));
}

// 7. The active server waits for its last entry, and keeps its failed disk.
TEST(planted_messages, a_server_that_keeps_a_failed_disk_is_noticed) {
  const auto confirms_less = of_pair<confirmation>([](confirmation& c) {
    --c.durable;
    return 1U;
  });
  expect_noticed(violation::not_handed_over, 3, on_servers({}, confirms_less, with_stores));
}

// A passive server that knows no epoch takes any from the active server.
TEST(planted_messages, a_forged_epoch_that_is_taken_is_noticed) {
  expect_noticed(violation::forged_epoch_taken, 1,
                 on_servers({}, of_states([](bstar::account& a) {
                              a.of = a.of == 1 || a.of == 2 ? forged_epoch : a.of;
                            }),
                            {}));
}

// The other checks of the history.
TEST(planted_messages, a_value_that_no_client_has_written_is_noticed) {
  expect_noticed(violation::unknown_value, 1,
                 on_servers({},
                            [](zmtp::message& m) {
                              if (m.size() == frames && is_once(m.front())) {
                                set_frame(m, value_frame, std::string{m[value_frame]} + '?');
                              }
                              return 1U;
                            },
                            {}));
}

TEST(planted_messages, a_copy_without_the_own_update_is_noticed) {
  expect_noticed(violation::not_in_copy, 1, on_clients({}, [](zmtp::message& m) {
                   if (m.size() == frames && is_once(m.front())) {
                     set_frame(m, 0, "other/" + std::string{m.front()});
                   }
                   return 1U;
                 }));
}

TEST(planted_messages, an_update_that_was_refused_and_is_made_is_noticed) {
  expect_noticed(violation::came_back, 1,
                 on_clients({}, of_notices([](std::string& to, const property& each) {
                              std::string one;
                              append_property(one, each.name, each.value);
                              auto all = find_answers(one);
                              if (!all) {
                                to += one;
                                return;
                              }
                              for (auto& answer : *all) {
                                answer.why = errc::too_many_keys;
                              }
                              append_answers(to, *all);
                            })));
}

}  // namespace
}  // namespace chp::simulation
