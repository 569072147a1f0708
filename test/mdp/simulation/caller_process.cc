#include "test/mdp/simulation/caller_process.h"

#include "mdp/error.h"

#include <utility>

namespace mdp::simulation {

using boost::system::error_code;

void caller_process::begin() {
  life_ = std::make_unique<sim_client>(here(), host(), brokers_, options_, faults_.client);
  wake_later();
}

void caller_process::end() {
  life_.reset();
  for (const auto call : std::exchange(open_, {})) {
    here().books().forget(call);
  }
}

void caller_process::leave() {
  be_quiet();
  if (life_) {
    life_->stop();
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
       left != 0 && how_.calls != 0 && life_->in_flight() < how_.in_flight; --left) {
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
  auto& random = here().random();
  auto& books = here().books();
  const auto until =
      how.total_timeout ? std::optional{here().now() + *how.total_timeout} : std::nullopt;
  const auto patient = how.timeout == timeout;
  if (faults_.forgets_time_in_all) {
    how.total_timeout.reset();
  }
  const auto call = books.begin_call(what, until);
  open_.insert(call);
  const auto begun = here().now();
  const auto ec = life_->ask(
      what.name, wrap_call(call, random.pick(how_.bytes + 1)), how,
      {.on_sent = [this, call] { here().books().on_sent(call); },
       .on_part = [this, call](const zmtp::message& m) { here().books().on_part(call, m); },
       .on_end =
           [this, call, patient, begun](const error_code& failed, const zmtp::message& m) {
             open_.erase(call);
             if (!failed) {
               here().books().on_reply(call, m);
               return;
             }
             here().books().on_failure(call, outcome_of(failed));
             if (patient && here().now() - begun >= timeout) {
               here().books().report(violation::lost,
                                     "call " + std::to_string(call) + " was waited for in vain");
             }
           }});
  if (ec) {
    books.report(violation::stuck, name() + " cannot ask: " + ec.message());
  }
  return call;
}

}  // namespace mdp::simulation
