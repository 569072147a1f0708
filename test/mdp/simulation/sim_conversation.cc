#include "test/mdp/simulation/sim_conversation.h"

#include "zmtp/routing/round_robin_state.h"

#include <algorithm>
#include <utility>

namespace mdp::simulation {

namespace {

constexpr std::chrono::seconds linger{5};
constexpr std::chrono::milliseconds looks_every{10};

}  // namespace

sim_conversation::sim_conversation(town& in, simulated_host& host,
                                   std::shared_ptr<zmtp::server_list> brokers,
                                   std::vector<std::string> extensions, listener& to)
    : town_{&in},
      host_{&host},
      brokers_{std::move(brokers)},
      extensions_{std::move(extensions)},
      listener_{&to},
      alarm_{in, host, [this] {
               listener_->on_deadline(town_->now());
               look_at_deadline();
             }} {
  open();
}

sim_conversation::~sim_conversation() {
  if (!stopped_) {
    socket_->abandon();
  }
}

void sim_conversation::open() {
  zmtp::socket_options options;
  options.announce_peers = true;
  options.extensions = extensions_;
  options.send_mark.messages.reset();
  const bool others = brokers_->size() > 1;
  if (others) {
    options.reconnect.stop_after = 1;
  }
  broker_ = brokers_->current();
  socket_ = &town_->open(*host_, std::make_unique<zmtp::dealer_state>(options));
  // A socket that lingers outlives this conversation.
  socket_->serve([this, alive = std::weak_ptr{alive_}] { return !alive.expired() && receive(); });
  if (others) {
    socket_->on_stopped([this, alive = std::weak_ptr{alive_}] {
      if (!alive.expired() && !stopped_) {
        listener_->on_unreachable();
        look_at_deadline();
      }
    });
  }
  socket_->connect(brokers_->endpoint(broker_));
}

bool sim_conversation::receive() {
  const auto now = town_->now();
  zmtp::routed_message item;
  bool did = false;
  // Messages after the end of a conversation are ignored.
  while (!stopped_ && !reopening_ && socket_->state().receive(item)) {
    did = true;
    switch (item.what) {
      case zmtp::routed_message::kind::message:
        listener_->on_message(std::move(item.content), now);
        break;
      case zmtp::routed_message::kind::attached: {
        pace_.on_attached(now);
        const auto* const known = socket_->state().find(item.peer);
        announced_ = known != nullptr ? known->info.properties : zmtp::metadata{};
        listener_->on_attached(now);
        break;
      }
      case zmtp::routed_message::kind::detached: listener_->on_detached(); break;
    }
  }
  if (did) {
    look_at_deadline();
  }
  return did;
}

bool sim_conversation::send(zmtp::message&& m) {
  if (stopped_ || reopening_) {
    return false;
  }
  return socket_->send(std::move(m)) == zmtp::send_status::queued;
}

void sim_conversation::reopen(std::chrono::milliseconds delay) {
  if (reopening_ || stopped_) {
    return;
  }
  reopening_ = true;
  socket_->abandon();
  const auto random = static_cast<std::uint32_t>(town_->random().next());
  const auto wait = std::max(delay, pace_.wait(town_->now(), random));
  (void)town_->net().after(*host_, wait, [this, alive = std::weak_ptr{alive_}] {
    if (!alive.expired() && !stopped_) {
      reopening_ = false;
      open();
    }
  });
}

void sim_conversation::look_at_deadline() {
  if (!stopped_) {
    alarm_.set(listener_->next_deadline());
  }
}

void sim_conversation::finish() {
  stopped_ = true;
  alarm_.cancel();
  if (!reopening_) {
    close_when_written(*town_, *socket_, town_->now() + linger);
  }
}

void sim_conversation::close_when_written(town& in, sim_socket& socket, time_point at_last) {
  if (socket.abandoned()) {
    return;
  }
  if (socket.written() || in.now() >= at_last) {
    socket.abandon();
    return;
  }
  (void)in.net().after(socket.host(), looks_every,
                       [&in, &socket, at_last] { close_when_written(in, socket, at_last); });
}

}  // namespace mdp::simulation
