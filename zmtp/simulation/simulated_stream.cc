#include "zmtp/simulation/simulated_stream.h"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <utility>

namespace zmtp::simulation {

namespace asio = boost::asio;
using transport::stream_side;

namespace {

error_code error_of(virtual_connection::fault why) noexcept {
  switch (why) {
    case virtual_connection::fault::none: return {};
    case virtual_connection::fault::would_block: return asio::error::would_block;
    case virtual_connection::fault::ended: return asio::error::eof;
    case virtual_connection::fault::lost: break;
  }
  return asio::error::connection_reset;
}

}  // namespace

simulated_stream::simulated_stream(asio::any_io_executor executor,
                                   std::shared_ptr<virtual_connection> connection,
                                   end_of_stream end)
    : executor_{std::move(executor)}, connection_{std::move(connection)}, end_{end} {}

std::size_t simulated_stream::read_some(std::span<std::byte> to, error_code& ec) noexcept {
  const auto got = connection_->read_some(end_, to);
  ec = error_of(got.why_none);
  if (ec == asio::error::would_block && stopped_) {
    ec = asio::error::eof;
  }
  return got.count;
}

std::size_t simulated_stream::write_some(std::span<const std::span<const std::byte>> pieces,
                                         error_code& ec) noexcept {
  const auto put = connection_->write_some(end_, pieces);
  ec = error_of(put.why_none);
  return put.count;
}

void simulated_stream::wait(stream_side side, std::shared_ptr<transport::stream_user> user) {
  waiting_[static_cast<std::size_t>(side)] = std::move(user);
  if (closed_) {
    on_ready(side, asio::error::operation_aborted);
  } else if (stopped_) {
    on_ready(side, {});
  } else if (side == stream_side::read) {
    connection_->wait_readable(end_, [this, side] { on_ready(side, {}); });
  } else {
    connection_->wait_writable(end_, [this, side] { on_ready(side, {}); });
  }
}

void simulated_stream::on_ready(stream_side side, error_code ec) {
  if (auto user = std::exchange(waiting_[static_cast<std::size_t>(side)], nullptr)) {
    asio::post(executor_, [user = std::move(user), side, ec] { user->on_ready(side, ec); });
  }
}

void simulated_stream::shutdown_send() noexcept { connection_->shutdown_send(end_); }

void simulated_stream::shutdown() noexcept {
  connection_->shutdown_send(end_);
  stopped_ = true;
  on_ready(stream_side::read, {});
  on_ready(stream_side::write, {});
}

void simulated_stream::close() noexcept {
  connection_->close(end_);
  closed_ = true;
  on_ready(stream_side::read, asio::error::operation_aborted);
  on_ready(stream_side::write, asio::error::operation_aborted);
}

transport::acknowledgement simulated_stream::acknowledged() const noexcept {
  return {.bytes = connection_->reached(end_), .complete = connection_->acknowledged(end_)};
}

std::size_t simulated_stream::unacknowledged() const noexcept {
  return connection_->unacknowledged(end_);
}

bool simulated_stream::reset() noexcept {
  return connection_->lost(end_) && !std::exchange(reset_reported_, true);
}

// The number of the connection is its port, so that an address names a connection.
transport::remote_end simulated_stream::remote() const {
  return {.address = "10.0.0.1:" + std::to_string(connection_->id()), .host = {}, .process = {}};
}

namespace {

class simulated_acceptor final : public transport::acceptor {
public:
  simulated_acceptor(process_network& network, asio::any_io_executor executor)
      : network_{network}, executor_{std::move(executor)} {}
  ~simulated_acceptor() override { close(); }

  [[nodiscard]] error_code open(const endpoint& at, int backlog) override {
    if (at.inproc() != nullptr) {
      return errc::unknown_transport;
    }
    auto bound = network_.with_port(at);
    auto name = network_.name_of(bound);
    if (network_.net().listens(name)) {
      return asio::error::address_in_use;
    }
    bound_ = std::move(bound);
    name_ = std::move(name);
    backlog_ = static_cast<std::size_t>(std::max(backlog, 1));
    network_.net().listen(name_, network_.host(),
                          [this](const std::shared_ptr<virtual_connection>& c) { on_call(c); });
    return {};
  }
  [[nodiscard]] const endpoint& bound() const noexcept override { return bound_; }
  void wait(std::shared_ptr<transport::acceptor_user> user) override {
    user_ = std::move(user);
    if (!pending_.empty()) {
      notify({});
    }
  }
  [[nodiscard]] std::unique_ptr<transport::stream> accept(error_code& ec) override {
    if (pending_.empty()) {
      ec = asio::error::would_block;
      return nullptr;
    }
    ec = {};
    auto next = std::move(pending_.front());
    pending_.pop_front();
    return std::make_unique<simulated_stream>(executor_, std::move(next), end_of_stream::accepting);
  }
  void close() noexcept override {
    if (!name_.empty()) {
      network_.net().unlisten(std::exchange(name_, {}));
    }
    for (const auto& c : std::exchange(pending_, {})) {
      c->close(end_of_stream::accepting);
    }
    notify(asio::error::operation_aborted);
  }

private:
  void on_call(const std::shared_ptr<virtual_connection>& connection) {
    if (pending_.size() == backlog_) {
      connection->close(end_of_stream::accepting);
      return;
    }
    pending_.push_back(connection);
    notify({});
  }
  void notify(error_code ec) {
    if (auto user = std::exchange(user_, nullptr)) {
      asio::post(executor_, [user = std::move(user), ec] { user->on_acceptable(ec); });
    }
  }

