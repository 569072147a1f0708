#include "test/mdp/simulation/worker_process.h"

#include "test/mdp/simulation/broker_process.h"

#include <utility>

namespace mdp::simulation {

void worker_process::begin() {
  life_ = std::make_shared<sim_worker>(
      here(), host(), broker_process::endpoint, options_,
      [this](std::uint64_t id, const zmtp::message& body) { take(id, body); });
}

void worker_process::leave() {
  if (life_) {
    life_->drain();
  }
}

void worker_process::take(std::uint64_t id, const zmtp::message& body) {
  auto& books = here().books();
  auto& random = here().random();
  const auto call = call_of(body);
  if (!call) {
    books.report(breach::wrong_answer, name() + " was given what nobody asked");
    return;
  }
  const auto run = books.begin_run(*call, life_->socket_number());
  if (faults_.runs_twice) {
    (void)books.begin_run(*call, life_->socket_number());
  }
  const auto pieces = random.chance(how_.in_parts) ? random.between(2, 4) : 1;
  books.say_in(run, static_cast<unsigned>(pieces));
  if (!random.chance(how_.hangs)) {
    work(id, {*call, run, 0, static_cast<unsigned>(pieces)});
  }
}

void worker_process::work(std::uint64_t id, piece next) {
  (void)here().net().after(host(), here().up_to(how_.longest),
                           [this, id, next, life = std::weak_ptr{life_}] {
                             if (!life.expired()) {
                               say(id, next);
                             }
                           });
}

void worker_process::say(std::uint64_t id, piece next) {
  if (here().random().chance(how_.drops)) {
    life_->drop(id);
    return;
  }
  auto said = next;
  if (faults_.edit) {
    faults_.edit(said);
  }
  const auto last = ++next.number == next.of;
  // Whose conversation is over need not say more.
  if (!life_->reply(id, wrap_piece(said), last) && !last) {
    work(id, next);
  }
}

}  // namespace mdp::simulation
