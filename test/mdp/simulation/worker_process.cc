#include "test/mdp/simulation/worker_process.h"

#include "mdp/command.h"

#include <boost/asio/detached.hpp>

#include <utility>
#include <variant>

namespace mdp::simulation {

void worker_process::begin() {
  auto options = options_;
  if (faults_.sends_no_heartbeats) {
    options.heartbeat = std::chrono::hours{1};
  }
  for (const auto& broker : brokers_) {
    auto& at = *posts_.emplace_back(std::make_unique<post>());
    conversation_handlers handlers;
    handlers.on_received = [&at, how = dialect_of(options.protocol)](const zmtp::message& m) {
      auto copy = m;
      const auto input = parse_for_worker(copy, how);
      const auto* const asked = input ? std::get_if<broker_request>(&*input) : nullptr;
      if (const auto call = asked != nullptr ? call_of(copy, 2) : std::nullopt) {
        at.addresses[*call] = asked->address;
      }
    };
    at.at = std::make_unique<worker>(
        executor(), broker, options,
        [this, &at](worker_request request) { take(at, std::move(request)); }, std::move(handlers));
  }
}

void worker_process::end() {
  hanging_.clear();
  posts_.clear();
}

void worker_process::leave() {
  if (!faults_.never_leaves) {
    for (const auto& one : posts_) {
      one->at->async_drain(boost::asio::detached);
    }
  }
}

void worker_process::take(post& at, worker_request request) {
  auto& calls = here().calls();
  auto& random = here().random();
  const auto call = call_of(request.body());
  if (!call) {
    calls.report(violation::wrong_answer, name() + " got a request that no client sent");
    return;
  }
  if (random.chance(how_.refuses)) {
    static_cast<void>(request.refuse());
    return;
  }
  const auto run = calls.begin_run(*call, at.addresses[*call]);
  if (faults_.runs_twice) {
    static_cast<void>(calls.begin_run(*call, at.addresses[*call]));
  }
  if (faults_.refuses_after_work) {
    static_cast<void>(request.refuse());
    return;
  }
  const auto pieces = random.chance(how_.in_parts) ? random.between(2, 4) : 1;
  calls.say_in(run, static_cast<unsigned>(pieces));
  auto to = std::make_shared<worker_request>(std::move(request));
  if (faults_.never_answers || random.chance(how_.hangs)) {
    hanging_.push_back(std::move(to));
    return;
  }
  work(std::move(to),
       {*call, run, faults_.omits_a_piece && pieces > 1 ? 1U : 0U, static_cast<unsigned>(pieces)});
}

void worker_process::work(request_ptr to, piece next) {
  after(here().up_to(how_.longest), [this, to = std::move(to), next] { say(to, next); });
}

void worker_process::say(const request_ptr& to, piece next) {
  if (here().random().chance(how_.fails)) {
    static_cast<void>(to->fail());
    return;
  }
  auto said = next;
  if (faults_.edit) {
    faults_.edit(said);
  }
  if (++next.number == next.of) {
    static_cast<void>(to->reply(wrap_piece(said)));
  } else if (!to->reply_in_part(wrap_piece(said))) {
    // After the end of the conversation, the worker need not send more.
    work(to, next);
  }
}

}  // namespace mdp::simulation
