#include "tools/zinc/dump/relay.h"

#include "zmtp/error.h"
#include "zmtp/options.h"
#include "zmtp/transport/network.h"

#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/system_error.hpp>
#include <fmt/core.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <span>
#include <unordered_set>
#include <utility>

namespace zinc::dump {

namespace {

namespace asio = boost::asio;
namespace transport = zmtp::transport;

using zmtp::error_code;

constexpr std::chrono::seconds connect_time{10};
constexpr std::chrono::milliseconds accept_pause{100};
constexpr int backlog = 128;
// Before other connections have their turn.
constexpr int reads_at_once = 16;

transport::network& network_of(const asio::any_io_executor& executor) {
  return transport::network::of(executor);
}

}  // namespace

class relay_connection;

// One direction: reads, shows and writes.
class relay_pump final : public transport::stream_user {
public:
  relay_pump(relay_connection& owner, side from) : owner_{owner}, from_{from} {}
  virtual ~relay_pump() = default;

  void start(transport::stream& in, transport::stream& out) {
    in_ = &in;
    out_ = &out;
    run();
  }
  void on_ready(transport::stream_side, error_code ec) override;

private:
  void run();
  // Returns false if it waits, or if the direction or the connection has ended.
  [[nodiscard]] bool read();
  [[nodiscard]] bool write();
  [[nodiscard]] std::shared_ptr<transport::stream_user> self();

  relay_connection& owner_;
  side from_;
  transport::stream* in_ = nullptr;
  transport::stream* out_ = nullptr;
  std::array<std::byte, 64 * 1024> buffer_;
  std::span<const std::byte> unwritten_;
};

class relayed_connections final : public transport::acceptor_user,
                                  public std::enable_shared_from_this<relayed_connections> {
public:
  relayed_connections(const asio::any_io_executor& executor, zmtp::endpoint to, make_observer make)
      : executor_{executor},
        to_{std::move(to)},
        make_{std::move(make)},
        pause_{executor},
        acceptor_{network_of(executor).make_acceptor(executor, {})} {}
  virtual ~relayed_connections() = default;

  [[nodiscard]] error_code listen(const zmtp::endpoint& at) {
    const auto ec = acceptor_->open(at, backlog);
    if (!ec) {
      acceptor_->wait(shared_from_this());
    }
    return ec;
  }
  [[nodiscard]] const zmtp::endpoint& bound() const { return acceptor_->bound(); }
  void on_acceptable(error_code ec) override;
  void erase(const std::shared_ptr<relay_connection>& one) { connections_.erase(one); }
  void stop();

private:
  void wait_later();

  asio::any_io_executor executor_;
  zmtp::endpoint to_;
  make_observer make_;
  asio::steady_timer pause_;
  std::unique_ptr<transport::acceptor> acceptor_;
  std::unordered_set<std::shared_ptr<relay_connection>> connections_;
  bool stopped_ = false;
  bool cannot_accept_ = false;  // and this was reported
};

class relay_connection final : public std::enable_shared_from_this<relay_connection> {
public:
  relay_connection(std::weak_ptr<relayed_connections> all,
                   std::unique_ptr<transport::stream> client,
                   std::unique_ptr<stream_observer> observer)
      : all_{std::move(all)}, client_{std::move(client)}, observer_{std::move(observer)} {}

  void start(const asio::any_io_executor& executor, const zmtp::endpoint& to) {
    observer_->on_opened(client_->remote().address, to.to_string());
    connector_ = network_of(executor).make_connector(executor, {});
    connector_->start(
        to, connect_time,
        [self = shared_from_this()](error_code ec, std::unique_ptr<transport::stream> server) {
          self->on_connected(ec, std::move(server));
        });
  }

