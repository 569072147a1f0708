#include "tools/zinc/http/server.h"

#include "tools/zinc/http/answers.h"
#include "tools/zinc/http/connection.h"
#include "tools/zinc/http/live_page.h"
#include "tools/zinc/http/messages.h"
#include "tools/zinc/http/request_reader.h"
#include "tools/zinc/http/routes.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/write.hpp>
#include <spdlog/spdlog.h>

#include <chrono>
#include <exception>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace zinc::http {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace web = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

constexpr auto accept_pause = std::chrono::milliseconds{100};  // if no descriptor is left

tcp protocol_of(int descriptor) noexcept {
  ::sockaddr_storage own{};
  ::socklen_t size = sizeof own;
  const bool is_v6 = ::getsockname(descriptor, reinterpret_cast<::sockaddr*>(&own), &size) == 0 &&
                     own.ss_family == AF_INET6;
  return is_v6 ? tcp::v6() : tcp::v4();
}

}  // namespace

// Owned by its coroutines too, so the execution context destroys it.
class server::core : public std::enable_shared_from_this<core> {
public:
  core(const asio::any_io_executor& executor, reporter&& of, const limits& at_most,
       operations&& of_operator)
      : acceptor_{executor},
        retry_{executor},
        sample_{executor},
        limits_{at_most},
        answers_{executor, std::move(of), std::move(of_operator), counters_} {}

  address bind(const address& at, error_code& ec) {
    const auto ip = asio::ip::make_address(at.host, ec);
    const tcp::endpoint endpoint{ip, at.port};
    if (!ec) {
      acceptor_.open(endpoint.protocol(), ec);
    }
    if (!ec) {
      acceptor_.set_option(tcp::acceptor::reuse_address{true}, ec);
      acceptor_.bind(endpoint, ec);
    }
    if (!ec) {
      acceptor_.listen(asio::socket_base::max_listen_connections, ec);
    }
    if (ec) {
      return {};
    }
    serve_at(at);
    asio::co_spawn(acceptor_.get_executor(), accept(shared_from_this()), asio::detached);
    auto bound = at;
    bound.port = acceptor_.local_endpoint(ec).port();
    return bound;
  }

  std::function<void(int, std::string)> share(const address& at) {
    serve_at(at);
    return [weak = weak_from_this(), executor = acceptor_.get_executor()](int descriptor,
                                                                          std::string read) {
      asio::post(executor, [weak, executor, descriptor, read = std::move(read)] {
        tcp::socket given{executor};
        error_code ec;
        given.assign(protocol_of(descriptor), descriptor, ec);
        if (ec) {
          ::close(descriptor);
        } else if (const auto self = weak.lock(); self && !self->stopped_) {
          self->start_or_log(std::move(given), read);
        }
      });
    };
  }

  void stop() {
    stopped_ = true;
    error_code ignored;
    acceptor_.close(ignored);
    retry_.cancel();
    sample_.cancel();
    for (const auto& each : open_) {
      each->stream.close();
    }
    answers_.stop();
  }

  [[nodiscard]] const counters& counted() const noexcept { return counters_; }

private:
  using connection_ptr = std::shared_ptr<connection>;

  void serve_at(const address& at) {
    loopback_ = at.loopback;
    asio::co_spawn(acceptor_.get_executor(), take_samples(shared_from_this()), log);
  }

  static asio::awaitable<void> accept(std::shared_ptr<core> self) {
    while (self->acceptor_.is_open()) {
      auto [ec, socket] = co_await self->acceptor_.async_accept(token);
      if (!ec) {
        self->start_or_log(std::move(socket), {});
      } else if (self->acceptor_.is_open()) {
        self->retry_.expires_after(accept_pause);
        (void)co_await self->retry_.async_wait(token);
      }
    }
  }

  static asio::awaitable<void> take_samples(std::shared_ptr<core> self) {
    while (!self->stopped_) {
      try {
        co_await self->answers_.take_sample();
      } catch (const std::exception& e) {
        spdlog::error("http history has a gap: {}", e.what());
      }
      self->sample_.expires_after(self->limits_.page_interval);
      (void)co_await self->sample_.async_wait(token);
    }
  }

  void start_or_log(tcp::socket&& socket, std::string_view read) {
    try {
      start(std::move(socket), read);
    } catch (const std::exception& e) {  // no memory for this connection
      spdlog::error("http connection not accepted: {}", e.what());
    }
  }

