#include "zmtp/routing/pipe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace zmtp {
namespace {

class pipe_table_of_a_socket : public testing::Test {
protected:
  socket_options options;
  pipe_table table{options};
};

TEST_F(pipe_table_of_a_socket, opens_pipes_with_the_sockets_marks) {
  options.send_mark = {.messages = 1, .bytes = {}};
  options.receive_mark = {.messages = 2, .bytes = {}};
  auto& p = table.open(true);
  EXPECT_TRUE(p.durable);
  EXPECT_FALSE(p.attached || p.closing || p.paused);
  p.out.push({"m"});
  EXPECT_TRUE(p.out.full());
  p.in.push({"m"});
  EXPECT_FALSE(p.in.full());
  p.in.push({"m"});
  EXPECT_TRUE(p.in.full());
  EXPECT_FALSE(table.open(false).durable);
}

TEST_F(pipe_table_of_a_socket, finds_a_pipe_by_its_id_until_it_is_erased) {
  EXPECT_EQ(table.find({0, 0}), nullptr);
  EXPECT_EQ(table.find({0, 1}), nullptr);
  auto& p = table.open(false);
  const auto id = p.id;
  EXPECT_EQ(table.find(id), &p);
  EXPECT_EQ(&table.at(id.slot), &p);
  EXPECT_EQ(table.size(), 1U);
  table.erase(id);
  EXPECT_EQ(table.find(id), nullptr);
  EXPECT_EQ(table.size(), 0U);
  table.erase(id);
  EXPECT_EQ(table.size(), 0U);
}

TEST_F(pipe_table_of_a_socket, a_default_id_does_not_name_a_pipe) {
  table.open(false);
  EXPECT_EQ(table.find({}), nullptr);
}

TEST_F(pipe_table_of_a_socket, a_stale_id_never_finds_a_new_pipe_in_its_slot) {
  const auto stale = table.open(false).id;
  table.erase(stale);
  for (int i = 0; i < 100; ++i) {
    auto& p = table.open(false);
    EXPECT_EQ(p.id.slot, stale.slot);
    EXPECT_NE(p.id, stale);
    EXPECT_EQ(table.find(stale), nullptr);
    table.erase(stale);
    EXPECT_EQ(table.find(p.id), &p) << "a stale id erases nothing";
    table.erase(p.id);
  }
}

TEST_F(pipe_table_of_a_socket, pipes_keep_their_address_while_others_are_added_and_erased) {
  auto& stays = table.open(true);
  std::vector<peer_id> others;
  for (int i = 0; i < 1000; ++i) {
    others.push_back(table.open(false).id);
  }
  for (const auto id : others) {
    table.erase(id);
  }
  EXPECT_EQ(table.find(stays.id), &stays);
  int visited = 0;
  table.for_each([&](pipe& p) {
    EXPECT_EQ(&p, &stays);
    ++visited;
  });
  EXPECT_EQ(visited, 1);
}

TEST_F(pipe_table_of_a_socket, random_use_equals_a_list) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random{seed};
    pipe_table pipes{options};
    std::vector<pipe*> open;
    std::vector<peer_id> stale;
    std::size_t most = 0;
    for (int step = 0; step < 500; ++step) {
      if (open.empty() || random() % 2 == 0) {
        open.push_back(&pipes.open(random() % 2 == 0));
      } else {
        const auto at = open.begin() + static_cast<std::ptrdiff_t>(random() % open.size());
        stale.push_back((*at)->id);
        pipes.erase((*at)->id);
        open.erase(at);
      }
      most = std::max(most, open.size());
      ASSERT_EQ(pipes.size(), open.size());
      for (auto* p : open) {
        ASSERT_EQ(pipes.find(p->id), p);
        ASSERT_LT(p->id.slot, most) << "slots are dense";
      }
      for (const auto id : stale) {
        ASSERT_EQ(pipes.find(id), nullptr);
      }
    }
  }
}

}  // namespace
}  // namespace zmtp
