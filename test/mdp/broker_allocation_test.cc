// Once everything was there, a request and its reply cost no allocation.
#include "test/mdp/broker_fixture.h"
#include "test/support/allocations.h"

#include <vector>

namespace mdp {
namespace {

class broker_allocation : public broker_fixture {
public:
  // The shell's part, without inboxes.
  void answer_all(dialect of_workers) {
    const auto sends = actions.sends.size();
    for (std::size_t i = 0; i < sends; ++i) {
      auto& sent = actions.sends[i];
      const auto input = parse_for_worker(sent.content, of_workers);
      if (!input) {
        ++answered;
        continue;
      }
      ASSERT_TRUE(std::holds_alternative<broker_request>(*input));
      auto address = zmtp::message{sent.content.front()};
      sent.content.pop_front();
      sent.content.pop_front();
      push_worker_reply(sent.content, version_of(of_workers), true, address.front());
      replies.push_back({sent.to, std::move(sent.content)});
    }
    actions.clear();
    for (auto& r : replies) {
      broker.on_message(r.to, std::move(r.content), now, actions);
    }
    replies.clear();
  }
  std::vector<broker_actions::send_action> replies;
  std::size_t answered = 0;
};

TEST_F(broker_allocation, steady_state_allocates_nothing) {
  struct kind_of_worker {
    dialect how;
    const char* announced;
  };
  for (const auto& [how, announced] :
       {kind_of_worker{dialect::v01, ""}, kind_of_worker{dialect::v02, ""},
        kind_of_worker{dialect::v02, "capacity=2"}, kind_of_worker{dialect::v02, "capacity=8"}}) {
    std::vector<zmtp::peer_id> clients;
    for (int i = 0; i < 10; ++i) {
      clients.push_back(attach());
    }
    std::vector<zmtp::peer_id> workers;
    for (int i = 0; i < 3; ++i) {
      workers.push_back(attach_worker("echo", how, announced));
    }
    replies.reserve(100);
    answered = 0;
    // Always more requests than the workers accept at once, except for the last: some wait.
    const auto of_workers = how;  // a structured binding cannot be captured
    const auto cycle = [&] {
      for (const auto client : clients) {
        zmtp::message m{"Hello world"sv};
        push_client_request(m, version::v02, "echo");
        broker.on_message(client, std::move(m), now, actions);
      }
      now += 10ms;
      if (const auto due = broker.next_deadline(); due && *due <= now) {
        broker.on_deadline(now, actions);
      }
      while (!actions.sends.empty()) {
        answer_all(of_workers);
      }
      broker.compact();
    };
    for (int i = 0; i < 300; ++i) {
      cycle();
    }
    zmtp::test::reset_peak();
    for (int i = 0; i < 1000; ++i) {
      cycle();
    }
    EXPECT_EQ(zmtp::test::counted().largest, 0U);
    EXPECT_EQ(answered, 13'000U);
    for (const auto id : workers) {
      detach(id);
    }
  }
}

}  // namespace
}  // namespace mdp
