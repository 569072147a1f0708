#include "test/mdp/simulation/caller_process.h"

#include "mdp/error.h"
#include "test/mdp/simulation/parcel.h"

#include <utility>

namespace mdp::simulation {

using boost::system::error_code;

conversation_handlers notes_of_attempts(setting& in) {
  conversation_handlers handlers;
  // The body of a call is at the end of the message.
  handlers.on_send = [&in](const zmtp::message& m) {
    const auto call = m.size() < 2 ? std::nullopt : call_of(m, m.size() - 2);
    if (call) {
      in.calls().on_sent(*call);
    }
  };
  return handlers;
}

void caller_process::begin() {
  if (faults_.knows_one_broker) {
    brokers_.resize(1);
  }
  client_.emplace(executor(), brokers_, options_, notes_of_attempts(here()));
  wake_later();
}

void caller_process::end() {
  client_.reset();
  for (const auto call : std::exchange(open_, {})) {
    here().calls().forget(call);
  }
}

void caller_process::leave() {
  be_quiet();
  if (client_) {
    client_->stop();
  }
}

void caller_process::wake_later() {
  if (how_.calls == 0) {
    return;
  }
  after(here().up_to(how_.pace), [this] {
    wake();
    wake_later();
  });
}

void caller_process::wake() {
  auto& random = here().random();
  for (auto left = random.between(0, how_.burst);
       left != 0 && how_.calls != 0 && open_.size() < how_.in_flight; --left) {
    --how_.calls;
    ask(*asks_[random.pick(asks_.size())]);
  }
}

std::uint32_t caller_process::ask(const trade& what) {
  auto& random = here().random();
  request_options how;
  if (random.chance(how_.hurries)) {
    how.total_timeout = here().up_to(std::chrono::milliseconds{5'000});
  }
  how.idempotent = what.idempotent;
  if (random.chance(what.idempotent ? 20 : 50)) {
    how.attempts = 1;
    how.timeout = timeout;
  }
  return ask(what, how);
}

std::uint32_t caller_process::ask_patiently(const trade& what) {
  return ask(what, {.timeout = timeout, .attempts = 1, .total_timeout = {}, .idempotent = {}});
}

std::uint32_t caller_process::ask(const trade& what, request_options how) {
  auto& calls = here().calls();
  const auto until =
      how.total_timeout ? std::optional{here().now() + *how.total_timeout} : std::nullopt;
  const auto patient = how.timeout == timeout;
  if (faults_.forgets_time_in_all) {
    how.total_timeout.reset();
  }
  const auto call = calls.begin_call(what, until);
  open_.insert(call);
  const auto begun = here().now();
  client_->async_request(
      what.name, wrap_call(call, here().random().pick(how_.bytes + 1)), how,
      [this, call](const zmtp::message& part) { here().calls().on_part(call, part); },
      [this, call, patient, begun](const error_code& ec, zmtp::message reply) {
        if (ec && patient && here().now() - begun >= timeout) {
          here().calls().report(violation::lost,
                                "call " + std::to_string(call) + " was waited for in vain");
        }
        on_end(call, ec, std::move(reply));
      });
  return call;
}

void caller_process::on_end(std::uint32_t call, const error_code& ec, zmtp::message reply) {
  open_.erase(call);
  auto& calls = here().calls();
  if (ec && !faults_.hides_failures) {
    calls.on_failure(call, outcome_of(ec));
  }
  if (ec) {
    return;
  }
  if (faults_.adds_to_replies) {
    reply.push_back("more");
  }
  calls.on_reply(call, reply);
  if (faults_.tells_replies_twice) {
    calls.on_reply(call, reply);
  }
}

}  // namespace mdp::simulation
