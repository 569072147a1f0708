#include "zmtp/engine/turns.h"

#include "zmtp/engine/socket_core.h"

#include <boost/asio/post.hpp>

#include <new>

namespace zmtp {

void turns::schedule() {
  const serial_check::scope alone{serial_};
  core_.account();
  if (running()) {
    return;
  }
  auto& state = core_.state();
  // A sent reply makes REP readable, and a sent request makes it writable.
  const bool waited_for = (waiting_.receivers_wait() && state.readable()) ||
                          (waiting_.senders_wait() && state.writable());
  if (waited_for || !state.dirty().empty() || !state.resumable().empty() ||
      !state.too_slow().empty()) {
    post();
  }
}

void turns::post() {
  if (policy_.posted() || core_.ending().over()) {
    return;
  }
  asio::post(core_.executor(), [this, core = core_.shared_from_this()] {
    policy_.on_posted_turn();
    core->turn([] {});
  });
  policy_.on_posted();
}

void turns::keep_awake(turn_policy::time_point now) {
  if (!policy_.spins(now, core_.options().spin, core_.open())) {
    return;
  }
  asio::post(core_.executor(), [this, core = core_.shared_from_this()] {
    policy_.on_spin(false);
    keep_awake(core->now());
  });
  policy_.on_spin(true);
}

bool turns::flush(std::size_t most) {
  policy_.begin_flush();
  const scope inside{*this};
  prepare_flush();
  return core_.links().flush(most);
}

bool turns::flush(peer_id to) {
  policy_.begin_flush();
  const scope inside{*this};
  prepare_flush();
  return core_.links().flush(to);
}

void turns::prepare_flush() {
  core_.state().end_turn();
  core_.links().tell_changes();
}

void turns::hand_over() {
  if (!core_.links().any_in_process()) {
    return;
  }
  const scope inside{*this};
  core_.state().end_turn();
  core_.links().hand_over();
}

void turns::begin() noexcept {
  const bool in_process = core_.links().any_in_process();
  policy_.begin(in_process ? turn_policy::time_point{} : core_.now(), in_process);
}

// Returns whether a round has made progress, so that another one may make more.
bool turns::serve() {
  auto& state = core_.state();
  bool more = core_.links().resume_drained();
  more = core_.links().end_too_slow() || more;
  // Attempt all operations first, because handlers may change which ones are pending.
  waiting_.attempt_all();
  if (core_.deserted()) {
    waiting_.end_senders(errc::endpoint_stopped);
  }
  more = waiting_.tell_all() || more;
  // A pattern that drops received messages frees space without completing an operation.
  return more || !state.resumable().empty() || !state.too_slow().empty();
}

void turns::end() {
  {
    const scope inside{*this};
    bool more = true;
    for (int round = 0; more && round < turn_policy::max_rounds; ++round) {
      more = serve();
    }
    auto& state = core_.state();
    const auto peers = policy_.writes({.more = more,
                                       .to_write = !state.dirty().empty(),
                                       .sender_waits = waiting_.senders_wait(),
                                       .open = core_.open(),
                                       .now = more ? core_.now() : turn_policy::time_point{}});
    if (peers != 0) {
      flush(peers);
    }
    core_.account();
    more = more || !state.resumable().empty() || !state.too_slow().empty();
    const auto ended = core_.now();
    if (policy_.end(more, !state.dirty().empty(), ended)) {
      post();
    }
    keep_awake(ended);
    waiting_.rest();
  }
  if (core_.ending().finishing()) {
    core_.check_finished();
  }
}

// Without memory, a later turn does the rest.
void turns::end_or_again() {
  try {
    end();
  } catch (const std::bad_alloc&) {
    try {
      post();
    } catch (const std::bad_alloc&) {
      // The next event begins a turn.
    }
    throw;
  }
}

}  // namespace zmtp
