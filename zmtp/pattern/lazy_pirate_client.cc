#include "zmtp/pattern/lazy_pirate_client.h"

#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/pattern/call_error.h"
#include "zmtp/pattern/option_check.h"
#include "zmtp/pattern/server_list.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/runtime/timer.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <cstdint>

namespace zmtp {

namespace asio = boost::asio;
using boost::system::system_error;

namespace {

socket_options fresh_options(socket_options options) {
  // The requests of ended attempts must not be sent any more. A request that no connection took was
  // not sent.
  options.linger = std::chrono::milliseconds{0};
  options.immediate = true;
  return options;
}

}  // namespace

class lazy_pirate_client::core : public std::enable_shared_from_this<core> {
public:
  core(const asio::any_io_executor& executor, std::vector<std::string>&& servers,
       const lazy_pirate_options& options, lazy_pirate_handlers&& handlers)
      : executor_{executor},
        runtime_{runtime::of(executor)},
        servers_{std::move(servers)},
        handlers_{std::move(handlers)},
        options_{fresh_options(options.socket)},
        state_{servers_.size(), {options.timeout, options.pause, options.attempts}},
        alarm_{executor, [this] { on_time(); }} {}

  void start(message&& body, deadline until, answer_handler&& handler) {
    auto refusal = error_code{};
    lazy_pirate_actions actions;
    if (stopped_) {
      refusal = asio::error::operation_aborted;
    } else if (body.empty()) {
      refusal = errc::bad_message;
    } else {
      refusal = state_.ask(runtime_.now(), until.at(runtime_), actions);
    }
    if (refusal) {
      complete_later(executor_, std::move(handler), refusal, message{});
      return;
    }
    body_ = std::move(body);
    auto work = work_elsewhere(executor_, handler);
    request_.reset(new request{std::move(handler), std::move(work)});
    if (auto slot = asio::get_associated_cancellation_slot(request_->handler.erased());
        slot.is_connected()) {
      slot.assign([self = weak_from_this()](asio::cancellation_type type) {
        if (const auto own = self.lock(); own && type != asio::cancellation_type::none) {
          own->cancel();
        }
      });
    }
    carry_out(actions);
    alarm_.set(state_.next_deadline());
  }

  void stop() {
    stopped_ = true;
    cancel();
    close();
    alarm_.cancel();
  }

  [[nodiscard]] std::string_view server() const noexcept { return servers_[state_.server()]; }

private:
  struct request {
    answer_handler handler;
    asio::any_io_executor work_elsewhere;
  };

  void cancel() {
    if (request_) {
      lazy_pirate_actions actions;
      state_.cancel(actions);
      carry_out(actions);
      finish(asio::error::operation_aborted, {});
    }
  }

  void on_time() {
    const auto self = shared_from_this();  // the user may destroy the client
    lazy_pirate_actions actions;
    state_.on_deadline(runtime_.now(), actions);
    carry_out(actions);
    alarm_.set(state_.next_deadline());
  }

  void carry_out(const lazy_pirate_actions& actions) {
    tell(actions.lost);
    if (actions.close) {
      close();
    }
    tell(actions.asking);
    if (!request_) {
      return;  // the handler has cancelled the request
    }
    if (actions.open) {
      socket_.emplace(executor_, options_);
      socket_->connect(servers_[*actions.open]);
    }
    if (actions.send) {
      send();
    }
    if (actions.failure) {
      finish(*actions.failure, {});
    }
  }

  void tell(const std::optional<attempt_event>& event) {
    if (event && handlers_.on_attempt) {
      call_user(executor_, [&] { handlers_.on_attempt(*event, servers_[event->server]); });
    }
  }

  // Pending operations of the old socket have no effect any more.
  void close() {
    ++socket_number_;
    socket_.reset();
  }

  void send() {
    auto copy = body_;
    socket_->async_send(
        std::move(copy), [self = weak_from_this(), on = socket_number_](error_code ec) {
          if (const auto own = self.lock(); own && !ec && own->socket_number_ == on) {
            own->state_.on_sent();
            own->receive();
          }
        });
  }

  void receive() {
    socket_->async_receive(
        [self = weak_from_this(), on = socket_number_](error_code ec, message&& answer) {
          if (const auto own = self.lock(); own && !ec && own->socket_number_ == on) {
            own->on_answer(std::move(answer));
          }
        });
  }

  void on_answer(message&& answer) {
    auto good = !handlers_.accept;
    if (handlers_.accept) {
      call_user(executor_, [&] { good = handlers_.accept(answer); });
    }
    if (good && request_) {
      state_.on_answer();
      finish({}, std::move(answer));
    }
  }

  void finish(error_code ec, message&& answer) {
    body_.clear();
    const auto done = std::move(request_);
    asio::get_associated_cancellation_slot(done->handler.erased()).clear();
    complete_later(executor_, std::move(done->handler), ec, std::move(answer));
  }

  asio::any_io_executor executor_;
  runtime& runtime_;
  std::vector<std::string> servers_;
  lazy_pirate_handlers handlers_;
  const socket_options options_;
  lazy_pirate_state state_;
  std::optional<req_socket> socket_;
  std::uint64_t socket_number_ = 0;
  message body_;
  std::unique_ptr<request> request_;
  alarm alarm_;
  bool stopped_ = false;
};

lazy_pirate_client::lazy_pirate_client(asio::any_io_executor executor,
                                       std::vector<std::string> servers,
                                       const lazy_pirate_options& options,
                                       lazy_pirate_handlers handlers) {
  check_servers(servers, "lazy_pirate_client");
  option_check{"lazy_pirate_client", call_errc::bad_call_option}
      .duration("timeout", options.timeout)
      .number("attempts", options.attempts)
      .duration("pause", options.pause, std::chrono::milliseconds{0});
  core_ = std::make_shared<core>(executor, std::move(servers), options, std::move(handlers));
}

lazy_pirate_client::~lazy_pirate_client() { stop(); }

std::string_view lazy_pirate_client::server() const noexcept { return core_->server(); }

void lazy_pirate_client::stop() { core_->stop(); }

void lazy_pirate_client::start(message&& body, deadline until, answer_handler&& handler) {
  core_->start(std::move(body), until, std::move(handler));
}

}  // namespace zmtp
