#include "chp/answers.h"
#include "chp/command.h"
#include "chp/pair_messages.h"
#include "chp/properties.h"
#include "chp/proposal.h"
#include "chp/subtree.h"
#include "test/fuzz/frames.h"
#include "test/fuzz/oracle.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>

namespace zmtp::fuzz {
namespace {

constexpr chp::command_limits limits{.max_value_size = 1'000};

void try_properties(std::string_view frame) {
  std::string written;
  for (const auto& each : chp::properties{frame}) {
    require(!each.name.empty(), "a property has a name");
    chp::append_property(written, each.name, each.value);
    static_cast<void>(chp::parse_ttl(each.value));
    static_cast<void>(
        chp::parse_guide_ttl(each.value, std::chrono::milliseconds{1'700'000'000'000}));
  }
  const chp::properties second{written};
  auto at = second.begin();
  for (const auto& each : chp::properties{frame}) {
    require(at != second.end() && *at == each, "properties are read as they are written");
    ++at;
  }
  require(at == second.end(), "nothing is added");
  if (const auto answers = chp::find_answers(frame)) {
    std::string again;
    chp::append_answers(again, *answers);
    require(chp::find_answers(again) == answers, "answers are read as they are written");
  }
  static_cast<void>(chp::find_directory_count(frame, "/a/"));
}

void check_update(const chp::update& u) {
  require(chp::check_key(u.key) == chp::errc{}, "a key is one");
  require(u.id.size() <= chp::max_id_size && u.value.size() <= limits.max_value_size,
          "frames are within their limits");
  try_properties(u.properties);
}

// Two updates from the same parts must be equal.
void expect_same(const chp::update& a, const chp::update& b) {
  require(a.key == b.key && a.number == b.number && a.id == b.id && a.value == b.value &&
              a.how == b.how && a.properties == b.properties,
          "an update is read as it is written");
}

void try_proposal(const message& m, chp::form how) {
  const auto read = chp::parse_proposal(m, how, limits);
  if (read.fault == chp::errc{}) {
    require(chp::check_key(read.key) == chp::errc{}, "a valid update has a key");
    require(read.value.size() <= limits.max_value_size, "its value is within the limit");
    const auto place = chp::parse_since(read.since).value_or(chp::position{});
    std::string since;
    chp::append_since(since, place);
    const chp::properties all{since};
    for (const auto& each : all) {
      require(chp::parse_since(each.value) == place, "a place is read as it is written");
    }
  }
}

void try_as(const message& m, chp::form how) {
  if (const auto u = chp::parse_set(m, how, limits)) {
    check_update(*u);
    const auto id = chp::update_id::of_frame(u->id);
    zmtp::message_batch published;
    chp::append_publication(published, u->how, u->key, 7, id, u->properties, u->value);
    const auto received = chp::parse_publication(published.front(), how, limits);
    require(received.has_value() && std::holds_alternative<chp::update>(*received),
            "what is set can be published");
    auto expected = *u;
    expected.number = 7;
    expected.id = how == chp::form::kvmsg ? id.bytes() : std::string_view{};
    expect_same(expected, std::get<chp::update>(*received));
    const auto entry = chp::make_entry(u->how, u->key, 9, u->id, u->properties, u->value);
    const auto kept = chp::parse_snapshot(entry, how, limits);
    require(kept.has_value() && std::holds_alternative<chp::update>(*kept),
            "what is set can be in a snapshot");
    expected = *u;
    expected.number = 9;
    expect_same(expected, std::get<chp::update>(*kept));
  }
  if (const auto received = chp::parse_snapshot(m, how, limits)) {
    if (const auto* const end = std::get_if<chp::snapshot_end>(&*received)) {
      require(end->number <= chp::max_sequence, "a sequence can be followed");
    } else if (const auto* const notice = std::get_if<chp::lineage_notice>(&*received)) {
      require(m == chp::make_lineage(notice->reigns, notice->end),
              "a lineage is written as it was read");
    } else if (const auto* const u = std::get_if<chp::update>(&*received)) {
      check_update(*u);
    }
  }
  try_proposal(m, how);
  if (const auto received = chp::parse_publication(m, how, limits)) {
    if (const auto* const u = std::get_if<chp::update>(&*received)) {
      check_update(*u);
      require(u->number <= chp::max_sequence, "a sequence can be followed");
    } else {
      try_properties(std::get<chp::heartbeat>(*received).properties);
    }
  }
}

void try_snapshot_port(const message& m) {
  if (const auto request = chp::parse_snapshot_request(m)) {
    require(
        m == (m.size() == 2 ? chp::make_snapshot_request(*request) : chp::make_snapshot_request()),
        "a request is written as it was read");
  }
  if (const auto read = chp::parse_pair_message(m)) {
    require(chp::is_pair_message(m), "its name is known");
    require(m == std::visit([](const auto& of) { return chp::make_message(of); }, *read),
            "a message of the pair is written as it was read");
  }
}

}  // namespace
}  // namespace zmtp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto bytes = zmtp::fuzz::text_of(data, size);
  const auto m = zmtp::fuzz::take_message(bytes, 10);
  for (const auto how : {chp::form::kvmsg, chp::form::kvsimple_8, chp::form::kvsimple_4}) {
    zmtp::fuzz::try_as(m, how);
  }
  zmtp::fuzz::try_snapshot_port(m);
  return 0;
}
