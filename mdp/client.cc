#include "mdp/client.h"

#include "mdp/announcement.h"
#include "mdp/client_state.h"
#include "mdp/idle_connections_state.h"
#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/pattern/conversation_socket.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/runtime/runtime.h"

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace mdp {

namespace asio = boost::asio;
using boost::system::error_code;
using clock = std::chrono::steady_clock;

outcome outcome_of(const error_code& ec) noexcept {
  if (!ec) {
    return outcome::answered;
  }
  const bool maybe = ec == errc::no_reply || ec == errc::reply_cut_short ||
                     ec == errc::worker_lost || ec == errc::request_failed ||
                     ec == errc::reply_too_large || ec == errc::broker_replaced ||
                     ec == errc::request_forgotten || ec == asio::error::operation_aborted;
  const bool unsent = ec == errc::not_connected || ec == errc::request_in_flight ||
                      ec == errc::no_service || ec == errc::service_too_long ||
                      ec == errc::no_body || ec == errc::too_many_frames || ec == errc::bad_option;
  return maybe ? outcome::unknown : unsent ? outcome::not_sent : outcome::refused;
}

namespace {

request_key random_key(zmtp::runtime& of) {
  request_key key{};
  of.random(std::as_writable_bytes(std::span{key}));
  return key;
}

using place_number = idle_connections_state::connection;

// Owns the connections of a client. A place is the index of a connection.
class connection_owner {
public:
  // The request of the connection has ended. Called before the handler of the request, which may
  // start another.
  virtual void on_idle(place_number place, clock::time_point now) = 0;
  // The connection has been idle for client_options::idle_time.
  virtual void close_idle(clock::time_point now) = 0;

protected:
  ~connection_owner() = default;
};

}  // namespace

// A connection, reopened as client_state says, with at most one request. The coroutine of the
// socket owns this object, so the execution context destroys the object and the handler of the
// request.
class client::conversation final : public zmtp::conversation_socket::listener,
                                   public std::enable_shared_from_this<conversation> {
public:
  conversation(const asio::any_io_executor& executor, std::shared_ptr<zmtp::server_list> brokers,
               const client_options& options, std::shared_ptr<const conversation_handlers> handlers,
               std::weak_ptr<connection_owner> owner, place_number place)
      : runtime_{zmtp::runtime::of(executor)},
        state_{options, runtime_.random<std::uint32_t>(), random_key(runtime_)},
        handlers_{std::move(handlers)},
        idle_time_{options.idle_time},
        owner_{std::move(owner)},
        place_{place},
        socket_{executor, std::move(brokers), options.socket, announce_client(), *this} {}

  void start() { socket_.start(shared_from_this()); }

  void ask(std::string_view service, zmtp::message&& body, const request_options& how,
           partial_handler&& on_partial, reply_handler&& handler) {
    if (const auto ec = state_.ask(service, std::move(body), how, runtime_.now(), actions_)) {
      on_idle(runtime_.now());
      socket_.look_at_deadline();
      zmtp::complete_later(socket_.executor(), std::move(handler), ec, zmtp::message{});
      return;
    }
    idle_until_.reset();
    auto work = zmtp::work_elsewhere(socket_.executor(), handler);
    request_.reset(new request{std::move(handler), std::move(on_partial), std::move(work)});
    if (auto slot = asio::get_associated_cancellation_slot(request_->handler.erased());
        slot.is_connected()) {
      slot.assign([self = weak_from_this()](asio::cancellation_type type) {
        if (const auto one = self.lock(); one && type != asio::cancellation_type::none) {
          one->cancel();
        }
      });
    }
    carry_out();
    socket_.look_at_deadline();
  }

  void stop() {
    if (request_) {
      finish_later(asio::error::operation_aborted);
    }
    socket_.stop(std::chrono::milliseconds{0});
  }

private:
  struct request {
    reply_handler handler;
    partial_handler on_partial;
    asio::any_io_executor work_elsewhere;
  };

  void cancel() {
    state_.cancel(actions_);
    finish_later(asio::error::operation_aborted);
    carry_out();
    socket_.look_at_deadline();
  }

  void on_attached(clock::time_point now) override {
    state_.on_attached(parse_broker_announcement(socket_.announced()), now, actions_);
    carry_out();
  }
  void on_message(zmtp::message&& m, clock::time_point now) override {
    zmtp::tell_user(socket_.executor(), handlers_->on_received, m);
    state_.on_message(std::move(m), now, actions_);
    carry_out();
  }
  void on_detached() override {
    state_.on_detached(actions_);
    carry_out();
  }
  void on_unreachable() override {
    state_.on_unreachable(actions_);
    carry_out();
  }
  void on_deadline(clock::time_point now) override {
    state_.on_deadline(now, actions_);
    carry_out();
    if (idle_until_ && *idle_until_ <= now) {
      idle_until_.reset();
      if (const auto owner = owner_.lock()) {
        owner->close_idle(now);
      }
    }
  }
  [[nodiscard]] std::optional<clock::time_point> next_deadline() const override {
    return idle_until_ ? idle_until_ : state_.next_deadline();
  }

  void on_idle(clock::time_point now) {
    idle_until_ = now + idle_time_;
    if (const auto owner = owner_.lock()) {
      owner->on_idle(place_, now);
    }
  }

  void carry_out() {
    // A handler may start the next request, which appends new actions.
    const auto self = shared_from_this();
    auto actions = std::exchange(actions_, {});
    if (actions.reopen) {
      if (actions.reopen->elsewhere) {
        socket_.leave_server();
      }
      socket_.reopen(actions.reopen->delay);
      if (state_.in_flight()) {
        zmtp::tell_user(socket_.executor(), handlers_->on_lost);
      }
    }
    for (auto& m : actions.sends) {
      zmtp::tell_user(socket_.executor(), handlers_->on_send, m);
      // If the connection takes no message, no reply arrives, and the timeout ends the attempt.
      static_cast<void>(socket_.send(std::move(m)));
    }
    for (auto& part : actions.partials) {
      // The handler may end the request.
      if (const auto kept = request_; kept && kept->on_partial) {
        zmtp::call_user(socket_.executor(), [&] { kept->on_partial(std::move(part)); });
      }
    }
    if (actions.reply) {
      finish({}, std::move(*actions.reply));
    } else if (actions.failure) {
      finish(*actions.failure, {});
    }
  }

  void finish(error_code ec, zmtp::message&& reply) {
    if (const auto done = take_request()) {
      zmtp::complete_now(socket_.executor(), std::move(done->handler), ec, std::move(reply));
    }
  }

  void finish_later(error_code ec) {
    if (const auto done = take_request()) {
      zmtp::complete_later(socket_.executor(), std::move(done->handler), ec, zmtp::message{});
    }
  }

  std::shared_ptr<request> take_request() {
    if (request_) {
      asio::get_associated_cancellation_slot(request_->handler.erased()).clear();
      on_idle(runtime_.now());
    }
    return std::move(request_);
  }

  zmtp::runtime& runtime_;
  client_state state_;
  const std::shared_ptr<const conversation_handlers> handlers_;
  const std::chrono::milliseconds idle_time_;
  const std::weak_ptr<connection_owner> owner_;
  const place_number place_;
  std::optional<clock::time_point> idle_until_;
  client_actions actions_;
  std::shared_ptr<request> request_;
  zmtp::conversation_socket socket_;
};

class client::core final : public connection_owner, public std::enable_shared_from_this<core> {
public:
  core(const asio::any_io_executor& executor, std::vector<std::string> brokers,
       const client_options& options, conversation_handlers&& handlers)
      : executor_{executor},
        brokers_{std::make_shared<zmtp::server_list>(std::move(brokers))},
        options_{options},
        handlers_{std::make_shared<const conversation_handlers>(std::move(handlers))},
        idle_{options.idle_connections, options.idle_time} {}

  // Opens the first connection before the first request.
  void open() {
    const auto place = free_place();
    static_cast<void>(add(place));
    on_idle(place, zmtp::runtime::of(executor_).now());
  }

  [[nodiscard]] const asio::any_io_executor& executor() const noexcept { return executor_; }

  // Returns a connection without a request, or null after stop().
  std::shared_ptr<conversation> take() {
    if (stopped_) {
      return nullptr;
    }
    while (const auto place = idle_.take()) {
      if (auto found = conversations_[*place].lock()) {
        return found;
      }
      free_.push_back(*place);
    }
    return add(free_place());
  }

  void stop() {
    stopped_ = true;
    for (const auto& one : std::exchange(conversations_, {})) {
      if (const auto found = one.lock()) {
        found->stop();
      }
    }
  }

private:
  [[nodiscard]] place_number free_place() {
    if (free_.empty()) {
      conversations_.emplace_back();
      return static_cast<place_number>(conversations_.size() - 1);
    }
    const auto place = free_.back();
    free_.pop_back();
    return place;
  }

  std::shared_ptr<conversation> add(place_number place) {
    auto added = std::make_shared<conversation>(executor_, brokers_, options_, handlers_,
                                                weak_from_this(), place);
    conversations_[place] = added;
    added->start();
    return added;
  }

  void on_idle(place_number place, clock::time_point now) override {
    if (!stopped_) {
      idle_.put(place, now);
    }
  }

  void close_idle(clock::time_point now) override {
    while (const auto place = idle_.take_due(now)) {
      if (const auto due = std::exchange(conversations_[*place], {}).lock()) {
        due->stop();
      }
      free_.push_back(*place);
    }
  }

  asio::any_io_executor executor_;
  std::shared_ptr<zmtp::server_list> brokers_;
  client_options options_;
  std::shared_ptr<const conversation_handlers> handlers_;
  std::vector<std::weak_ptr<conversation>> conversations_;  // by place
  std::vector<place_number> free_;                          // free places
  idle_connections_state idle_;
  bool stopped_ = false;
};

client::client(asio::any_io_executor executor, std::string_view broker,
               const client_options& options, conversation_handlers handlers)
    : client{std::move(executor), std::vector<std::string>{std::string{broker}}, options,
             std::move(handlers)} {}

client::client(asio::any_io_executor executor, std::vector<std::string> brokers,
               const client_options& options, conversation_handlers handlers) {
  // Brokers that the client connects to later must not fail then.
  for (const auto& broker : brokers) {
    if (const auto to = zmtp::endpoint::parse(broker); !to || !to->connectable()) {
      throw boost::system::system_error{to ? zmtp::errc::bad_endpoint : to.error(),
                                        "cannot connect to " + broker};
    }
  }
  if (brokers.empty()) {
    throw boost::system::system_error{zmtp::errc::bad_endpoint, "client without a broker"};
  }
  check(options);
  core_ = std::make_shared<core>(executor, std::move(brokers), options, std::move(handlers));
  core_->open();
}

client::~client() { stop(); }

void client::stop() { core_->stop(); }

void client::start(std::string&& service, zmtp::message&& body, const request_options& how,
                   partial_handler&& on_partial, reply_handler&& handler) {
  if (const auto free = core_->take()) {
    free->ask(service, std::move(body), how, std::move(on_partial), std::move(handler));
  } else {
    zmtp::complete_later(core_->executor(), std::move(handler),
                         error_code{asio::error::operation_aborted}, zmtp::message{});
  }
}

}  // namespace mdp
