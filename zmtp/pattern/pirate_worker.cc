#include "zmtp/pattern/pirate_worker.h"

#include "zmtp/pattern/call_error.h"
#include "zmtp/pattern/conversation_socket.h"
#include "zmtp/pattern/option_check.h"
#include "zmtp/runtime/completion.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace zmtp {

namespace asio = boost::asio;
using boost::system::error_code;
using clock = std::chrono::steady_clock;

namespace {

std::shared_ptr<server_list> one(std::string_view queue) {
  return std::make_shared<server_list>(std::vector{std::string{queue}});
}

std::vector<std::string> announced(const pirate_worker_options& options) {
  return options.protocol == pirate_protocol::paranoid ? std::vector{std::string{multipart_name}}
                                                       : std::vector<std::string>{};
}

}  // namespace

// Owned by the coroutine of its socket, so that it is destroyed with the context.
class pirate_worker::core final : public request_holder,
                                  public conversation_socket::listener,
                                  public std::enable_shared_from_this<core> {
public:
  core(const asio::any_io_executor& executor, std::string_view queue,
       const pirate_worker_options& options, handler&& on_request, event_handler&& on_event)
      : runtime_{runtime::of(executor)},
        state_{options, runtime_.now()},
        on_request_{std::move(on_request)},
        on_event_{std::move(on_event)},
        socket_{executor, one(queue), options.socket, announced(options), *this} {}

  void start() {
    socket_.start(shared_from_this());
    socket_.look_at_deadline();
  }

  error_code reply(std::uint64_t id, message&& answer) override {
    if (socket_.stopped()) {
      return call_errc::no_request;
    }
    const auto ec = state_.reply(id, std::move(answer), runtime_.now(), actions_);
    carry_out();
    socket_.look_at_deadline();
    return ec;
  }

  void drop(std::uint64_t id) override {
    if (socket_.stopped()) {
      return;
    }
    state_.drop(id, runtime_.now(), actions_);
    carry_out();
    socket_.look_at_deadline();
  }

  void stop() {
    if (!socket_.stopped()) {
      socket_.stop({});
    }
  }

private:
  void on_attached(clock::time_point now) override {
    state_.on_attached(now, actions_);
    carry_out();
  }
  void on_message(message&& m, clock::time_point now) override {
    state_.on_message(std::move(m), now, actions_);
    carry_out();
  }
  void on_detached() override {
    state_.on_detached(actions_);
    carry_out();
  }
  void on_deadline(clock::time_point now) override {
    state_.on_deadline(now, actions_);
    carry_out();
  }
  [[nodiscard]] std::optional<clock::time_point> next_deadline() const override {
    return state_.next_deadline();
  }

  void carry_out() {
    // Handlers may reply, which adds new actions, so take the current ones first.
    auto actions = std::exchange(actions_, {});
    const auto self = shared_from_this();
    for (auto& m : actions.sends) {
      if (!socket_.stopped() && !socket_.send(std::move(m))) {
        // If the queue takes no more messages, treat it as disconnected.
        state_.on_detached(actions);
      }
    }
    if (actions.reopen) {
      socket_.reopen(*actions.reopen);
    }
    for (const auto& event : actions.events) {
      if (on_event_) {
        call_user(socket_.executor(), [&] { on_event_(event); });
      }
    }
    for (auto& r : actions.requests) {
      if (!socket_.stopped()) {
        call_user(socket_.executor(), [&] {
          on_request_(held_request{self, r.id, std::move(r.body)});
        });
      }
    }
  }

  runtime& runtime_;
  pirate_worker_state state_;
  handler on_request_;
  event_handler on_event_;
  pirate_worker_actions actions_;
  conversation_socket socket_;
};

pirate_worker::pirate_worker(asio::any_io_executor executor, std::string_view queue,
                             const pirate_worker_options& options, handler on_request,
                             event_handler on_event) {
  option_check{"pirate_worker", call_errc::bad_call_option}
      .heartbeats(options.heartbeat, options.liveness)
      .duration("reconnect_delay", options.reconnect_delay)
      .duration("longest_reconnect_delay", options.longest_reconnect_delay);
  const auto own =
      std::make_shared<core>(executor, queue, options, std::move(on_request), std::move(on_event));
  core_ = own;
  own->start();
}

pirate_worker::~pirate_worker() { stop(); }

void pirate_worker::stop() {
  if (const auto own = core_.lock()) {
    own->stop();
  }
}

}  // namespace zmtp
