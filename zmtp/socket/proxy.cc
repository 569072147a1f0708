#include "zmtp/socket/proxy.h"

#include "zmtp/message_batch.h"
#include "zmtp/routing/proxy_state.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/runtime/timer.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <array>
#include <cassert>
#include <exception>
#include <new>
#include <utility>

namespace zmtp {

namespace {

using direction = proxy_state::direction;

constexpr auto token = asio::as_tuple(asio::use_awaitable);

// Starts an operation with `start`, and cancels it on `interruption`.
template <class Signature, class Start>
auto wait(asio::cancellation_signal& interruption, Start start) {
  return asio::async_initiate<decltype(token), Signature>(
      [&interruption](auto handler, const Start& begin) {
        begin(completion_handler<Signature>{
            asio::bind_cancellation_slot(interruption.slot(), std::move(handler))});
      },
      token, start);
}

auto wait_readable(asio::cancellation_signal& interruption, any_source& from) {
  return wait<void(error_code)>(interruption,
                                [&from](done_handler h) { from.wait_readable(std::move(h)); });
}

auto wait_writable(asio::cancellation_signal& interruption, any_sink& to) {
  return wait<void(error_code)>(interruption,
                                [&to](done_handler h) { to.wait_writable(std::move(h)); });
}

auto send(asio::cancellation_signal& interruption, any_sink& to, message_batch& what) {
  return wait<void(error_code, std::size_t)>(
      interruption, [&to, &what](count_done_handler h) { to.send(what, std::move(h)); });
}

}  // namespace

// Outlives the proxy object until the loops of its run have ended.
class proxy::core : public std::enable_shared_from_this<core> {
public:
  struct lane {
    std::unique_ptr<any_source> from;
    std::unique_ptr<any_sink> to;
    asio::cancellation_signal interruption;
  };
  struct control_lane : lane {
    message_batch commands;  // received, and not executed yet
    bool answers_all = false;
  };

  explicit core(asio::any_io_executor on) : executor{std::move(on)}, resumed_{executor} {}

  [[nodiscard]] lane& lane_of(direction way) noexcept {
    return lanes_[static_cast<std::size_t>(way)];
  }
  void connect(direction way, std::unique_ptr<any_source> from, std::unique_ptr<any_sink> to) {
    assert(from->executor() == executor && "a proxy's sockets have one executor");
    auto& l = lane_of(way);
    l.from = std::move(from);
    l.to = std::move(to);
  }

  void start(done_handler&& handler);
  void end(error_code why) {
    state.end(why);
    interrupt();
  }
  // Makes every waiting loop check the state again.
  void interrupt() {
    resumed_.cancel();
    for (auto* const l : {&lanes_[0], &lanes_[1], static_cast<lane*>(&control)}) {
      l->interruption.emit(asio::cancellation_type::terminal);
    }
  }

  const asio::any_io_executor executor;
  proxy_state state;
  std::unique_ptr<any_sink> capture;
  control_lane control;

private:
  class run;

  void spawn(const std::shared_ptr<run>& of, asio::awaitable<void> loop);
  asio::awaitable<void> forward(direction way);
  asio::awaitable<void> obey();
  bool receive(direction way);
  void move(direction way);

  timer resumed_;  // a condition: cancel() resumes the loops
  std::array<lane, 2> lanes_;
  std::weak_ptr<run> current_;
};

// One async_run(). Its loops own the run, and the run owns the core. When the context is destroyed,
// the loops are destroyed, and the run and its handler with them.
class proxy::core::run {
public:
  run(std::shared_ptr<core> of, done_handler&& handler)
      : core_{std::move(of)},
        work_elsewhere_{work_elsewhere(core_->executor, handler)},
        handler_{std::move(handler)} {}