  // `read` are the first bytes of the connection.
  void start(tcp::socket&& socket, std::string_view read) {
    ++counters_.connections;
    if (open_.size() >= limits_.connections && !evict()) {
      ++counters_.refused;
      return;
    }
    error_code ignored;
    socket.set_option(tcp::no_delay{true}, ignored);
    const auto added = std::make_shared<connection>(
        std::move(socket), limits_.header_size + limits_.body_size + read_size + read.size());
    added->buffer.commit(asio::buffer_copy(added->buffer.prepare(read.size()), asio::buffer(read)));
    open_.push_back(added);
    counters_.open = open_.size();
    asio::co_spawn(acceptor_.get_executor(), serve(shared_from_this(), added),
                   [self = shared_from_this(), added](const std::exception_ptr& failure) {
                     self->forget(added);
                     added->stream.close();
                     log(failure);
                   });
  }

  static void log(const std::exception_ptr& failure) {
    try {
      if (failure) {
        std::rethrow_exception(failure);
      }
    } catch (const stopped&) {  // ends the coroutine, and is not a fault
    } catch (const std::exception& e) {
      spdlog::error("http connection closed: {}", e.what());
    }
  }

  bool evict() {
    for (const auto& each : open_) {
      if (each->waits) {
        ++counters_.evicted;
        each->stream.close();
        forget(connection_ptr{each});
        return true;
      }
    }
    return false;
  }

  void forget(const connection_ptr& gone) {
    open_.remove(gone);
    counters_.open = open_.size();
  }

  static asio::awaitable<void> serve(std::shared_ptr<core> self, connection_ptr on) {
    for (bool more = true; more;) {
      // The last in the list has waited for the shortest time.
      self->open_.remove(on);
      self->open_.push_back(on);
      more = co_await self->exchange(on);
    }
  }

  // Answers one request. Returns false if the connection must be closed.
  asio::awaitable<bool> exchange(connection_ptr on) {
    on->waits = true;
    request_parser parser;
    parser.header_limit(limits_.header_size);
    parser.body_limit(limits_.body_size);
    const auto ec = co_await receive(on, parser, limits_);
    on->waits = false;
    if (ec) {
      const auto status = status_of(ec);
      if (status != 0) {
        ++counters_.bad_requests;
        auto answer = made(status, error_response(status));
        answer.keep_alive(false);
        answer.prepare_payload();
        (void)co_await send(*on, answer);
        on->waits = true;
        co_await discard(*on);
      }
      co_return false;
    }
    auto asked = parser.release();
    const auto where = route_of(head_of(asked), loopback_, answers_.token());
    if (where.what == resource::live && counters_.pages < limits_.pages) {
      co_await serve_page(page_source_of(), on, std::move(asked));
      co_return false;
    }
    auto answer = co_await answers_.to(where, asked.body());
    answer.version(asked.version());
    answer.keep_alive(asked.keep_alive());
    answer.prepare_payload();
    if (where.no_body) {
      answer.body().clear();
    }
    counters_.bad_requests += where.status == 400 ? 1 : 0;
    co_return co_await send(*on, answer) && asked.keep_alive();
  }

  asio::awaitable<bool> send(connection& on, response& what) {
    ++counters_.responses;
    on.stream.expires_after(limits_.response_timeout);
    const auto [ec, size] = co_await web::async_write(on.stream, what, token);
    counters_.slow_readers += ec == beast::error::timeout ? 1 : 0;
    co_return !ec;
  }

  page_source page_source_of() {
    return {.owner = shared_from_this(),
            .at_most = limits_,
            .counted = counters_,
            .status = [this] { return answers_.status(); },
            .history = [this] { return answers_.history_text(); }};
  }

  tcp::acceptor acceptor_;
  asio::steady_timer retry_;
  asio::steady_timer sample_;
  const limits limits_;
  counters counters_;
  answers answers_;
  bool loopback_ = true;
  bool stopped_ = false;
  std::list<connection_ptr> open_;  // in the order in which they began to wait
};

server::server(asio::any_io_executor executor, reporter of, const limits& at_most,
               operations of_operator)
    : core_{std::make_shared<core>(executor, std::move(of), at_most, std::move(of_operator))} {}

server::~server() { stop(); }

address server::bind(const address& at, error_code& ec) { return core_->bind(at, ec); }

std::function<void(int, std::string)> server::share(const address& at) { return core_->share(at); }

void server::stop() { core_->stop(); }

const counters& server::counted() const noexcept { return core_->counted(); }

}  // namespace zinc::http
