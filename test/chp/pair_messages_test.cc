#include "chp/pair_messages.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace chp {
namespace {

lineage reigns() {
  lineage l;
  l.begin_reign(1, 11, make_sequence(1, 0));
  l.extend(make_sequence(1, 9));
  l.begin_reign(2, 22, make_sequence(2, 0));
  return l;
}

std::vector<zmtp::message> example_messages() {
  const auto n = make_sequence(2, 0);
  return {make_message(hello{7, n, n, true, 12, reigns(), true}),
          make_message(follow{7, n, n, 5, true, true}),
          make_message(copy_piece{7, copied::sessions, "rows"}),
          make_message(copy_end{7, n, 3, reigns()}),
          make_message(entries{7, n, "records"}),
          make_message(confirmation{7, n})};
}

zmtp::message of_frames(const std::vector<std::string>& frames) {
  zmtp::message m;
  for (const auto& each : frames) {
    m.push_back(each);
  }
  return m;
}
std::vector<std::string> frames_of(const zmtp::message& m) { return {m.begin(), m.end()}; }
errc fault_of(const zmtp::message& m) {
  const auto found = parse_pair_message(m);
  return found ? errc{} : found.error();
}

TEST(chp_pair_messages, survive_the_wire) {
  const auto all = example_messages();
  const auto n = make_sequence(2, 0);
  const auto h = std::get<hello>(parse_pair_message(all[0]).value());
  EXPECT_EQ(h.greeting, 7U);
  EXPECT_EQ(h.end, n);
  EXPECT_EQ(h.durable, n);
  EXPECT_TRUE(h.lacks_data);
  EXPECT_EQ(h.member, 12U);
  EXPECT_EQ(h.reigns, reigns());
  EXPECT_TRUE(h.has_store);
  const auto f = std::get<follow>(parse_pair_message(all[1]).value());
  EXPECT_EQ(f.greeting, 7U);
  EXPECT_EQ(f.common, n);
  EXPECT_EQ(f.needed, n);
  EXPECT_EQ(f.start, 5U);
  EXPECT_TRUE(f.is_copy);
  EXPECT_TRUE(f.has_store);
  const auto p = std::get<copy_piece>(parse_pair_message(all[2]).value());
  EXPECT_EQ(p.greeting, 7U);
  EXPECT_EQ(p.kind, copied::sessions);
  EXPECT_EQ(p.rows, "rows");
  const auto end = std::get<copy_end>(parse_pair_message(all[3]).value());
  EXPECT_EQ(end.commit, n);
  EXPECT_EQ(end.forgotten, 3U);
  EXPECT_EQ(end.reigns, reigns());
  const auto e = std::get<entries>(parse_pair_message(all[4]).value());
  EXPECT_EQ(e.commit, n);
  EXPECT_EQ(e.records, "records");
  const auto c = std::get<confirmation>(parse_pair_message(all[5]).value());
  EXPECT_EQ(c.greeting, 7U);
  EXPECT_EQ(c.durable, n);
  for (const auto& each : all) {
    EXPECT_TRUE(is_pair_message(each));
  }
  EXPECT_FALSE(is_pair_message(make_snapshot_request("")));
}

TEST(chp_pair_messages, have_the_frames_that_the_header_describes) {
  const std::string seven{"\0\0\0\0\0\0\0\7", 8};
  const std::string nine{"\0\0\0\0\0\0\0\x09", 8};
  EXPECT_EQ(frames_of(make_message(confirmation{7, 9})),
            (std::vector<std::string>{"CHP-CONFIRM", seven, nine}));
  EXPECT_EQ(frames_of(make_message(entries{7, 9, "x"})),
            (std::vector<std::string>{"CHP-ENTRIES", seven, nine, "x"}));
  EXPECT_EQ(frames_of(make_message(follow{7, 9, 7, 9, true, false})),
            (std::vector<std::string>{"CHP-FOLLOW", seven, nine, seven, nine, "\1",
                                      std::string(1, '\0')}));
  EXPECT_EQ(frames_of(make_message(hello{7, 9, 7, false, 9, {}, true})),
            (std::vector<std::string>{"CHP-HELLO", seven, nine, seven, std::string(1, '\0'), nine,
                                      "", "\1"}));
  EXPECT_EQ(frames_of(make_message(copy_piece{7, copied::ids, "x"})),
            (std::vector<std::string>{"CHP-COPY", seven, "\3", "x"}));
}

TEST(chp_pair_messages, with_a_frame_less_or_more_are_refused) {
  for (const auto& each : example_messages()) {
    auto frames = frames_of(each);
    frames.emplace_back("more");
    EXPECT_EQ(fault_of(of_frames(frames)), errc::wrong_frame_count) << frames[0];
    frames.resize(frames.size() - 2);
    EXPECT_NE(fault_of(of_frames(frames)), errc{}) << frames[0];
  }
  EXPECT_EQ(fault_of(zmtp::message{}), errc::unknown_command) << "no frame at all";
}

TEST(chp_pair_messages, are_refused_with_the_name_of_the_fault) {
  const auto with = [](const zmtp::message& m, std::size_t index, std::string frame) {
    auto frames = frames_of(m);
    frames[index] = std::move(frame);
    return fault_of(of_frames(frames));
  };
  const auto all = example_messages();
  for (const auto& each : all) {
    EXPECT_EQ(with(each, 0, "CHP-OTHER"), errc::unknown_command);
    EXPECT_EQ(with(each, 1, "short"), errc::wrong_number_size);
  }
  const std::string huge(8, '\xff');
  EXPECT_EQ(with(all[0], 2, huge), errc::sequence_too_large);
  EXPECT_EQ(with(all[1], 4, huge), errc::sequence_too_large);
  EXPECT_EQ(with(all[5], 2, huge), errc::sequence_too_large);
  EXPECT_EQ(with(all[0], 5, "short"), errc::wrong_number_size);
  EXPECT_EQ(with(all[0], 6, "no lineage"), errc::malformed_lineage);
  EXPECT_EQ(with(all[3], 4, std::string(24 * (lineage::max_reigns + 1), '\0')),
            errc::malformed_lineage);
  EXPECT_EQ(with(all[0], 4, "\2"), errc::malformed_piece);
  EXPECT_EQ(with(all[0], 7, "\2"), errc::malformed_piece);
  EXPECT_EQ(with(all[1], 5, "\2"), errc::malformed_piece);
  EXPECT_EQ(with(all[1], 6, ""), errc::malformed_piece);
  EXPECT_EQ(with(all[2], 2, std::string(1, '\0')), errc::malformed_piece);
  EXPECT_EQ(with(all[2], 2, "\5"), errc::malformed_piece);
  EXPECT_EQ(with(all[2], 2, "\1\1"), errc::malformed_piece);
}

// Each is refused, or parsed to what makes the same message.
TEST(chp_pair_messages, with_changed_bytes_mean_one_thing) {
  std::mt19937 random{1};
  std::size_t refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto all = example_messages();
    auto frames = frames_of(all[random() % all.size()]);
    auto& changed = frames[random() % frames.size()];
    if (random() % 3 == 0) {
      changed.resize(random() % 30, 'x');
    } else if (!changed.empty()) {
      changed[random() % changed.size()] = static_cast<char>(random());
    }
    const auto m = of_frames(frames);
    const auto found = parse_pair_message(m);
    if (!found) {
      ++refused;
      continue;
    }
    EXPECT_EQ(std::visit([](const auto& each) { return make_message(each); }, *found), m);
  }
  EXPECT_GT(refused, 5'000U);
}

}  // namespace
}  // namespace chp
