#include "test/mdp/simulation/stock_client_process.h"

#include "zmtp/routing/lock_step_state.h"

#include <utility>

namespace mdp::simulation {

namespace {

constexpr std::string_view header = "MDPC01";
constexpr std::size_t bytes = 100;

}  // namespace

void stock_client_process::begin() {
  open();
  wake_later();
}

void stock_client_process::end() {
  if (std::exchange(asked_, nullptr) != nullptr) {
    here().books().forget(call_);
  }
}

void stock_client_process::leave() {
  be_quiet();
  if (running()) {
    socket_->abandon();
  }
}

void stock_client_process::open() {
  socket_ = &here().open(host(), std::make_unique<zmtp::req_state>(zmtp::socket_options{}));
  socket_->serve([this] { return receive(); });
  socket_->connect(broker_);
}

void stock_client_process::wake_later() {
  if (options_.calls == 0) {
    return;
  }
  after(here().up_to(options_.pace), [this] {
    if (options_.calls != 0 && asked_ == nullptr) {
      --options_.calls;
      ask(*asks_[here().random().pick(asks_.size())]);
    }
    wake_later();
  });
}

std::uint32_t stock_client_process::ask(const trade& what) {
  asked_ = &what;
  attempts_left_ = what.idempotent ? options_.attempts : 1;
  call_ = here().books().begin_call(what);
  send();
  return call_;
}

void stock_client_process::send() {
  here().books().on_sent(call_);
  zmtp::message m{header, asked_->name};
  for (const auto part : wrap_call(call_, bytes)) {
    m.push_back(part);
  }
  (void)socket_->send(std::move(m));
  after(options_.timeout, [this, call = call_, left = attempts_left_] {
    if (asked_ != nullptr && call_ == call && attempts_left_ == left) {
      on_timeout();
    }
  });
}

void stock_client_process::on_timeout() {
  socket_->abandon();
  open();
  if (--attempts_left_ != 0) {
    send();
  } else {
    asked_ = nullptr;
    here().books().on_failure(call_, outcome::unknown);
  }
}

bool stock_client_process::receive() {
  zmtp::message m;
  bool did = false;
  while (!socket_->abandoned() && socket_->state().receive(m)) {
    did = true;
    on_message(m);
  }
  return did;
}

void stock_client_process::on_message(const zmtp::message& m) {
  if (asked_ == nullptr || m.size() < 3 || m[0] != header || m[1] != asked_->name) {
    here().books().report(violation::wrong_answer, name() + " got a reply that it did not request");
    return;
  }
  zmtp::message body;
  for (std::size_t i = 2; i < m.size(); ++i) {
    body.push_back(m[i]);
  }
  asked_ = nullptr;
  here().books().on_reply(call_, body);
}

}  // namespace mdp::simulation
