#include "mdp/titanic/client.h"

#include "mdp/client.h"
#include "mdp/titanic/command.h"
#include "zmtp/pattern/option_check.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/runtime/timer.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <optional>
#include <vector>

namespace mdp::titanic {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr auto token = asio::as_tuple(asio::use_awaitable);

// titanic.request stores a second request if it runs twice, so it is resent only to a broker that
// recognizes the repeat.
const request_options once{.timeout = {}, .attempts = {}, .total_timeout = {}, .idempotent = false};
const request_options again{};

mdp::client_options asking(const client_options& options) {
  mdp::client_options chosen;
  chosen.protocol = options.protocol;
  chosen.timeout = options.timeout;
  // All services except titanic.request may run a request twice.
  chosen.idempotent = true;
  chosen.attempts = options.attempts;
  chosen.socket = options.socket;
  return chosen;
}

// Returns whether a later attempt may succeed.
bool passes(error_code ec) {
  return ec == errc::pending || ec == mdp::errc::no_reply || ec == mdp::errc::not_connected ||
         ec == mdp::errc::not_offered || ec == mdp::errc::not_taken || ec == mdp::errc::worker_lost;
}

}  // namespace

class client::core {
public:
  core(const asio::any_io_executor& executor, std::string_view broker,
       const client_options& options, conversation_handlers&& handlers)
      : executor_{executor},
        options_{options},
        client_{executor, broker, asking(options), std::move(handlers)} {}

  [[nodiscard]] const asio::any_io_executor& executor() const noexcept { return executor_; }

  void stop() {
    stopped_ = true;
    client_.stop();
    for (auto* const timer : pauses_) {
      timer->cancel();
    }
  }

  // Stores a request with the id `own`, or with one that Titanic chooses.
  static asio::awaitable<result<std::string>> request(std::shared_ptr<core> self,
                                                      std::optional<request_id> own,
                                                      std::string service, zmtp::message body) {
    co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
    if (const auto fault = check_service(service)) {
      co_return fault;
    }
    body.push_front(service);
    if (own) {
      body.push_front(own->to_string());
    }
    const auto to = own ? submit_service : request_service;
    const auto& how = own ? again : once;
    auto wait = self->options_.least_wait;
    for (unsigned left = std::max(self->options_.attempts, 1U);; --left) {
      auto [ec, reply] = co_await self->client_.async_request(std::string{to}, body, how, token);
      if (ec) {
        co_return ec;
      }
      auto id = parse_accepted(reply);
      if (id && own && request_id::parse(*id) != own) {
        co_return errc::bad_reply;
      }
      if (id || id.error() != errc::not_stored || left == 1) {
        co_return id;
      }
      if (!co_await pause(*self, wait)) {
        co_return asio::error::operation_aborted;
      }
    }
  }

  static asio::awaitable<result<zmtp::message>> reply(std::shared_ptr<core> self, std::string id,
                                                      bool wait_for_it) {
    co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
    auto wait = self->options_.least_wait;
    while (true) {
      zmtp::message body{id};
      auto [ec, answer] =
          co_await self->client_.async_request(std::string{reply_service}, std::move(body), token);
      auto got = ec ? result<zmtp::message>{ec} : parse_reply(std::move(answer));
      if (got || !wait_for_it || !passes(got.error())) {
        co_return got;
      }
      if (!co_await pause(*self, wait)) {
        co_return asio::error::operation_aborted;
      }
    }
  }

  static asio::awaitable<error_code> close(std::shared_ptr<core> self, std::string id) {
    co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
    zmtp::message body{id};
    const auto [ec, answer] =
        co_await self->client_.async_request(std::string{close_service}, std::move(body), token);
    if (ec) {
      co_return ec;
    }
    const auto closed = parse_closed(answer);
    co_return closed ? error_code{} : closed.error();
  }

private:
  // Returns false if the pause was interrupted. Doubles `wait`.
  static asio::awaitable<bool> pause(core& of, std::chrono::milliseconds& wait) {
    if (of.stopped_) {
      co_return false;
    }
    zmtp::timer timer{of.executor_};
    timer.expires_after(wait);
    wait = std::min(2 * wait, of.options_.most_wait);
    of.pauses_.push_back(&timer);
    const auto [ec] = co_await timer.async_wait(token);
    std::erase(of.pauses_, &timer);
    co_return !ec;
  }

  asio::any_io_executor executor_;
  client_options options_;
  mdp::client client_;
  std::vector<zmtp::timer*> pauses_;
  bool stopped_ = false;
};

namespace {

// Runs a coroutine that the handler's slot can cancel, then calls the handler with the result.
template <class Handler, class Value, class Complete>
void run(const asio::any_io_executor& executor, Handler&& handler, asio::awaitable<Value>&& what,
         Complete complete) {
  const auto slot = asio::get_associated_cancellation_slot(handler.erased());
  auto work = zmtp::work_elsewhere(executor, handler);
  asio::co_spawn(executor, std::move(what),
                 asio::bind_cancellation_slot(
                     slot, [executor, complete, work = std::move(work), h = std::move(handler)](
                               const std::exception_ptr& thrown, Value value) mutable {
                       zmtp::rethrow(thrown);
                       complete(executor, std::move(h), std::move(value));
                     }));
}

constexpr auto complete_with_result = [](const auto& executor, auto&& handler, auto&& value) {
  const auto ec = value ? error_code{} : value.error();
  using content = typename std::remove_cvref_t<decltype(value)>::value_type;
  zmtp::complete_now(executor, std::move(handler), ec, value ? std::move(*value) : content{});
};

}  // namespace

client::client(asio::any_io_executor executor, std::string_view broker,
               const client_options& options, conversation_handlers handlers) {
  zmtp::option_check{"titanic client", mdp::errc::bad_option}
      .duration("timeout", options.timeout)
      .number("attempts", options.attempts)
      .duration("least_wait", options.least_wait)
      .duration("most_wait", options.most_wait);
  core_ = std::make_shared<core>(executor, broker, options, std::move(handlers));
}

client::~client() { stop(); }

void client::stop() { core_->stop(); }

void client::start_request(std::string&& service, zmtp::message&& body, id_handler&& handler) {
  run(core_->executor(), std::move(handler),
      core::request(core_, std::nullopt, std::move(service), std::move(body)),
      complete_with_result);
}

void client::start_submit(request_id id, std::string&& service, zmtp::message&& body,
                          code_handler&& handler) {
  run(core_->executor(), std::move(handler),
      core::request(core_, id, std::move(service), std::move(body)),
      [](const auto& executor, auto&& h, const result<std::string>& stored) {
        zmtp::complete_now(executor, std::move(h), stored ? error_code{} : stored.error());
      });
}

void client::start_reply(std::string&& id, bool wait, reply_handler&& handler) {
  run(core_->executor(), std::move(handler), core::reply(core_, std::move(id), wait),
      complete_with_result);
}

void client::start_close(std::string&& id, code_handler&& handler) {
  run(core_->executor(), std::move(handler), core::close(core_, std::move(id)),
      [](const auto& executor, auto&& h, error_code ec) {
        zmtp::complete_now(executor, std::move(h), ec);
      });
}

}  // namespace mdp::titanic
