#include "test/mdp/simulation/stock_client_process.h"

#include "test/mdp/simulation/parcel.h"
#include "test/mdp/simulation/stock_process.h"

#include <boost/asio/detached.hpp>

#include <utility>

namespace mdp::simulation {

namespace {

constexpr std::size_t call_bytes = 100;

}  // namespace

void stock_client_process::begin() {
  open();
  wake_later();
}

void stock_client_process::end() {
  socket_.reset();
  if (std::exchange(asked_, nullptr) != nullptr) {
    here().calls().forget(call_);
  }
}

void stock_client_process::leave() {
  be_quiet();
  socket_.reset();
}

void stock_client_process::open() {
  socket_ = std::make_unique<zmtp::req_socket>(executor(), without_linger());
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
  attempts_left_ = what.idempotent || options_.repeats_all ? options_.attempts : 1;
  call_ = here().calls().begin_call(what);
  send();
  return call_;
}

void stock_client_process::send() {
  here().calls().on_sent(call_);
  zmtp::message m{client_header, asked_->name};
  for (const auto part : wrap_call(call_, call_bytes)) {
    m.push_back(part);
  }
  socket_->async_send(std::move(m), boost::asio::detached);
  socket_->async_receive(options_.timeout, [this, socket = socket_.get()](zmtp::error_code ec,
                                                                          const zmtp::message& r) {
    if (asked_ != nullptr && socket == socket_.get()) {
      on_reply(ec, r);
    }
  });
}

void stock_client_process::on_no_reply() {
  open();
  if (--attempts_left_ != 0) {
    send();
  } else {
    asked_ = nullptr;
    here().calls().on_failure(call_, outcome::unknown);
  }
}

void stock_client_process::on_reply(const zmtp::error_code& ec, const zmtp::message& m) {
  if (ec) {
    on_no_reply();
    return;
  }
  if (m.size() < 3 || m[0] != client_header || m[1] != asked_->name) {
    here().calls().report(violation::wrong_answer, name() + " got a reply that it did not request");
    return;
  }
  zmtp::message body;
  for (std::size_t i = 2; i < m.size(); ++i) {
    body.push_back(m[i]);
  }
  asked_ = nullptr;
  here().calls().on_reply(call_, body);
}

}  // namespace mdp::simulation
