#include "mdp/worker.h"

#include "mdp/announcement.h"
#include "mdp/worker_state.h"
#include "zmtp/error.h"
#include "zmtp/pattern/conversation_socket.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/runtime/timer.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <optional>
#include <utility>

namespace mdp {

namespace asio = boost::asio;
using boost::system::error_code;
using clock = std::chrono::steady_clock;

// The side of a worker that its requests use.
class worker_request::sender {
public:
  virtual ~sender() = default;
  virtual error_code reply(std::uint64_t id, zmtp::message&& answer, bool final) = 0;
  virtual error_code give_back(std::uint64_t id, nack_reason reason) = 0;
};

worker_request::~worker_request() { static_cast<void>(fail()); }

error_code worker_request::refuse() { return give_back(nack_reason::refused); }

error_code worker_request::fail() { return give_back(nack_reason::failed); }

error_code worker_request::give_back(nack_reason reason) {
  const auto to = to_.lock();
  return to ? to->give_back(id_, reason) : make_error_code(errc::no_request);
}

error_code worker_request::reply(zmtp::message answer) {
  const auto to = to_.lock();
  return to ? to->reply(id_, std::move(answer), true) : make_error_code(errc::no_request);
}

error_code worker_request::reply_in_part(zmtp::message answer) {
  const auto to = to_.lock();
  return to ? to->reply(id_, std::move(answer), false) : make_error_code(errc::no_request);
}

// Owned by the coroutine of its socket, so the execution context destroys it.
class worker::core final : public worker_request::sender,
                           public zmtp::conversation_socket::listener,
                           public std::enable_shared_from_this<core> {
public:
  core(const asio::any_io_executor& executor, std::string_view broker,
       const worker_options& options, handler on_request, conversation_handlers&& handlers)
      : runtime_{zmtp::runtime::of(executor)},
        state_{options},
        on_request_{std::move(on_request)},
        handlers_{std::move(handlers)},
        drain_end_{executor, [this] { stop(zmtp::errc::timed_out); }},
        socket_{executor,
                std::make_shared<zmtp::server_list>(std::vector<std::string>{std::string{broker}}),
                options.socket, announce(options), *this} {}

  void start() { socket_.start(shared_from_this()); }

  error_code reply(std::uint64_t id, zmtp::message&& answer, bool final) override {
    const auto now = runtime_.now();
    const auto ec = final ? state_.reply(id, std::move(answer), now, actions_)
                          : state_.reply_in_part(id, std::move(answer), now, actions_);
    carry_out();
    return ec;
  }

  error_code give_back(std::uint64_t id, nack_reason reason) override {
    const auto ec = state_.give_back(id, reason, runtime_.now(), actions_);
    carry_out();
    return ec;
  }

  // `why` completes a drain in progress.
  void stop(error_code why) {
    if (!socket_.stopped()) {
      state_.stop(actions_);
      carry_out();
      socket_.stop({});
    }
    tell_drained(why);
  }

  void drain(zmtp::deadline until, drain_handler&& handler) {
    if (socket_.stopped() || on_drained_) {
      zmtp::complete_later(socket_.executor(), std::move(handler),
                           error_code{asio::error::operation_aborted});
      return;
    }
    on_drained_.emplace(std::move(handler));
    drain_until_ = until.at(runtime_);
    drain_end_.set(drain_until_);
    state_.drain(runtime_.now(), actions_);
    carry_out();
  }

private:
  void on_attached(clock::time_point now) override {
    const auto broker = parse_broker_announcement(socket_.announced());
    state_.on_attached(broker.nack, now, actions_, broker.principals);
    carry_out();
  }
  void on_message(zmtp::message&& m, clock::time_point now) override {
    zmtp::tell_user(socket_.executor(), handlers_.on_received, m);
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
    // A handler may reply, which appends new actions.
    auto actions = std::exchange(actions_, {});
    for (auto& m : actions.sends) {
      zmtp::tell_user(socket_.executor(), handlers_.on_send, m);
      if (!socket_.send(std::move(m))) {
        // The broker does not read. Treated as a lost connection.
        state_.on_detached(actions);
      }
    }
    if (actions.reopen) {
      socket_.reopen(*actions.reopen);
      zmtp::tell_user(socket_.executor(), handlers_.on_lost);
    }
    const auto self = shared_from_this();
    if (actions.drained && !socket_.stopped()) {
      socket_.finish(drain_until_, [self](error_code ec) { self->tell_drained(ec); });
    }
    for (auto& r : actions.requests) {
      if (!socket_.stopped()) {
        zmtp::call_user(socket_.executor(), [&] {
          on_request_({self, r.id, std::move(r.body), std::move(r.principal)});
        });
      }
    }
  }

  void tell_drained(error_code ec) {
    drain_end_.cancel();
    if (auto notified = std::exchange(on_drained_, std::nullopt)) {
      zmtp::complete_later(socket_.executor(), std::move(*notified), ec);
    }
  }

  zmtp::runtime& runtime_;
  worker_state state_;
  handler on_request_;
  const conversation_handlers handlers_;
  std::optional<drain_handler> on_drained_;
  worker_actions actions_;
  std::optional<clock::time_point> drain_until_;
  zmtp::alarm drain_end_;
  zmtp::conversation_socket socket_;
};

namespace {

// Each request runs a coroutine that shares ownership of the user's function.
worker::handler answered_by(const asio::any_io_executor& executor, worker::coroutine&& answer) {
  const auto kept = std::make_shared<const worker::coroutine>(std::move(answer));
  return [executor, kept](worker_request request) {
    const auto run = [](std::shared_ptr<const worker::coroutine> of,
                        worker_request in_flight) -> asio::awaitable<void> {
      auto body = std::move(in_flight.body());
      try {
        auto reply = co_await (*of)(std::move(body));
        // A late reply fails without effect, because the handler cannot prevent it. A reply without
        // parts leaves the request unanswered, and its destructor fails it.
        static_cast<void>(in_flight.reply(std::move(reply)));
      } catch (const boost::system::system_error& e) {
        if (e.code() == errc::request_refused) {
          static_cast<void>(in_flight.refuse());
        } else if (e.code() == errc::request_failed) {
          static_cast<void>(in_flight.fail());
        } else {
          throw;
        }
      }
    };
    asio::co_spawn(executor, run(kept, std::move(request)), zmtp::rethrow);
  };
}

}  // namespace

worker::worker(asio::any_io_executor executor, std::string_view broker,
               const worker_options& options, handler on_request, conversation_handlers handlers)
    : executor_{executor} {
  check(options);
  const auto own =
      std::make_shared<core>(executor, broker, options, std::move(on_request), std::move(handlers));
  core_ = own;
  own->start();
}

worker::worker(asio::any_io_executor executor, std::string_view broker,
               const worker_options& options, coroutine answer, conversation_handlers handlers)
    : worker{executor, broker, options, answered_by(executor, std::move(answer)),
             std::move(handlers)} {}

worker::~worker() { stop(); }

void worker::stop() {
  if (const auto own = core_.lock()) {
    own->stop(asio::error::operation_aborted);
  }
}

void worker::start_drain(zmtp::deadline until, drain_handler on_drained) {
  if (const auto own = core_.lock()) {
    own->drain(until, std::move(on_drained));
  } else {
    zmtp::complete_later(executor_, std::move(on_drained),
                         error_code{asio::error::operation_aborted});
  }
}

}  // namespace mdp
