#include "test/mdp/simulation/flood_process.h"

#include "test/mdp/simulation/parcel.h"
#include "test/mdp/simulation/stock_process.h"

#include <chrono>
#include <utility>

namespace mdp::simulation {

namespace {

constexpr std::chrono::milliseconds begins_after{500};
constexpr std::size_t flood_bytes = 200;

}  // namespace

void flood_process::begin() {
  auto options = without_linger();
  options.send_mark.messages.reset();
  options.announce_peers = true;
  connected_once_ = false;
  socket_.emplace(executor(), options);
  socket_->connect(endpoint_of(broker_->name()));
  receive();
  after(begins_after, [this] { flood(); });
}

void flood_process::leave() {
  socket_.reset();
  for (const auto call : std::exchange(open_, {})) {
    here().calls().forget(call);
  }
}

void flood_process::flood() {
  auto& calls = here().calls();
  for (std::size_t i = 0; socket_ && i < calls_; ++i) {
    const auto call = calls.begin_call(*asks_);
    zmtp::message m{"", client_header, asks_->name};
    for (const auto part : wrap_call(call, flood_bytes)) {
      m.push_back(part);
    }
    if (socket_->try_send(std::move(m)) != zmtp::send_status::queued) {
      calls.forget(call);
      return;
    }
    calls.on_sent(call);
    open_.insert(call);
  }
}

void flood_process::receive() {
  socket_->async_receive(batch_, [this](zmtp::error_code ec, std::size_t) {
    if (ec || !socket_) {
      return;
    }
    for (const auto item : std::exchange(batch_, {})) {
      take(item.to_routed_message());
    }
    receive();
  });
}

void flood_process::take(const zmtp::routed_message& item) {
  switch (item.what) {
    case zmtp::routed_message::kind::message: on_message(item.content); break;
    case zmtp::routed_message::kind::attached: connected_once_ = open_.empty(); break;
    case zmtp::routed_message::kind::detached: connected_once_ = false; break;
  }
}

// The reply alone tells which call it answers.
void flood_process::on_message(const zmtp::message& m) {
  zmtp::message body;
  for (std::size_t i = 3; i < m.size(); ++i) {
    body.push_back(m[i]);
  }
  const auto pieces = pieces_of(body);
  if (m.size() < 4 || !m[0].empty() || m[1] != client_header || m[2] != asks_->name || !pieces) {
    here().calls().report(violation::wrong_answer, name() + " got a reply that it did not request");
    return;
  }
  open_.erase(pieces->front().call);
  here().calls().on_reply(pieces->front().call, body);
}

}  // namespace mdp::simulation
