// A socket of Zinc with security, in a process of its own, for the authentication matrix:
//
//     security_host NAME=VALUE...
//
// mechanism=null|plain|curve  role=server|client  at=bind|connect  endpoint=ENDPOINT
// own=SECRET_FILE  server=PUBLIC_FILE     the keys of CURVE; server= only for a client
// user=USER  password=PASSWORD            of a PLAIN client
// clients=FOLDER | users=FILE | zap_handler=ENDPOINT    whom a server asks; requests of ZAP are forwarded to a
//                                         handler in another process
// planted=admit|refuse                    a fault: the server decides about everyone in this way
//
// Prints `bound ENDPOINT`, and a line for each end of a handshake: `attached USER` or `turned_away ERROR`. A
// client sends one message, and prints `echoed` when it is returned. A server returns every message. The
// program ends with its input.

#include "zmtp/authenticators/authenticator_function.h"
#include "zmtp/authenticators/certificate_folder.h"
#include "zmtp/authenticators/password_file.h"
#include "zmtp/authenticators/zap.h"
#include "zmtp/curve/certificate_file.h"
#include "zmtp/mechanism/curve.h"
#include "zmtp/socket/monitor.h"
#include "zmtp/socket/proxy.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>

namespace {

namespace asio = boost::asio;
using asio::use_awaitable;
using settings = std::map<std::string, std::string>;

zmtp::curve_key_pair load_keys(const std::string& path) {
  const auto read = zmtp::load_certificate(path);
  return {read.public_key, read.secret_key.value()};
}

void complain(const std::string& fault) { std::cerr << fault << std::endl; }

void end_if_failed(std::exception_ptr failure) {
  if (failure) {
    std::rethrow_exception(failure);
  }
}

// Forwards the requests of ZAP to a handler in another process.
class zap_bridge {
public:
  zap_bridge(asio::io_context& context, const std::string& handler)
      : front_{context.get_executor()}, back_{context.get_executor()}, forward_{front_, back_} {
    front_.bind("inproc://zeromq.zap.01");
    back_.connect(handler);
    asio::co_spawn(context, forward_.async_run(use_awaitable), end_if_failed);
  }

private:
  zmtp::router_socket front_;
  zmtp::dealer_socket back_;
  zmtp::proxy forward_;
};

class host {
public:
  host(asio::io_context& context, settings set) : context_{context}, set_{std::move(set)} {
    zmtp::socket_options options;
    options.security = security();
    options.authenticator = authenticator();
    options.reconnect.initial = std::chrono::milliseconds{10};
    if (is_server()) {
      server_.emplace(context.get_executor(), options);
      join(*server_);
      asio::co_spawn(context, echo(), end_if_failed);
    } else {
      client_.emplace(context.get_executor(), options);
      join(*client_);
      asio::co_spawn(context, ask(), end_if_failed);
    }
    asio::co_spawn(context, read_to_end(), end_if_failed);
  }

private:
  [[nodiscard]] bool is_server() { return set_["role"] == "server"; }

  zmtp::security_options security() {
    if (set_["mechanism"] == "curve") {
      const auto keys = load_keys(set_["own"]);
      if (is_server()) {
        return zmtp::curve_server({.keys = keys});
      }
      return zmtp::curve_client(
          {.server_key = zmtp::load_certificate(set_["server"]).public_key, .keys = keys});
    }
    if (set_["mechanism"] == "plain") {
      if (is_server()) {
        return zmtp::plain_server_security{};
      }
      return zmtp::plain_client_security{set_["user"], set_["password"]};
    }
    return zmtp::null_security{};
  }

  std::shared_ptr<zmtp::authenticator> authenticator() {
    if (set_.contains("planted")) {
      return zmtp::make_authenticator(
          [admits = set_["planted"] == "admit"](const zmtp::peer_info&, const zmtp::credentials&) {
            using authenticator = zmtp::authenticator;
            return admits ? authenticator::verdict{authenticator::principal{}}
                          : authenticator::verdict{authenticator::refusal{.status = "400"}};
          });
    }
    constexpr std::chrono::milliseconds at_each_handshake{0};
    if (set_.contains("clients")) {
      return std::make_shared<zmtp::certificate_folder>(set_["clients"], complain,
                                                        at_each_handshake);
    }
    if (set_.contains("users")) {
      zmtp::password_file_options options;
      options.on_fault = complain;
      options.check_interval = at_each_handshake;
      return std::make_shared<zmtp::password_file>(set_["users"], options);
    }
    if (set_.contains("zap_handler")) {
      bridge_.emplace(context_, set_["zap_handler"]);
      zmtp::zap_options options;
      options.domain = "global";
      options.on_fault = complain;
      return zmtp::make_zap_authenticator(context_.get_executor(), options);
    }
    return nullptr;
  }

  template <class Socket>
  void join(Socket& socket) {
    events_.emplace(socket.monitor());
    asio::co_spawn(context_, watch(), end_if_failed);
    if (set_["at"] == "bind") {
      std::cout << "bound " << socket.bind(set_["endpoint"]).to_string() << std::endl;
    } else {
      socket.connect(set_["endpoint"]);
      std::cout << "bound " << set_["endpoint"] << std::endl;
    }
  }

  asio::awaitable<void> watch() {
    using kind = zmtp::monitor_event::kind;
    for (;;) {
      const auto event = co_await events_->async_receive(use_awaitable);
      if (event.what == kind::attached) {
        std::cout << "attached " << event.info.user_id << std::endl;
      } else if (event.what == kind::refused || event.what == kind::handshake_failed) {
        std::cout << "turned_away " << event.reason.message() << std::endl;
      }
    }
  }

  asio::awaitable<void> echo() {
    for (;;) {
      auto [what, peer, content] = co_await server_->async_receive(use_awaitable);
      (void)server_->try_send(peer, std::move(content));
    }
  }

  asio::awaitable<void> ask() {
    zmtp::message question{"hello"};
    co_await client_->async_send(std::move(question), use_awaitable);
    const zmtp::message reply = co_await client_->async_receive(use_awaitable);
    std::cout << (reply.front() == "hello" ? "echoed" : "garbled") << std::endl;
  }

  asio::awaitable<void> read_to_end() {
    asio::posix::stream_descriptor input{context_, ::dup(STDIN_FILENO)};
    char byte = 0;
    boost::system::error_code ended;
    while (!ended) {
      co_await input.async_read_some(asio::buffer(&byte, 1),
                                     asio::redirect_error(use_awaitable, ended));
    }
    context_.stop();
  }

  asio::io_context& context_;
  settings set_;
  std::optional<zap_bridge> bridge_;
  std::optional<zmtp::router_socket> server_;
  std::optional<zmtp::dealer_socket> client_;
  std::optional<zmtp::monitor> events_;
};

}  // namespace

int main(int count, char** argv) {
  settings set;
  for (int i = 1; i < count; ++i) {
    const std::string word{argv[i]};
    const auto equals = word.find('=');
    set[word.substr(0, equals)] = word.substr(equals + 1);
  }
  asio::io_context context{1};
  const host running{context, set};
  context.run();
}
