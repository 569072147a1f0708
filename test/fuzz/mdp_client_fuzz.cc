// Brokers send a client anything, in any order, while the client asks and gives up.

#include "mdp/client_state.h"
#include "mdp/command.h"
#include "test/fuzz/frames.h"
#include "test/fuzz/oracle.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace zmtp::fuzz {
namespace {

using namespace std::chrono_literals;

class run {
public:
  explicit run(mdp::version how) : how_{how}, client_{options(how)} {}

  void step(std::string_view& bytes) {
    const auto what = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    const std::size_t more = what / 16;
    switch (what % 16) {
      case 0:
      case 1:
        if (!attached_) {
          attached_ = true;
          mdp::broker_announcement broker;
          if (more % 3 != 0) {
            broker.idempotency = more % 3;
          }
          client_.on_attached(broker, now_, actions_);
        }
        break;
      case 2:
        if (std::exchange(attached_, false)) {
          client_.on_detached(actions_);
        }
        break;
      case 3:
        if (!attached_) {
          client_.on_unreachable(actions_);
        }
        break;
      case 4: now_ += 400ms * (1 + more); break;
      case 5: client_.on_deadline(now_, actions_); break;
      case 6:
      case 7: ask(take_message(bytes, 1 + more % 2), more); break;
      case 8:
        if (more == 0) {
          client_.cancel(actions_);
          asked_ = false;
        }
        break;
      case 9:
      case 10:
      case 11: {
        auto body = take_message(bytes, 1 + more % 3);
        if (!body.empty()) {
          const bool final = how_ == mdp::version::v01 || more % 2 == 0;
          mdp::push_client_reply(body, mdp::dialect_of(how_), final,
                                 more / 8 == 0 ? service : std::string_view{"mmi.error"});
          hear(std::move(body));
        }
        break;
      }
      default: hear(take_message(bytes, 1 + more)); break;
    }
    finish();
  }

private:
  static constexpr std::string_view service = "echo";

  static mdp::client_options options(mdp::version how) {
    mdp::client_options o;
    o.protocol = how;
    o.timeout = 1s;
    return o;
  }
  void ask(message&& body, std::size_t more) {
    if (body.empty()) {
      return;
    }
    mdp::request_options how;
    how.idempotent = more / 4 % 2 == 0;
    if (more % 4 == 1) {
      how.attempts = 1;
    }
    if (more % 4 == 3) {
      how.attempts = 4;
    }
    if (more % 4 == 2) {
      how.total_timeout = 2s;
    }
    const auto ec = client_.ask(service, std::move(body), how, now_, actions_);
    require(static_cast<bool>(ec) == asked_, "it has one request at a time");
    asked_ = true;
  }
  void hear(message&& m) {
    if (attached_ && !m.empty()) {
      client_.on_message(std::move(m), now_, actions_);
    }
  }

  void finish() {
    const auto actions = std::exchange(actions_, {});
    require(actions.sends.empty() || attached_, "without a connection nothing is sent");
    require(actions.sends.size() <= 1, "a request is sent once on a connection");
    require(actions.partials.empty() || asked_, "a part is of a request");
    for (const auto& part : actions.partials) {
      require(!part.empty(), "a part has a body");
    }
    require(!actions.reply || !actions.failure, "a request ends in one way");
    if (actions.reply || actions.failure) {
      require(std::exchange(asked_, false), "a request ends once");
      require(!actions.reply || !actions.reply->empty(), "a reply has a body");
      require(!actions.failure || *actions.failure, "a failure has a reason");
    }
    if (actions.reopen) {
      attached_ = false;
      require(actions.reopen->delay >= 0ms, "a delay is none of the past");
    }
    require(client_.in_flight() == asked_, "what has not ended is in flight");
  }

  mdp::version how_;
  mdp::client_state client_;
  mdp::client_actions actions_;
  mdp::client_state::time_point now_{1h};
  bool attached_ = false;
  bool asked_ = false;
};

}  // namespace
}  // namespace zmtp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const auto how : {mdp::version::v01, mdp::version::v02}) {
    zmtp::fuzz::run one{how};
    for (auto bytes = zmtp::fuzz::text_of(data, size); !bytes.empty();) {
      one.step(bytes);
    }
  }
  return 0;
}
