#include "zmtp/engine/after_turn.h"

#include "zmtp/buffer/thread_value.h"
#include "zmtp/engine/inproc_link.h"

#include <utility>
#include <vector>

namespace zmtp::after_turn {

namespace {

constexpr int max_rounds = 64;

struct tail {
  int depth = 0;
  std::vector<call> calls;
  std::vector<call> current;  // a member to reuse its memory
};

tail& of_thread() noexcept { return thread_value<tail>(); }

}  // namespace

void call::post() {
  where->post([link = std::move(who)] {
    if (const auto called = link.lock()) {
      called->on_mail();
    }
  });
}

scope::scope() noexcept { ++of_thread().depth; }

scope::~scope() {
  auto& own = of_thread();
  if (--own.depth == 0) {
    // After an exception, post the remaining calls.
    for (auto* const left : {&own.current, &own.calls}) {
      for (auto& each : std::exchange(*left, {})) {
        each.post();
      }
    }
  }
}

void scope::run() {
  auto& own = of_thread();
  if (own.depth != 1) {
    return;
  }
  for (int round = 0; !own.calls.empty(); ++round) {
    std::swap(own.calls, own.current);
    for (auto& each : own.current) {
      if (round == max_rounds) {
        each.post();
      } else if (const auto link = each.who.lock()) {
        link->on_mail();
      }
    }
    own.current.clear();
  }
}

bool add(call& what) {
  auto& own = of_thread();
  if (own.depth == 0) {
    return false;
  }
  own.calls.push_back(std::move(what));
  return true;
}

}  // namespace zmtp::after_turn
