#include "test/mdp/simulation/sim_worker.h"

#include "mdp/announcement.h"

#include <utility>

namespace mdp::simulation {

sim_worker::sim_worker(town& in, simulated_host& host, std::string broker,
                       const worker_options& options, handler on_request)
    : town_{&in},
      state_{options},
      on_request_{std::move(on_request)},
      socket_{in, host,
              std::make_shared<zmtp::server_list>(std::vector<std::string>{std::move(broker)}),
              announce(options), *this} {}

boost::system::error_code sim_worker::reply(std::uint64_t id, zmtp::message body, bool final) {
  const auto ec = final ? state_.reply(id, std::move(body), town_->now(), actions_)
                        : state_.reply_in_part(id, std::move(body), town_->now(), actions_);
  carry_out();
  return ec;
}

void sim_worker::give_back(std::uint64_t id, nack_reason reason) {
  (void)state_.give_back(id, reason, town_->now(), actions_);
  carry_out();
}

void sim_worker::drain() {
  state_.drain(town_->now(), actions_);
  carry_out();
}

void sim_worker::stop() {
  if (!socket_.stopped()) {
    state_.stop(actions_);
    carry_out();
    socket_.finish();
  }
}

void sim_worker::on_attached(time_point now) {
  state_.on_attached(parse_broker_announcement(socket_.announced()).nack, now, actions_);
  carry_out();
}

void sim_worker::on_message(zmtp::message&& m, time_point now) {
  state_.on_message(std::move(m), now, actions_);
  carry_out();
}

void sim_worker::on_detached() {
  state_.on_detached(actions_);
  carry_out();
}

void sim_worker::on_deadline(time_point now) {
  state_.on_deadline(now, actions_);
  carry_out();
}

void sim_worker::carry_out() {
  auto actions = std::exchange(actions_, {});
  for (auto& m : actions.sends) {
    if (!socket_.send(std::move(m))) {
      state_.on_detached(actions);
    }
  }
  if (actions.reopen) {
    socket_.reopen(*actions.reopen);
  }
  if (actions.drained && !socket_.stopped()) {
    socket_.finish();
  }
  for (auto& r : actions.requests) {
    if (!socket_.stopped()) {
      on_request_(r.id, std::move(r.body));
    }
  }
}

}  // namespace mdp::simulation
