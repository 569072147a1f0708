#include "bstar/client.h"

#include "zmtp/socket/complete.h"
#include "zmtp/socket/req_socket.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace bstar {

namespace asio = boost::asio;
using boost::system::error_code;
using boost::system::system_error;
using clock = std::chrono::steady_clock;

namespace {

zmtp::socket_options socket_options() {
  zmtp::socket_options options;
  // What was given up is not sent any more.
  options.linger = std::chrono::milliseconds{0};
  return options;
}

}  // namespace

class client::core : public std::enable_shared_from_this<core> {
public:
  core(const asio::any_io_executor& executor, std::vector<std::string>&& servers,
       const client_options& options)
      : executor_{executor}, servers_{std::move(servers)}, options_{options}, pause_{executor} {
    open();
  }

  void start(zmtp::message&& body, zmtp::deadline until, answer_handler&& handler) {
    auto refusal = error_code{};
    if (stopped_) {
      refusal = asio::error::operation_aborted;
    } else if (request_) {
      refusal = errc::request_in_flight;
    } else if (body.empty()) {
      refusal = zmtp::errc::bad_message;
    }
    if (refusal) {
      zmtp::complete_later(executor_, std::move(handler), refusal, zmtp::message{});
      return;
    }
    auto work = zmtp::work_elsewhere(executor_, handler);
    request_.reset(new request{std::move(handler), std::move(work)});
    const auto which = ++last_;
    if (auto slot = asio::get_associated_cancellation_slot(request_->handler.erased());
        slot.is_connected()) {
      slot.assign([self = weak_from_this(), which](asio::cancellation_type type) {
        const auto own = self.lock();
        if (own && own->last_ == which && type != asio::cancellation_type::none) {
          own->cancel();
        }
      });
    }
    asio::co_spawn(executor_, ask(shared_from_this(), which, std::move(body), until.at()),
                   zmtp::rethrow);
  }

  void cancel() {
    if (request_) {
      finish(asio::error::operation_aborted, {});
      // An answer that is still to come shall not be the next one's.
      socket_.reset();
      pause_.cancel();
    }
  }

  void stop() {
    stopped_ = true;
    cancel();
    socket_.reset();
  }

  [[nodiscard]] std::string_view server() const noexcept { return servers_[server_]; }

private:
  struct request {
    answer_handler handler;
    asio::any_io_executor work_elsewhere;
  };
  using end = std::optional<clock::time_point>;

  // One attempt after the other. Whenever it is resumed the request may be over.
  static asio::awaitable<void> ask(std::shared_ptr<core> self, std::uint64_t which,
                                   zmtp::message body, end until) {
    const auto token = asio::as_tuple(asio::use_awaitable);
    while (self->is_current(which)) {
      if (!self->socket_) {
        self->open();
      }
      const zmtp::deadline when = earlier(self->options_.timeout, until);
      auto copy = body;
      auto [ec] = co_await self->socket_->async_send(std::move(copy), when, token);
      zmtp::message answer;
      if (!ec && self->is_current(which)) {
        auto [fault, received] = co_await self->socket_->async_receive(when, token);
        ec = fault;
        answer = std::move(received);
      }
      if (!self->is_current(which)) {
        co_return;
      }
      if (!ec) {
        self->finish({}, std::move(answer));
        co_return;
      }
      self->leave_server();
      self->pause_.expires_at(earlier(self->options_.settle, until));
      if (!over(until)) {
        static_cast<void>(co_await self->pause_.async_wait(token));
      }
      if (self->is_current(which) && over(until)) {
        self->finish(errc::no_answer, {});
      }
    }
  }

  static clock::time_point earlier(std::chrono::milliseconds from_now, const end& until) {
    const auto at = clock::now() + from_now;
    return until ? std::min(at, *until) : at;
  }
  static bool over(const end& until) { return until && clock::now() >= *until; }

  [[nodiscard]] bool is_current(std::uint64_t which) const noexcept {
    return request_ && last_ == which;
  }

  void open() {
    socket_.emplace(executor_, socket_options());
    socket_->connect(servers_[server_]);
  }

  void leave_server() {
    socket_.reset();
    server_ = (server_ + 1) % servers_.size();
  }

  void finish(error_code ec, zmtp::message&& answer) {
    const auto done = std::move(request_);
    zmtp::complete_later(executor_, std::move(done->handler), ec, std::move(answer));
  }

  asio::any_io_executor executor_;
  std::vector<std::string> servers_;
  client_options options_;
  std::optional<zmtp::req_socket> socket_;
  std::unique_ptr<request> request_;
  std::uint64_t last_ = 0;
  std::size_t server_ = 0;
  asio::steady_timer pause_;
  bool stopped_ = false;
};

client::client(asio::any_io_executor executor, std::vector<std::string> servers,
               const client_options& options) {
  if (servers.empty()) {
    throw system_error{errc::no_servers, "client"};
  }
  if (options.timeout.count() <= 0 || options.settle.count() < 0) {
    throw system_error{errc::bad_option, "client"};
  }
  // That all of them can be connected to is found out now.
  zmtp::req_socket trial{executor};
  for (const auto& server : servers) {
    trial.connect(server);
  }
  trial.close(std::chrono::milliseconds{0});
  core_ = std::make_shared<core>(executor, std::move(servers), options);
}

client::~client() { stop(); }

std::string_view client::server() const noexcept { return core_->server(); }

void client::stop() { core_->stop(); }

void client::start(zmtp::message&& body, zmtp::deadline until, answer_handler&& handler) {
  core_->start(std::move(body), until, std::move(handler));
}

}  // namespace bstar