  void show(side from, std::span<const std::byte> bytes) {
    observer_->on_bytes(from, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }

  // The side has ended its stream, and everything is written.
  void end(side from) {
    observer_->on_end(from);
    end_pump();
  }
  // The other side takes no more bytes. The bytes that it has sent before still go to this side.
  void refuse(const std::string& why) {
    why_ = why_.empty() ? why : why_;
    end_pump();
  }

  void close(const std::string& why) {
    if (std::exchange(closed_, true)) {
      return;
    }
    const auto keep = shared_from_this();
    connector_->cancel();
    client_->close();
    if (server_) {
      server_->close();
    }
    observer_->on_closed(why);
    if (const auto all = all_.lock()) {
      all->erase(keep);
    }
  }
  [[nodiscard]] bool closed() const noexcept { return closed_; }

private:
  void end_pump() {
    if (++ended_ == pumps_.size()) {
      close(why_);
    }
  }
  void on_connected(error_code ec, std::unique_ptr<transport::stream> server) {
    if (closed_) {
      return;
    }
    if (ec) {
      close(fmt::format("cannot connect: {}", ec.message()));
      return;
    }
    server_ = std::move(server);
    pumps_[0].start(*client_, *server_);
    if (!closed_) {
      pumps_[1].start(*server_, *client_);
    }
  }

  std::weak_ptr<relayed_connections> all_;
  std::unique_ptr<transport::stream> client_;
  std::unique_ptr<transport::stream> server_;
  std::shared_ptr<transport::connector> connector_;
  std::unique_ptr<stream_observer> observer_;
  std::array<relay_pump, 2> pumps_{relay_pump{*this, side::connecting},
                                   relay_pump{*this, side::accepting}};
  std::size_t ended_ = 0;
  std::string why_;  // the first reason for which a pump ended early
  bool closed_ = false;
};

std::shared_ptr<transport::stream_user> relay_pump::self() {
  return {owner_.shared_from_this(), this};
}

void relay_pump::on_ready(transport::stream_side, error_code ec) {
  if (owner_.closed()) {
    return;
  }
  if (ec) {
    owner_.close(ec.message());
    return;
  }
  run();
}

void relay_pump::run() {
  for (int reads = 0; reads < reads_at_once; ++reads) {
    if (!write() || !read()) {
      return;
    }
  }
  if (write()) {
    in_->wait(transport::stream_side::read, self());
  }
}

bool relay_pump::write() {
  while (!unwritten_.empty()) {
    error_code ec;
    const auto written = out_->write_some({&unwritten_, 1}, ec);
    unwritten_ = unwritten_.subspan(written);
    if (ec == asio::error::would_block) {
      out_->wait(transport::stream_side::write, self());
      return false;
    }
    if (ec) {
      unwritten_ = {};
      owner_.refuse(ec.message());
      return false;
    }
  }
  return true;
}

bool relay_pump::read() {
  error_code ec;
  const auto size = in_->read_some(buffer_, ec);
  if (ec == asio::error::would_block) {
    in_->wait(transport::stream_side::read, self());
    return false;
  }
  if (ec == asio::error::eof) {
    out_->shutdown_send();
    owner_.end(from_);
    return false;
  }
  if (ec) {
    owner_.close(ec.message());
    return false;
  }
  unwritten_ = std::span{buffer_}.first(size);
  owner_.show(from_, unwritten_);
  return true;
}

void relayed_connections::on_acceptable(error_code ec) {
  while (!stopped_ && !ec) {
    if (auto stream = acceptor_->accept(ec)) {
      const auto one =
          std::make_shared<relay_connection>(weak_from_this(), std::move(stream), make_());
      connections_.insert(one);
      one->start(executor_, to_);
      cannot_accept_ = false;
    }
  }
  if (stopped_) {
    return;
  }
  if (ec == asio::error::would_block) {
    acceptor_->wait(shared_from_this());
    return;
  }
  if (!std::exchange(cannot_accept_, true)) {
    fmt::print(
        stderr,
        "zinc dump: cannot accept a connection: {}; zinc dump tries again. Each connection takes "
        "two files, see ulimit -n\n",
        ec.message());
  }
  wait_later();
}

void relayed_connections::wait_later() {
  pause_.expires_after(accept_pause);
  pause_.async_wait([self = shared_from_this()](error_code ec) {
    if (!ec && !self->stopped_) {
      self->acceptor_->wait(self);
    }
  });
}

void relayed_connections::stop() {
  if (std::exchange(stopped_, true)) {
    return;
  }
  pause_.cancel();
  acceptor_->close();
  for (const auto& one : std::exchange(connections_, {})) {
    one->close("zinc dump was stopped");
  }
}

relay::relay(const asio::any_io_executor& executor, const zmtp::endpoint& listen,
             zmtp::endpoint connect, make_observer make)
    : all_{std::make_shared<relayed_connections>(executor, std::move(connect), std::move(make))} {
  if (const auto ec = all_->listen(listen)) {
    throw boost::system::system_error{ec, "cannot listen at " + listen.to_string()};
  }
}

relay::~relay() { stop(); }

const zmtp::endpoint& relay::bound() const { return all_->bound(); }

void relay::stop() { all_->stop(); }

}  // namespace zinc::dump
