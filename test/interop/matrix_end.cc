#include "test/interop/matrix_end.h"

#include "zmtp/authenticator.h"
#include "zmtp/mechanism/curve.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace zmtp::test {

namespace {

using namespace std::chrono_literals;
using asio::use_awaitable;

const parts subscription_to_all{"\1"};

[[noreturn]] void cannot(const char* what) {
  throw std::logic_error{std::string{"this type does not "} + what};
}

template <class Socket>
class our_end : public matrix_end {
public:
  our_end(const asio::any_io_executor& executor, const socket_options& options)
      : socket_{executor, options} {
    if constexpr (requires { socket_.subscribe(std::string_view{}); }) {
      socket_.subscribe("");
    }
  }

  std::string bind(const std::string& at) override { return socket_.bind(at).to_string(); }
  void connect(const std::string& to) override { socket_.connect(to); }

  asio::awaitable<void> say(parts m) override {
    message sent = to_message(m);
    if constexpr (std::is_same_v<Socket, router_socket>) {
      co_await socket_.async_send(last_, std::move(sent), use_awaitable);
    } else if constexpr (requires { socket_.writable(); }) {
      co_await socket_.async_send(std::move(sent), use_awaitable);
    } else {
      cannot("send");
    }
  }

  asio::awaitable<parts> hear() override {
    if constexpr (std::is_same_v<Socket, router_socket> || std::is_same_v<Socket, xpub_socket>) {
      const routed_message m = co_await socket_.async_receive(use_awaitable);
      last_ = m.peer;
      co_return to_parts(m.content);
    } else if constexpr (requires { socket_.readable(); }) {
      const message m = co_await socket_.async_receive(use_awaitable);
      co_return to_parts(m);
    } else {
      cannot("receive");
    }
  }

  asio::awaitable<void> wait_for_subscriber(std::binary_semaphore&) override {
    if constexpr (std::is_same_v<Socket, pub_socket>) {
      co_await socket_.async_wait_subscribers("", 1, use_awaitable);
    } else {
      const parts notified = co_await hear();
      if (notified != subscription_to_all) {
        throw std::runtime_error{"no subscription: " + describe(notified)};
      }
    }
  }

  asio::awaitable<void> wait_written() override {
    co_await socket_.async_wait_written(use_awaitable);
  }

private:
  Socket socket_;
  peer_id last_;
};

int libzmq_type(socket_type type) {
  switch (type) {
    case socket_type::pair: return ZMQ_PAIR;
    case socket_type::pub: return ZMQ_PUB;
    case socket_type::sub: return ZMQ_SUB;
    case socket_type::req: return ZMQ_REQ;
    case socket_type::rep: return ZMQ_REP;
    case socket_type::dealer: return ZMQ_DEALER;
    case socket_type::router: return ZMQ_ROUTER;
    case socket_type::pull: return ZMQ_PULL;
    case socket_type::push: return ZMQ_PUSH;
    case socket_type::xpub: return ZMQ_XPUB;
    case socket_type::xsub: return ZMQ_XSUB;
  }
  return -1;
}

class their_end : public matrix_end {
public:
  their_end(libzmq::context& owner, socket_type type, bool announces, security_side by)
      : type_{type}, socket_{owner, libzmq_type(type)} {
    secure(socket_, by);
    switch (type) {
      case socket_type::sub: socket_.set(ZMQ_SUBSCRIBE, ""); break;
      case socket_type::xsub: socket_.send(subscription_to_all); break;
      case socket_type::router: socket_.set(ZMQ_PROBE_ROUTER, announces ? 1 : 0); break;
      default: break;
    }
  }

  std::string bind(const std::string& at) override { return socket_.bind(at); }
  void connect(const std::string& to) override { socket_.connect(to); }

  asio::awaitable<void> say(parts m) override {
    socket_.send(type_ == socket_type::router ? with_first(last_, m) : m);
    co_return;
  }

  asio::awaitable<parts> hear() override {
    parts m = socket_.receive();
    if (type_ != socket_type::router) {
      co_return m;
    }
    last_ = m.front();
    co_return without_first(m);
  }

