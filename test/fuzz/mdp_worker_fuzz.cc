// A broker sends a worker anything, in any order, while the worker answers and drops requests.

#include "mdp/command.h"
#include "mdp/worker_state.h"
#include "test/fuzz/frames.h"
#include "test/fuzz/oracle.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace zmtp::fuzz {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t capacity = 3;

class run {
public:
  run(mdp::version how, bool takes_nacks)
      : how_{how}, takes_nacks_{takes_nacks}, worker_{options(how)} {}

  void step(std::string_view& bytes) {
    const auto what = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    const std::size_t more = what / 16;
    switch (what % 16) {
      case 0:
      case 1:
        if (!attached_) {
          attached_ = true;
          worker_.on_attached(takes_nacks_, now_, actions_);
        }
        break;
      case 2:
        if (std::exchange(attached_, false)) {
          in_flight_.clear();
          worker_.on_detached(actions_);
        }
        break;
      case 3: now_ += 500ms * (1 + more); break;
      case 4: worker_.on_deadline(now_, actions_); break;
      case 5: hear(mdp::make_heartbeat(mdp::dialect_of(how_))); break;
      case 6:
        if (more == 0) {
          hear(mdp::make_disconnect(mdp::dialect_of(how_)));
        }
        break;
      case 7:
      case 8:
      case 9: {
        auto body = take_message(bytes, 1 + more % 3);
        if (!body.empty()) {
          mdp::push_worker_request(body, mdp::dialect_of(how_), "address " + std::to_string(more));
          hear(std::move(body));
        }
        break;
      }
      case 10:
      case 11: answer(take_message(bytes, 1 + more % 2), more % 2 == 0); break;
      case 12:
        if (!in_flight_.empty()) {
          give_back(more % 2 == 0 ? mdp::nack_reason::refused : mdp::nack_reason::failed);
        }
        break;
      default: hear(take_message(bytes, 1 + more)); break;
    }
    finish();
  }

private:
  static mdp::worker_options options(mdp::version how) {
    mdp::worker_options o;
    o.service = "echo";
    o.protocol = how;
    o.in_flight = capacity;
    return o;
  }
  void hear(message&& m) {
    if (attached_ && !m.empty()) {
      worker_.on_message(std::move(m), now_, actions_);
    }
  }
  void answer(message&& body, bool final) {
    if (in_flight_.empty() || body.empty()) {
      return;
    }
    const auto id = *in_flight_.begin();
    const auto sent = actions_.sends.size();
    const auto ec = final ? worker_.reply(id, std::move(body), now_, actions_)
                          : worker_.reply_in_part(id, std::move(body), now_, actions_);
    require(ec ? how_ == mdp::version::v01 && !final : actions_.sends.size() == sent + 1,
            "what is in hand can be answered, with one message");
    if (!ec && final) {
      in_flight_.erase(id);
    }
  }

  void give_back(mdp::nack_reason reason) {
    const auto id = *in_flight_.begin();
    require(!worker_.give_back(id, reason, now_, actions_), "what is in hand can be given back");
    // Any other broker takes back all of them with the conversation.
    if (takes_nacks_) {
      in_flight_.erase(id);
    }
  }

  void finish() {
    const auto actions = std::exchange(actions_, {});
    require(actions.sends.empty() || attached_, "without a connection nothing is sent");
    for (const auto& one : actions.requests) {
      require(attached_, "a request comes on a connection");
      require(one.id > last_id_, "no number is used twice");
      require(!one.body.empty(), "a request has a body");
      last_id_ = one.id;
      in_flight_.insert(one.id);
    }
    if (actions.reopen) {
      attached_ = false;
      in_flight_.clear();
    }
    require(worker_.requests_in_flight() == in_flight_.size(),
            "what is in hand is what was not answered");
    require(in_flight_.size() <= capacity, "it has no more in hand than it announced");
    require(attached_ || !worker_.in_conversation(), "a conversation has a connection");
  }

  mdp::version how_;
  bool takes_nacks_;
  mdp::worker_state worker_;
  mdp::worker_actions actions_;
  mdp::worker_state::time_point now_{1h};
  bool attached_ = false;
  std::uint64_t last_id_ = 0;
  std::set<std::uint64_t> in_flight_;
};

}  // namespace
}  // namespace zmtp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const auto how : {mdp::version::v01, mdp::version::v02}) {
    for (const bool takes_nacks : {false, true}) {
      zmtp::fuzz::run one{how, takes_nacks};
      for (auto bytes = zmtp::fuzz::text_of(data, size); !bytes.empty();) {
        one.step(bytes);
      }
    }
  }
  return 0;
}
