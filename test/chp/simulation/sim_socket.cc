#include "test/chp/simulation/sim_socket.h"

#include "zmtp/routing/subscriber_state.h"

#include <algorithm>
#include <utility>

namespace zmtp::simulation {

namespace {

constexpr int max_rounds = 16;

}  // namespace

sim_socket::sim_socket(simulated_network& net, simulated_host& host, std::uint32_t number,
                       std::unique_ptr<socket_state> state)
    : net_{&net}, host_{&host}, number_{number}, state_{std::move(state)} {}

sim_socket::~sim_socket() {
  for (const auto& d : dialers_) {
    d->close();
  }
}

std::uint32_t sim_socket::random() {
  return static_cast<std::uint32_t>(net_->here().random.next());
}

void sim_socket::bind(std::string_view name) {
  bound_.emplace_back(name);
  net_->listen(name, *host_, [this](simulated_network::stream_ptr stream) {
    auto link = std::make_shared<sim_link>(*this, std::move(stream), end_of_stream::accepting,
                                           std::nullopt, nullptr);
    add(link);
    turn([&] { link->start(); });
  });
}

void sim_socket::unbind(std::string_view name) {
  std::erase(bound_, name);
  net_->unlisten(name);
}

void sim_socket::connect(std::string_view name) {
  auto& p = state_->open_pipe(true);
  dialers_.push_back(std::make_shared<sim_dialer>(*this, name, p.id));
  dialers_.back()->start();
}

void sim_socket::disconnect(std::string_view name) {
  const auto found = std::find_if(dialers_.begin(), dialers_.end(),
                                  [&](const auto& d) { return d->to() == name; });
  if (found == dialers_.end()) {
    return;
  }
  const auto gone = *found;
  dialers_.erase(found);
  act([&] {
    const auto link = gone->link();
    gone->close();
    if (link) {
      link->close(errc::socket_closed);
    }
    drop(*gone);
  });
}

void sim_socket::drop(const sim_dialer& gone) {
  if (auto* p = state_->find(gone.pipe())) {
    state_->close_pipe(*p);
  }
}

void sim_socket::give_up(const std::shared_ptr<sim_dialer>& gone) {
  if (told_of_stop_) {
    (void)net_->after(*host_, {}, [this] {
      if (!abandoned_) {
        told_of_stop_();
      }
    });
  }
  turn([&] {
    gone->close();
    std::erase(dialers_, gone);
    drop(*gone);
  });
}

void sim_socket::disconnect(peer_id peer) {
  act([&] {
    if (auto* link = link_of(peer)) {
      link->close(errc::socket_closed);
    }
  });
}

void sim_socket::abandon() {
  abandoned_ = true;
  for (const auto& name : bound_) {
    net_->unlisten(name);
  }
  bound_.clear();
  for (const auto& d : dialers_) {
    d->close();
  }
  dialers_.clear();
  for (const auto& link : std::vector{links_}) {
    link->abandon();
  }
}

bool sim_socket::written() const {
  bool all = std::all_of(links_.begin(), links_.end(), [](const auto& l) { return l->written(); });
  state_->for_each_pipe([&](const pipe& p) { all = all && p.out.messages() == 0; });
  return all;
}

void sim_socket::subscribe(std::string_view topic) {
  static_cast<subscriber_state&>(*state_).subscribe(topic);
  schedule();
}

void sim_socket::unsubscribe(std::string_view topic) {
  static_cast<subscriber_state&>(*state_).unsubscribe(topic);
  schedule();
}

void sim_socket::tell_peers() {
  auto& unsent_subscriptions = state_->unsent_subscriptions();
  state_->for_each_pipe([&](const pipe& p) {
    if (auto* link = link_of(p.id)) {
      for (const auto& change : unsent_subscriptions) {
        link->tell(change.subscribe, change.topic);
      }
    }
  });
  unsent_subscriptions.clear();
}

template <class Body>
void sim_socket::act(Body&& body) {
  ++turns_;
  body();
  --turns_;
  if (turns_ == 0) {
    post_turn();
  }
}

void sim_socket::schedule() {
  if (turns_ == 0 &&
      !(state_->dirty().empty() && state_->resumable().empty() && state_->too_slow().empty())) {
    post_turn();
  }
}

void sim_socket::post_turn() {
  if (turn_posted_) {
    return;
  }
  turn_posted_ = true;
  (void)net_->after(*host_, {}, [this] {
    turn_posted_ = false;
    turn([] {});
  });
}

bool sim_socket::flush() {
  turn_number_ += turns_++ == 0 ? 1U : 0U;
  state_->end_turn();
  tell_peers();
  auto& dirty = state_->dirty();
  for (auto count = dirty.size(); count != 0; --count) {
    const auto id = dirty.front();
    auto* const link = link_of(id);
    const auto more = link != nullptr && !link->flush();
    auto* const p = state_->find(id);
    if (p != nullptr) {
      p->out.compact();
      p->dirty = false;
    }
    dirty.pop_front();
    if (p != nullptr && more) {
      state_->touch(*p);
    }
  }
  --turns_;
  return dirty.empty();
}

bool sim_socket::resume_drained() {
  auto& resumable = state_->resumable();
  if (resumable.empty()) {
    return false;
  }
  for (std::size_t i = 0; i < resumable.size(); ++i) {
    if (auto* link = link_of(resumable[i])) {
      link->resume();
    }
  }
  resumable.clear();
  return true;
}

// Disconnects the peer that was too slow, if it still has the same connection.
bool sim_socket::end_overrun() {
  auto& too_slow = state_->too_slow();
  if (too_slow.empty()) {
    return false;
  }
  for (std::size_t i = 0; i < too_slow.size(); ++i) {
    const auto* const p = state_->find(too_slow[i]);
    if (auto* const link = p != nullptr && p->too_slow ? link_of(too_slow[i]) : nullptr) {
      link->close(errc::too_slow);
    }
  }
  too_slow.clear();
  return true;
}

void sim_socket::end_turn() {
  ++turns_;
  bool more = true;
  for (int round = 0; more && round < max_rounds; ++round) {
    more = resume_drained();
    more = end_overrun() || more;
    more = (user_ && !abandoned_ && user_()) || more;
    // A pattern may have dropped everything that it received, and freed its queue without a
    // notification.
    more = !state_->resumable().empty() || !state_->too_slow().empty() || more;
  }
  const auto promising = !state_->dirty().empty() && sender_waits_;
  flush();
  more = more || !state_->too_slow().empty();
  if (more || promising || !state_->dirty().empty()) {
    post_turn();
  }
  --turns_;
}

void sim_socket::attach(peer_id id, const std::shared_ptr<sim_link>& link) {
  tell_peers();
  if (id.slot >= by_slot_.size()) {
    by_slot_.resize(id.slot + 1);
  }
  by_slot_[id.slot] = link.get();
}

void sim_socket::detach(peer_id id) noexcept {
  if (id.slot < by_slot_.size()) {
    by_slot_[id.slot] = nullptr;
  }
}

sim_link* sim_socket::link_of(peer_id id) const noexcept {
  return id.slot < by_slot_.size() && state_->find(id) != nullptr ? by_slot_[id.slot] : nullptr;
}

void sim_socket::remove(const sim_link& link) noexcept {
  std::erase_if(links_, [&](const auto& l) { return l.get() == &link; });
}

}  // namespace zmtp::simulation