  asio::awaitable<void> wait_for_subscriber(std::binary_semaphore& received) override {
    if (type_ == socket_type::xpub) {
      const parts notified = socket_.receive();
      if (notified != subscription_to_all) {
        throw std::runtime_error{"no subscription: " + describe(notified)};
      }
      co_return;
    }
    const auto end = std::chrono::steady_clock::now() + libzmq::socket::timeout;
    do {
      socket_.send(anybody_there);
    } while (!received.try_acquire_for(1ms) && std::chrono::steady_clock::now() < end);
  }

  // libzmq's own threads write the queued messages.
  asio::awaitable<void> wait_written() override { co_return; }

private:
  socket_type type_;
  libzmq::socket socket_;
  std::string last_;
};

template <class Socket>
std::unique_ptr<matrix_end> make_ours(const asio::any_io_executor& executor,
                                      const socket_options& options) {
  return std::make_unique<our_end<Socket>>(executor, options);
}

std::unique_ptr<matrix_end> make_ours(socket_type type, const asio::any_io_executor& executor,
                                      const socket_options& options) {
  switch (type) {
    case socket_type::pair: return make_ours<pair_socket>(executor, options);
    case socket_type::pub: return make_ours<pub_socket>(executor, options);
    case socket_type::sub: return make_ours<sub_socket>(executor, options);
    case socket_type::req: return make_ours<req_socket>(executor, options);
    case socket_type::rep: return make_ours<rep_socket>(executor, options);
    case socket_type::dealer: return make_ours<dealer_socket>(executor, options);
    case socket_type::router: return make_ours<router_socket>(executor, options);
    case socket_type::pull: return make_ours<pull_socket>(executor, options);
    case socket_type::push: return make_ours<push_socket>(executor, options);
    case socket_type::xpub: return make_ours<xpub_socket>(executor, options);
    case socket_type::xsub: return make_ours<xsub_socket>(executor, options);
  }
  return {};
}

}  // namespace

namespace {

constexpr const char* server_secret = "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6";
constexpr const char* client_secret = "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs";

curve_key_pair pair_of(const char* open, const char* secret) {
  return {parse_public_key(open).value(), parse_secret_key(secret).value()};
}

// Accepts the client.
class key_check final : public authenticator {
public:
  void authenticate(const peer_info&, const credentials& shown, handler done) override {
    const auto* const curve = std::get_if<curve_credentials>(&shown);
    if (curve != nullptr && to_z85(curve->public_key) == client_public_key) {
      std::move(done)(principal{.user_id = "client"});
    } else {
      std::move(done)(refusal{.status = "400"});
    }
  }
};

}  // namespace

socket_options secured(socket_options options, security_side by) {
  switch (by) {
    case security_side::unsecured: break;
    case security_side::curve_client:
      options.security = curve_client({.server_key = parse_public_key(server_public_key).value(),
                                       .keys = pair_of(client_public_key, client_secret)});
      break;
    case security_side::curve_server:
      options.security = curve_server({.keys = pair_of(server_public_key, server_secret)});
      options.authenticator = std::make_shared<key_check>();
      break;
  }
  return options;
}

void secure(libzmq::socket& theirs, security_side by) {
  switch (by) {
    case security_side::unsecured: break;
    case security_side::curve_client:
      theirs.set(ZMQ_CURVE_SERVERKEY, server_public_key);
      theirs.set(ZMQ_CURVE_PUBLICKEY, client_public_key);
      theirs.set(ZMQ_CURVE_SECRETKEY, client_secret);
      break;
    case security_side::curve_server:
      theirs.set(ZMQ_CURVE_SERVER, 1);
      theirs.set(ZMQ_CURVE_SECRETKEY, server_secret);
      break;
  }
}

std::unique_ptr<matrix_end> make_end(maker by, socket_type type, bool announces,
                                     security_side by_security,
                                     const asio::any_io_executor& executor,
                                     libzmq::context& theirs) {
  if (by == maker::theirs) {
    return std::make_unique<their_end>(theirs, type, announces, by_security);
  }
  auto options = secured({}, by_security);
  options.probe_router = announces;
  return make_ours(type, executor, options);
}

}  // namespace zmtp::test
