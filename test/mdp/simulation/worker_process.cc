#include "test/mdp/simulation/worker_process.h"

#include <utility>

namespace mdp::simulation {

void worker_process::begin() {
  for (const auto& broker : brokers_) {
    workers_.push_back(std::make_unique<sim_worker>(
        here(), host(), broker, options_,
        [this, at = workers_.size()](std::uint64_t id, const zmtp::message& body) {
          take(at, id, body);
        }));
  }
}

void worker_process::leave() {
  for (const auto& one : workers_) {
    one->drain();
  }
}

void worker_process::take(std::size_t at, std::uint64_t id, const zmtp::message& body) {
  auto& books = here().books();
  auto& random = here().random();
  const auto call = call_of(body);
  if (!call) {
    books.report(violation::wrong_answer, name() + " got a request that no client sent");
    return;
  }
  if (random.chance(how_.refuses)) {
    workers_[at]->give_back(id, nack_reason::refused);
    return;
  }
  const auto socket = workers_[at]->socket_number();
  const auto run = books.begin_run(*call, socket);
  if (faults_.runs_twice) {
    (void)books.begin_run(*call, socket);
  }
  const auto pieces = random.chance(how_.in_parts) ? random.between(2, 4) : 1;
  books.say_in(run, static_cast<unsigned>(pieces));
  if (!random.chance(how_.hangs)) {
    work(at, id, {*call, run, 0, static_cast<unsigned>(pieces)});
  }
}

void worker_process::work(std::size_t at, std::uint64_t id, piece next) {
  after(here().up_to(how_.longest), [this, at, id, next] { say(at, id, next); });
}

void worker_process::say(std::size_t at, std::uint64_t id, piece next) {
  auto& to = *workers_[faults_.mixes_brokers_up ? (at + 1) % workers_.size() : at];
  if (here().random().chance(how_.fails)) {
    to.give_back(id, nack_reason::failed);
    return;
  }
  auto said = next;
  if (faults_.edit) {
    faults_.edit(said);
  }
  const auto last = ++next.number == next.of;
  // After the end of the conversation, the worker need not send more.
  if (!to.reply(id, wrap_piece(said), last) && !last) {
    work(at, id, next);
  }
}

}  // namespace mdp::simulation