  void begin_loop() noexcept { ++loops_; }
  void end_loop() {
    if (--loops_ != 0) {
      core_->interrupt();
      return;
    }
    asio::get_associated_cancellation_slot(handler_.erased()).clear();
    const auto own = core_;
    own->current_.reset();
    complete_now(own->executor, std::move(handler_), own->state.reason());
  }

private:
  std::shared_ptr<core> core_;
  asio::any_io_executor work_elsewhere_;
  done_handler handler_;
  int loops_ = 0;
};

void proxy::core::start(done_handler&& handler) {
  if (!current_.expired()) {
    complete_later(executor, std::move(handler), asio::error::already_started);
    return;
  }
  if (auto slot = asio::get_associated_cancellation_slot(handler.erased()); slot.is_connected()) {
    slot.assign([weak = weak_from_this()](asio::cancellation_type type) {
      if (const auto self = weak.lock(); self && type != asio::cancellation_type::none) {
        self->end(asio::error::operation_aborted);
      }
    });
  }
  state.begin();
  const auto own = std::make_shared<run>(shared_from_this(), std::move(handler));
  current_ = own;
  for (const auto way : {direction::to_backend, direction::to_frontend}) {
    if (lane_of(way).from) {
      spawn(own, forward(way));
    }
  }
  // Started after the other loops. Those do not end before they have waited, so the run cannot end
  // here.
  if (control.from) {
    spawn(own, obey());
  }
}

void proxy::core::spawn(const std::shared_ptr<run>& of, asio::awaitable<void> loop) {
  of->begin_loop();
  asio::co_spawn(executor, std::move(loop), [of, this](const std::exception_ptr& thrown) {
    if (thrown) {
      end(asio::error::no_memory);
    }
    of->end_loop();
    rethrow(thrown);
  });
}

asio::awaitable<void> proxy::core::forward(direction way) {
  using step = proxy_state::step;
  auto& [from, to, interruption] = lane_of(way);
  while (state.running()) {
    switch (state.next(way, from->readable(), to->writable())) {
      case step::rest: {
        co_await resumed_.async_wait(token);
        break;
      }
      case step::copy: {
        const auto [ec, count] = co_await send(interruption, *capture, state.copies(way));
        state.on_copied(way, ec);
        break;
      }
      case step::deliver: {
        const auto [ec, count] = co_await send(interruption, *to, state.in_flight(way));
        state.on_delivered(way, ec);
        break;
      }
      case step::await_message: {
        const auto [ec] = co_await wait_readable(interruption, *from);
        state.on_waited(ec);
        break;
      }
      case step::await_room: {
        const auto [ec] = co_await wait_writable(interruption, *to);
        state.on_waited(ec);
        break;
      }
      case step::move: move(way); break;
    }
  }
}

// Also counts messages that were received before memory ran out. The next run forwards them.
bool proxy::core::receive(direction way) {
  try {
    (void)lane_of(way).from->try_receive(state.in_flight(way));
  } catch (const std::bad_alloc&) {
    state.on_received(way);
    throw;
  }
  state.on_received(way);
  return !state.in_flight(way).empty();
}

// Forwards a batch as it was received. A part that a side does not take now is delivered later.
void proxy::core::move(direction way) {
  auto& l = lane_of(way);
  auto& batch = state.in_flight(way);
  if (!receive(way)) {
    return;
  }
  if (capture) {
    auto& copies = state.copies(way);
    copies.append(batch);
    (void)capture->try_send(copies);
    state.on_copied(way, {});
  }
  (void)l.to->try_send(batch);
  state.on_delivered(way, {});
}

asio::awaitable<void> proxy::core::obey() {
  auto& commands = control.commands;
  message_batch answers;
  while (state.running()) {
    if (commands.empty() && !control.from->try_receive(commands)) {
      const auto [ec] = co_await wait_readable(control.interruption, *control.from);
      state.on_waited(ec);
      continue;
    }
    const auto command = commands.front().to_message();
    commands.pop_front();
    if (command.empty()) {
      // A notice that a peer attached or detached.
      continue;
    }
    auto answer = state.on_command(command, control.answers_all);
    if (answer && control.to) {
      answers.append(std::move(*answer));
      (void)control.to->try_send(answers);
    }
    interrupt();
    if (!answers.empty() && state.running()) {
      co_await send(control.interruption, *control.to, answers);
    }
    answers.clear();
  }
}

proxy::proxy(asio::any_io_executor executor) : core_{std::make_shared<core>(std::move(executor))} {}

proxy& proxy::operator=(proxy&& other) noexcept {
  if (this != &other) {
    const proxy before{std::move(*this)};
    core_ = std::move(other.core_);
  }
  return *this;
}

proxy::~proxy() {
  if (core_) {
    core_->end(asio::error::operation_aborted);
  }
}

void proxy::forward_to_backend(std::unique_ptr<any_source> from, std::unique_ptr<any_sink> to) {
  core_->connect(direction::to_backend, std::move(from), std::move(to));
}

void proxy::forward_to_frontend(std::unique_ptr<any_source> from, std::unique_ptr<any_sink> to) {
  core_->connect(direction::to_frontend, std::move(from), std::move(to));
}

void proxy::set_capture(std::unique_ptr<any_sink> capture) { core_->capture = std::move(capture); }

void proxy::set_control(std::unique_ptr<any_source> commands, std::unique_ptr<any_sink> answers,
                        bool answers_all) {
  core_->control.from = std::move(commands);
  core_->control.commands.clear();
  core_->control.to = std::move(answers);
  core_->control.answers_all = answers_all;
}

void proxy::start(done_handler&& handler) { core_->start(std::move(handler)); }

void proxy::pause() {
  core_->state.pause();
  core_->interrupt();
}

void proxy::resume() {
  core_->state.resume();
  core_->interrupt();
}

void proxy::terminate() { core_->end({}); }

proxy::executor_type proxy::get_executor() const { return core_->executor; }

const proxy_statistics& proxy::statistics() const noexcept { return core_->state.statistics(); }

}  // namespace zmtp
