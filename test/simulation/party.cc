#include "test/simulation/party.h"

#include <algorithm>

namespace zmtp::simulation {

party::party(simulated_network& net, ledger& books, std::uint32_t number,
             std::unique_ptr<socket_state> state, const habits& how)
    : net_{&net},
      books_{&books},
      habits_{how},
      socket_{net, net.add_host(), number, std::move(state), books} {
  socket_.serve([this] { return serve(); });
}

bool party::serve() {
  auto did = false;
  if (habits_.eager) {
    did = eat();
  } else if (socket_.state().readable()) {
    wake_later();
  }
  return talk() || did;
}

bool party::eat() {
  std::size_t eaten = 0;
  while (eaten < habits_.appetite && receive()) {
    ++eaten;
  }
  if (eaten != 0) {
    net_->here().note("receive: party, messages", {number(), eaten});
  }
  return eaten != 0;
}

bool party::talk() {
  auto did = false;
  while (speaks()) {
    if (!speak()) {
      socket_.wait_to_send(true);
      return did;
    }
    did = true;
  }
  socket_.wait_to_send(false);
  return did;
}

void party::wake_later() {
  if (wakes_) {
    return;
  }
  wakes_ = true;
  (void)net_->after(socket_.host(), random().up_to(habits_.pace), [this] {
    wakes_ = false;
    wake();
  });
}

void party::wake() {
  net_->here().note("wake: party", {number()});
  const auto burst = std::min(habits_.messages, random().between(0, habits_.burst));
  habits_.messages -= burst;
  due_ += burst;
  if (!habits_.eager) {
    (void)eat();
    socket_.schedule();
  }
  (void)talk();
  if (habits_.messages != 0 || (!habits_.eager && socket_.state().readable())) {
    wake_later();
  }
}

void party::send_another() {
  ++due_;
  (void)talk();
}

bool party::offer(std::span<const std::string_view> envelope, std::uint32_t destination,
                  std::uint32_t answers) {
  if (!pending_) {
    auto p = books_->next(number(), destination, answers);
    auto m = wrap(p, envelope, habits_.sizes, random());
    pending_.emplace(p, std::move(m));
  }
  const auto p = pending_->first;
  const auto& counters = socket_.state().counters();
  const auto sent_before = counters.messages_sent;
  const auto status = socket_.send(std::move(pending_->second));
  if (status != send_status::queued) {
    return false;
  }
  // REP drops some replies at once, so they were not sent. Separate books count messages to many
  // peers.
  if (counters.messages_sent != sent_before || sends_to_many(socket_.state().type())) {
    books_->queued(p, envelope.empty() ? std::string_view{} : envelope.front());
  }
  last_ = p;
  net_->here().note("send: party, parcel", {number(), p.sequence});
  pending_.reset();
  return true;
}

}  // namespace zmtp::simulation
