#include "chp/update_register.h"

#include "chp/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <list>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace chp {
namespace {

constexpr auto one = update_id::make_session(1);
constexpr auto two = update_id::make_session(2);

update_id own(std::uint64_t counter, std::uint64_t session = one) {
  return update_id::of_session(session, counter);
}
update_id foreign(std::uint64_t n) { return update_id::of_random(n, ~n); }

std::vector<counter_range> gaps_of(const update_register& r, std::uint64_t session = one) {
  const auto gaps = r.find(session).gaps;
  return {gaps.begin(), gaps.end()};
}
using ranges = std::vector<counter_range>;
std::vector<refusal> refused_of(const update_register& r, std::uint64_t session) {
  const auto all = r.find(session).refused;
  return {all.begin(), all.end()};
}

void copy(const update_register& from, update_register& to) {
  for (const auto& piece : from.pieces()) {
    EXPECT_LE(piece.size(), update_register::max_piece_size);
    ASSERT_FALSE(to.unpack(piece));
  }
}

TEST(update_register, contains_an_id_after_one_insertion) {
  update_register r;
  EXPECT_FALSE(r.contains(own(1)));
  EXPECT_TRUE(r.insert(own(1)));
  EXPECT_FALSE(r.insert(own(1)));
  EXPECT_TRUE(r.contains(own(1)));
  EXPECT_FALSE(r.contains(own(1, two)));
  EXPECT_TRUE(r.insert(foreign(7)));
  EXPECT_FALSE(r.insert(foreign(7)));
  EXPECT_TRUE(r.contains(foreign(7)));
  EXPECT_EQ(r.sessions(), 1U);
  EXPECT_EQ(r.others(), 1U);
}

TEST(update_register, does_not_contain_an_empty_id) {  // C1-10
  update_register r;
  EXPECT_TRUE(r.insert({}));
  EXPECT_TRUE(r.insert({}));
  EXPECT_FALSE(r.contains({}));
  EXPECT_EQ(r.others(), 0U);
}

TEST(update_register, keeps_one_counter_for_updates_in_order) {
  update_register r;
  for (std::uint64_t i = 1; i <= 10'000; ++i) {
    ASSERT_TRUE(r.insert(own(i)));
  }
  EXPECT_EQ(r.find(one).counter, 10'000U);
  EXPECT_EQ(gaps_of(r), ranges{});
  EXPECT_EQ(r.sessions(), 1U);
  EXPECT_EQ(r.others(), 0U);
  EXPECT_EQ(r.find(two).counter, 0U);
}

TEST(update_register, keeps_gaps_until_they_are_filled) {
  update_register r;
  r.insert(own(5));
  EXPECT_EQ(gaps_of(r), (ranges{{1, 4}}));
  r.insert(own(10));
  EXPECT_EQ(gaps_of(r), (ranges{{1, 4}, {6, 9}}));
  EXPECT_TRUE(r.insert(own(8)));
  EXPECT_EQ(gaps_of(r), (ranges{{1, 4}, {6, 7}, {9, 9}}));
  EXPECT_TRUE(r.insert(own(9)));
  EXPECT_TRUE(r.insert(own(6)));
  EXPECT_TRUE(r.insert(own(4)));
  EXPECT_EQ(gaps_of(r), (ranges{{1, 3}, {7, 7}}));
  EXPECT_FALSE(r.insert(own(5)));
  EXPECT_FALSE(r.contains(own(7)));
  EXPECT_FALSE(r.contains(own(11)));
  EXPECT_EQ(r.find(one).counter, 10U);
}

TEST(update_register, does_not_lose_gaps_above_their_limit) {
  update_register r;
  const auto last = 2 * max_gaps;
  for (std::uint64_t i = 2; i <= last; i += 2) {
    ASSERT_TRUE(r.insert(own(i)));
  }
  ASSERT_EQ(gaps_of(r).size(), max_gaps);
  // The register has no room for the gap of this id, so it stores the id separately.
  EXPECT_TRUE(r.insert(own(last + 10)));
  EXPECT_EQ(r.find(one).counter, last);
  EXPECT_EQ(r.others(), 1U);
  EXPECT_TRUE(r.contains(own(last + 10)));
  EXPECT_FALSE(r.contains(own(last + 9)));
  EXPECT_FALSE(r.insert(own(last + 10)));
  // When there is room, saying it again gives it its place.
  EXPECT_TRUE(r.insert(own(1)));
  EXPECT_FALSE(r.insert(own(last + 10)));
  EXPECT_EQ(r.find(one).counter, last + 10);
  EXPECT_FALSE(r.contains(own(last + 9)));
}

TEST(update_register, forgets_the_least_recently_used_session) {
  update_register r{0, {.max_sessions = 3, .max_others = 3}};
  for (std::uint64_t s = 1; s <= 3; ++s) {
    r.insert(own(1, update_id::make_session(s)));
  }
  r.insert(own(2, update_id::make_session(1)));
  r.insert(own(1, update_id::make_session(4)));
  EXPECT_EQ(r.sessions(), 3U);
  EXPECT_TRUE(r.contains(own(2, update_id::make_session(1))));
  EXPECT_FALSE(r.contains(own(1, update_id::make_session(2))));
  EXPECT_TRUE(r.contains(own(1, update_id::make_session(3))));
  EXPECT_TRUE(r.contains(own(1, update_id::make_session(4))));
}

TEST(update_register, forgets_the_oldest_of_other_ids) {
  update_register r{0, {.max_sessions = 3, .max_others = 3}};
  for (std::uint64_t i = 1; i <= 5; ++i) {
    r.insert(foreign(i));
    EXPECT_LE(r.others(), 3U);
  }
  for (std::uint64_t i = 1; i <= 5; ++i) {
    EXPECT_EQ(r.contains(foreign(i)), i > 2) << i;
  }
}

TEST(update_register, survives_packing_and_unpacking) {
  update_register from;
  std::minstd_rand random{1};
  for (int i = 0; i < 20'000; ++i) {
    from.insert(own(1 + random() % 300, update_id::make_session(random() % 100)));
    from.insert(foreign(random() % 10'000));
  }
  EXPECT_GT(from.pieces().size(), 1U);
  update_register to{99};
  copy(from, to);
  EXPECT_EQ(to.sessions(), from.sessions());
  EXPECT_EQ(to.others(), from.others());
  for (std::uint64_t s = 0; s < 100; ++s) {
    const auto session = update_id::make_session(s);
    EXPECT_EQ(to.find(session).counter, from.find(session).counter);
    EXPECT_EQ(gaps_of(to, session), gaps_of(from, session));
  }
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    ASSERT_EQ(to.contains(foreign(i)), from.contains(foreign(i)));
  }
}

TEST(update_register, unpacking_adds_to_the_register) {
  update_register a;
  update_register b;
  std::set<std::uint64_t> both;
  std::minstd_rand random{2};
  for (int i = 0; i < 60; ++i) {
    const auto in_a = 1 + random() % 200;
    const auto in_b = 1 + random() % 150;
    a.insert(own(in_a));
    b.insert(own(in_b));
    both.insert(in_a);
    both.insert(in_b);
  }
  copy(a, b);
  for (std::uint64_t i = 1; i <= 210; ++i) {
    EXPECT_EQ(b.contains(own(i)), both.contains(i)) << i;
  }
  EXPECT_EQ(b.find(one).counter, *both.rbegin());
}

TEST(update_register, unpacking_adds_only_known_updates) {
  update_register a;
  update_register b;
  // Together they have more gaps than there may be.
  for (std::uint64_t i = 1; i <= max_gaps; ++i) {
    a.insert(own(4 * i));
    b.insert(own(1'000 + 4 * i));
  }
  copy(a, b);
  EXPECT_LE(gaps_of(b).size(), max_gaps);
  for (std::uint64_t i = 1; i <= 1'000 + 4 * max_gaps; ++i) {
    const bool was = i % 4 == 0 && ((i <= 4 * max_gaps) || i > 1'000);
    EXPECT_LE(b.contains(own(i)), was) << i;
  }
}

// Sessions and ids are forgotten meanwhile, too.
TEST(update_register, an_image_does_not_change_after_it_is_opened) {
  constexpr std::size_t most = 3'000;
  std::minstd_rand random{3};
  update_register r{1, {.max_sessions = most, .max_others = most}};
  const auto session_of = [](std::uint64_t n) { return update_id::make_session(n << 16); };
  const auto change = [&] {
    const auto session = session_of(random() % (most + most / 10));
    const auto counter = 1 + r.find(session).counter + random() % 4;
    if (random() % 5 == 0) {
      r.refuse(own(counter, session), errc::too_many_keys);
    } else {
      r.insert(own(counter, session));
    }
    r.insert(foreign(random() % (10 * most)));
  };
  for (int i = 0; i < 30'000; ++i) {
    change();
  }
  struct copied {
    explicit copied(update_register::image opened) : from{std::move(opened)} {}
    update_register::image from;
    update_register then;  // at once
    update_register now;   // a piece now and then
    std::size_t pieces = 0;
  };
  std::list<copied> images;
  std::size_t ended = 0;
  for (int i = 0; i < 60'000; ++i) {
    if (i % 5'000 == 0) {
      auto& added = images.emplace_back(r.open_image());
      copy(r, added.then);
    }
    change();
    if (i % 1'000 == 999) {
      for (auto each = images.begin(); each != images.end();) {
        const auto piece = each->from.next();
        ASSERT_LE(piece.size(), update_register::max_piece_size);
        if (!piece.empty()) {
          ++each->pieces;
          ASSERT_FALSE(each->now.unpack(piece));
          ++each;
          continue;
        }
        EXPECT_GT(each->pieces, 4U);
        ASSERT_EQ(each->now.sessions(), each->then.sessions());
        ASSERT_EQ(each->now.others(), each->then.others());
        for (std::uint64_t s = 0; s < most + most / 10; ++s) {
          const auto session = session_of(s);
          ASSERT_EQ(each->now.find(session).counter, each->then.find(session).counter) << s;
          ASSERT_EQ(gaps_of(each->now, session), gaps_of(each->then, session)) << s;
          ASSERT_EQ(refused_of(each->now, session), refused_of(each->then, session)) << s;
        }
        for (std::uint64_t n = 0; n < 10 * most; ++n) {
          ASSERT_EQ(each->now.contains(foreign(n)), each->then.contains(foreign(n))) << n;
        }
        each = images.erase(each);
        ++ended;
      }
    }
  }
  EXPECT_GT(ended, 5U);
}

TEST(update_register, rejects_a_malformed_piece_at_every_byte) {
  update_register from;
  from.insert(own(5));
  from.insert(own(9));
  from.insert(foreign(1));
  const auto whole = from.pieces().at(0);
  for (std::size_t size = 1; size < whole.size(); ++size) {
    update_register to;
    const auto ec = to.unpack(whole.substr(0, size));
    // Between the two records it is whole.
    EXPECT_EQ(ec == errc::malformed_register, size != 18 + 2 * 16) << size;
  }
  const auto refused = [&](std::size_t at, char byte) {
    auto changed = whole;
    changed[at] = byte;
    update_register to;
    EXPECT_EQ(to.unpack(changed), errc::malformed_register) << at;
    EXPECT_EQ(to.sessions(), 0U);
  };
  refused(0, 'X');
  refused(7, 0x10);  // a session of another version
  refused(9, 0x40);  // a counter too large
  refused(16, 0);    // a counter of none
  refused(16, 8);    // a gap that ends with it
  refused(17, 65);   // more gaps than there may be
  refused(25, 0);    // a gap that begins with none
  refused(33, 0);    // a gap that ends before it begins
  refused(41, 5);    // a gap that touches the one before
  EXPECT_FALSE(update_register{}.unpack(""));
}

// Against a set of all that was inserted.
TEST(update_register, behaves_like_a_set) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    std::minstd_rand random{seed};
    update_register r{seed};
    std::set<update_id> model;
    for (int i = 0; i < 3'000; ++i) {
      const auto session = update_id::make_session(random() % 4);
      // Updates mostly in order, with losses and repetitions.
      const auto near = r.find(session).counter + 1;
      const auto step = random() % 10;
      const auto counter = step < 6 ? near : step < 8 ? near + random() % 5 : 1 + random() % near;
      const auto id = step == 9 ? foreign(random() % 500) : own(counter, session);
      ASSERT_EQ(r.contains(id), model.contains(id)) << "seed " << seed << ", step " << i;
      ASSERT_EQ(r.insert(id), model.insert(id).second) << "seed " << seed << ", step " << i;
    }
    update_register other;
    copy(r, other);
    for (const auto* each : {&r, &other}) {
      for (std::uint64_t s = 0; s < 4; ++s) {
        const auto session = update_id::make_session(s);
        const auto upto = each->find(session).counter;
        for (std::uint64_t counter = 1; counter <= upto + 10; ++counter) {
          const auto id = own(counter, session);
          ASSERT_EQ(each->contains(id), model.contains(id)) << "seed " << seed;
        }
        std::uint64_t above = 0;
        for (const auto& gap : each->find(session).gaps) {
          ASSERT_GT(gap.first, above);
          ASSERT_LE(gap.first, gap.last);
          ASSERT_LT(gap.last, upto);
          above = gap.last + 1;
        }
      }
    }
  }
}

TEST(update_register, remembers_refusals_and_their_reasons) {
  const auto session = update_id::make_session(7);
  update_register r;
  EXPECT_TRUE(r.insert(own(1, session)));
  EXPECT_TRUE(r.refuse(own(3, session), errc::too_many_keys));
  EXPECT_TRUE(r.refuse(own(2, session), errc::value_too_long));
  EXPECT_TRUE(r.refuse(own(4, session), errc::too_many_keys));
  EXPECT_TRUE(r.insert(own(5, session)));
  EXPECT_FALSE(r.refuse(own(5, session), errc::too_many_keys)) << "it has been made";
  EXPECT_FALSE(r.insert(own(3, session))) << "it never will";
  const std::vector<refusal> refused{{{2, 2}, errc::value_too_long}, {{3, 4}, errc::too_many_keys}};
  EXPECT_EQ(refused_of(r, session), refused);
  EXPECT_EQ(r.find(session).counter, 5U);
  EXPECT_TRUE(r.find(session).gaps.empty());
  update_register other;
  copy(r, other);
  EXPECT_EQ(refused_of(other, session), refused);
  EXPECT_EQ(other.find(session).unsure, 0U);
  EXPECT_TRUE(other.contains(own(3, session)));
  copy(r, other);
  EXPECT_EQ(refused_of(other, session), refused);
}

TEST(update_register, reports_the_last_counter_whose_refusal_it_forgot) {
  const auto session = update_id::make_session(7);
  update_register r;
  for (std::uint64_t counter = 1; counter <= 2 * (max_refusals + 3); counter += 2) {
    r.refuse(own(counter, session), errc::too_many_keys);
    r.insert(own(counter + 1, session));
  }
  EXPECT_EQ(refused_of(r, session).size(), max_refusals);
  EXPECT_EQ(r.find(session).unsure, 5U);
  update_register other;
  copy(r, other);
  EXPECT_EQ(refused_of(other, session), refused_of(r, session));
  EXPECT_EQ(other.find(session).unsure, 5U);
}

TEST(update_register, forgets_refusals_with_their_session) {
  update_register r{0, {.max_sessions = 1}};
  r.refuse(own(1, update_id::make_session(1)), errc::too_many_keys);
  r.refuse(own(1, update_id::make_session(2)), errc::too_many_keys);
  EXPECT_TRUE(refused_of(r, update_id::make_session(1)).empty());
  EXPECT_EQ(refused_of(r, update_id::make_session(2)).size(), 1U);
}

TEST(update_register, rejects_inconsistent_refusals) {
  const auto session = update_id::make_session(7);
  update_register r;
  r.refuse(own(1, session), errc::too_many_keys);
  const auto whole = r.pieces().at(0);
  const auto head = whole.find('R');
  ASSERT_NE(head, whole.npos);
  const auto is_taken = [&](std::size_t at, char byte) {
    auto changed = whole;
    changed[head + at] = byte;
    update_register to;
    return !to.unpack(changed);
  };
  EXPECT_TRUE(is_taken(0, 'R'));
  EXPECT_FALSE(is_taken(1, 1)) << "of another session";
  EXPECT_FALSE(is_taken(9, 0x7f)) << "forgotten up to no counter";
  EXPECT_FALSE(is_taken(17, 65)) << "more than there may be";
  EXPECT_FALSE(is_taken(17, 2)) << "more than there are";
  EXPECT_FALSE(is_taken(25, 0)) << "the counter of none";
  EXPECT_FALSE(is_taken(33, 0)) << "that ends before it begins";
  EXPECT_FALSE(is_taken(26, 0x7f)) << "that is too large";
}

}  // namespace
}  // namespace chp