  process_network& network_;
  asio::any_io_executor executor_;
  endpoint bound_;
  std::string name_;  // empty while not listening
  std::size_t backlog_ = 1;
  std::deque<std::shared_ptr<virtual_connection>> pending_;
  std::shared_ptr<transport::acceptor_user> user_;
};

}  // namespace

class simulated_connector final : public transport::connector,
                                  public std::enable_shared_from_this<simulated_connector> {
public:
  simulated_connector(process_network& network, asio::any_io_executor executor)
      : network_{network}, executor_{std::move(executor)} {}

  void start(const endpoint& to, std::chrono::milliseconds time_limit, handler on_done) override {
    on_done_.emplace(std::move(on_done));
    auto& events = network_.net().here().events;
    events.after(time_limit, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) {
        self->finish(asio::error::timed_out, nullptr);
      }
    });
    network_.net().connect(network_.name_of(to), network_.host(),
                           [self = shared_from_this()](std::shared_ptr<virtual_connection> c) {
                             self->on_connected(std::move(c));
                           });
  }
  void cancel() override { finish(asio::error::operation_aborted, nullptr); }

  void abandon() noexcept { const auto dropped = std::exchange(on_done_, std::nullopt); }

private:
  void on_connected(std::shared_ptr<virtual_connection> connection) {
    if (!on_done_) {
      if (connection != nullptr) {
        connection->close(end_of_stream::connecting);
      }
      return;
    }
    if (connection == nullptr) {
      finish(asio::error::connection_refused, nullptr);
      return;
    }
    finish({}, std::make_unique<simulated_stream>(executor_, std::move(connection),
                                                  end_of_stream::connecting));
  }
  void finish(error_code ec, std::unique_ptr<transport::stream> connected) {
    if (auto done = std::exchange(on_done_, std::nullopt)) {
      asio::post(executor_,
                 [done = std::move(*done), ec, connected = std::move(connected)]() mutable {
                   std::move(done)(ec, std::move(connected));
                 });
    }
  }

  process_network& network_;
  asio::any_io_executor executor_;
  std::optional<handler> on_done_;
};

process_network::process_network(simulated_network& net, simulated_host& host,
                                 std::string host_name, process::wrapper wrap)
    : net_{net}, host_{host}, host_name_{std::move(host_name)}, wrap_{std::move(wrap)} {}

std::unique_ptr<transport::acceptor> process_network::make_acceptor(
    const asio::any_io_executor& executor, const transport_options&) {
  return std::make_unique<simulated_acceptor>(*this, executor);
}

std::shared_ptr<transport::connector> process_network::make_connector(
    const asio::any_io_executor& executor, const transport_options&) {
  auto made = std::make_shared<simulated_connector>(*this, executor);
  std::erase_if(attempts_, [](const auto& weak) { return weak.expired(); });
  attempts_.push_back(made);
  return made;
}

std::unique_ptr<transport::stream> process_network::wrapped(
    std::unique_ptr<transport::stream> whole, const transport::stream& carrier) {
  return wrap_ ? wrap_(std::move(whole), static_cast<const simulated_stream&>(carrier).id())
               : std::move(whole);
}

void process_network::abandon() noexcept {
  for (const auto& weak : std::exchange(attempts_, {})) {
    if (const auto attempt = weak.lock()) {
      attempt->abandon();
    }
  }
}

std::string process_network::name_of(const endpoint& at) const {
  if (const auto* local = at.ipc()) {
    return "ipc://" + host_name_ + "/" + local->path;
  }
  const auto& tcp = *at.tcp();
  const bool here = tcp.host == "*" || tcp.host == "localhost" || tcp.host == "127.0.0.1";
  return "tcp://" + (here ? host_name_ : tcp.host) + ":" + std::to_string(tcp.port);
}

endpoint process_network::with_port(const endpoint& at) {
  auto with = at;
  if (auto* const tcp = std::get_if<tcp_address>(&with.address); tcp != nullptr && tcp->port == 0) {
    for (tcp->port = 49'152; net_.listens(name_of(with)); ++tcp->port) {
    }
  }
  return with;
}

}  // namespace zmtp::simulation
