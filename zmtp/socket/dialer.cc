#include "zmtp/socket/dialer.h"

#include "zmtp/socket/wire_link.h"

#include <utility>

namespace zmtp {

dialer::dialer(socket_core& core, const endpoint& to, peer_id pipe)
    : core_{&core},
      to_{to},
      pipe_{pipe},
      backoff_{core.options().reconnect},
      timer_{core.executor()} {}

void dialer::start() { attempt(); }

// A finishing socket connects again only for what is left to write.
bool dialer::wanted() const noexcept {
  if (core_ == nullptr) {
    return false;
  }
  const auto* p = core_->state().find(pipe_);
  return p != nullptr && (core_->open() || (core_->finishing() && !p->out.empty()));
}

bool dialer::active() const noexcept { return core_ != nullptr && (linked_ || wanted()); }

void dialer::attempt() {
  if (!wanted()) {
    return;
  }
  connect_ = std::make_shared<transport::connector>(core_->executor(), core_->options().transport);
  connect_->start(to_, core_->options().limit.handshake_time,
                  [self = shared_from_this()](error_code ec, transport::stream stream) {
                    self->on_connected(ec, std::move(stream));
                  });
}

void dialer::on_connected(error_code ec, transport::stream stream) {
  connect_.reset();
  if (core_ == nullptr) {
    return;
  }
  const auto core = core_->shared_from_this();
  if (ec || !wanted()) {
    wait(ec, {});
    core->check_finished();
    return;
  }
  linked_ = true;
  auto link = std::make_shared<wire_link>(
      core, std::move(stream), pipe_,
      [self = shared_from_this()](error_code reason,
                                  std::optional<std::chrono::milliseconds> lasted) {
        self->linked_ = false;
        self->wait(reason, lasted);
      });
  link_ = link;
  core->add(link);
  core->turn([&] { link->start(); });
}

void dialer::wait(error_code reason, std::optional<std::chrono::milliseconds> lasted) {
  if (!wanted()) {
    return;
  }
  const auto wait = backoff_.on_end(reason, lasted, core_->random());
  if (!wait) {
    core_->give_up(shared_from_this(), reason);
    return;
  }
  timer_.expires_after(*wait);
  timer_.async_wait([self = shared_from_this()](error_code ec) {
    if (!ec) {
      self->attempt();
    }
  });
}

void dialer::finish() {
  if (!active()) {
    close();
  }
}

void dialer::close() noexcept {
  core_ = nullptr;
  timer_.cancel();
  if (connect_) {
    connect_->cancel();
    // It holds what is to be called, and that holds this.
    connect_.reset();
  }
}

}  // namespace zmtp
