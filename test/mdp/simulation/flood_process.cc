#include "test/mdp/simulation/flood_process.h"

#include "zmtp/routing/round_robin_state.h"

#include <utility>

namespace mdp::simulation {

namespace {

constexpr std::string_view header = "MDPC01";
constexpr std::chrono::milliseconds begins_after{500};
constexpr std::size_t bytes = 200;

}  // namespace

void flood_process::begin() {
  zmtp::socket_options options;
  options.send_mark.messages.reset();
  socket_ = &here().open(host(), std::make_unique<zmtp::dealer_state>(options));
  socket_->serve([this] { return receive(); });
  socket_->connect(broker_->name());
  after(begins_after, [this] { flood(); });
}

void flood_process::end() {
  for (const auto call : std::exchange(open_, {})) {
    here().books().forget(call);
  }
}

void flood_process::leave() {
  if (running()) {
    socket_->abandon();
  }
  for (const auto call : std::exchange(open_, {})) {
    here().books().forget(call);
  }
}

void flood_process::flood() {
  for (std::size_t i = 0; i < calls_; ++i) {
    const auto call = here().books().begin_call(*asks_);
    here().books().on_sent(call);
    open_.insert(call);
    zmtp::message m{"", header, asks_->name};
    for (const auto part : wrap_call(call, bytes)) {
      m.push_back(part);
    }
    (void)socket_->send(std::move(m));
  }
}

bool flood_process::receive() {
  zmtp::message m;
  bool did = false;
  while (!socket_->abandoned() && socket_->state().receive(m)) {
    did = true;
    on_message(m);
  }
  return did;
}

// The reply alone tells which call it answers.
void flood_process::on_message(const zmtp::message& m) {
  zmtp::message body;
  for (std::size_t i = 3; i < m.size(); ++i) {
    body.push_back(m[i]);
  }
  const auto pieces = pieces_of(body);
  if (m.size() < 4 || !m[0].empty() || m[1] != header || m[2] != asks_->name || !pieces) {
    here().books().report(violation::wrong_answer, name() + " got a reply that it did not request");
    return;
  }
  open_.erase(pieces->front().call);
  here().books().on_reply(pieces->front().call, body);
}

std::size_t flood_process::unanswered() const {
  const auto number = socket_->number();
  auto& books = here().books();
  return books.streams_of(number) == 1 && !books.is_over(books.stream_of(number)) ? open_.size()
                                                                                  : 0;
}

}  // namespace mdp::simulation
