#include "test/mdp/simulation/stock_worker_process.h"

#include "zmtp/routing/round_robin_state.h"

#include <utility>

namespace mdp::simulation {

namespace {

constexpr unsigned full_liveness = 3;
constexpr std::string_view header = "MDPW01";
constexpr std::string_view ready = "\1";
constexpr std::string_view request = "\2";
constexpr std::string_view reply = "\3";
constexpr std::string_view heartbeat = "\4";
constexpr std::string_view disconnect = "\5";

}  // namespace

void stock_worker_process::begin() {
  open();
  tick_later();
}

void stock_worker_process::open() {
  closed_ = working_ = hangs_ = false;
  liveness_ = full_liveness;
  socket_ = &here().open(host(), std::make_unique<zmtp::dealer_state>(zmtp::socket_options{}));
  socket_->serve([this] { return receive(); });
  socket_->connect(broker_);
  say({"", header, ready, serves_->name});
}

void stock_worker_process::be_good() {
  how_.hangs = 0;
  if (hangs_) {
    kill(false);
    start();
  }
}

void stock_worker_process::close_for(std::chrono::milliseconds wait) {
  closed_ = true;
  socket_->abandon();
  after(wait, [this] { open(); });
}

void stock_worker_process::say(std::initializer_list<std::string_view> frames) {
  zmtp::message m;
  for (const auto frame : frames) {
    m.push_back(frame);
  }
  (void)socket_->send(std::move(m));
}

bool stock_worker_process::receive() {
  zmtp::message m;
  bool did = false;
  while (!closed_ && !working_ && socket_->state().receive(m)) {
    did = true;
    on_message(std::move(m));
  }
  return did;
}

void stock_worker_process::on_message(zmtp::message&& m) {
  liveness_ = full_liveness;
  if (m.size() < 3 || !m[0].empty() || m[1] != header) {
    here().books().report(violation::wrong_answer, name() + " got a message that is not MDP/0.1");
  } else if (m[2] == request) {
    take(m);
  } else if (m[2] == disconnect) {
    close_for({});
  }
}

// Behind the command come the client's address, an empty frame and the body.
void stock_worker_process::take(const zmtp::message& m) {
  const auto call = m.size() > 5 && m[4].empty() ? call_of(m, 5) : std::nullopt;
  if (!call) {
    here().books().report(violation::wrong_answer, name() + " got a request that no client sent");
    return;
  }
  const auto run = here().books().begin_run(*call, socket_->number());
  here().books().say_in(run, 1);
  working_ = true;
  if (here().random().chance(how_.hangs)) {
    hangs_ = true;
    return;
  }
  after(here().up_to(how_.longest), [this, call = *call, run, address = std::string{m[3]}] {
    const auto body = wrap_piece({call, run, 0, 1});
    say({"", header, reply, address, "", body[0], body[1], body[2], body[3]});
    working_ = false;
    // Messages that arrived meanwhile.
    socket_->turn([] {});
  });
}

void stock_worker_process::tick_later() {
  after(options_.heartbeat, [this] {
    tick();
    tick_later();
  });
}

void stock_worker_process::tick() {
  if (closed_ || working_) {
    return;
  }
  if (--liveness_ == 0) {
    close_for(options_.reconnect_delay);
  } else {
    say({"", header, heartbeat});
  }
}

}  // namespace mdp::simulation
