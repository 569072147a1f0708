#include "test/bstar/simulation/server_process.h"

#include "bstar/epoch_file.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <filesystem>
#include <utility>

namespace bstar::simulation {

namespace asio = boost::asio;

void server_process::start() {
  if (options_.loses_file) {
    std::filesystem::remove(options_.node.epoch_file);
  }
  process_->start([this](const asio::any_io_executor& executor) { return begin(executor); });
}

std::shared_ptr<void> server_process::begin(const asio::any_io_executor& executor) {
  states_received_ = 0;
  believes_active_ = false;
  node_ = std::make_shared<node>(executor, options_.node,
                                 node_handlers{.on_active = [this](epoch e) { on_active(e); },
                                               .on_passive =
                                                   [this](passive_reason) {
                                                     believes_active_ = false;
                                                     history_->on_passive(who_);
                                                   }});
  history_->on_start(who_, node_->status().current);
  node_->bind("tcp://*:5001");
  node_->connect("tcp://" + host_of(1 - who_) + ":5001");
  if (options_.serves_without_vote) {
    zmtp::router_socket router{executor};
    router.bind("tcp://*:5002");
    asio::co_spawn(executor, serve_without_vote(std::move(router)), asio::detached);
  } else {
    node_->bind_voter("tcp://*:5002",
                      [this](zmtp::routed_message request, zmtp::router_socket& on) {
                        echo(std::move(request), on);
                      });
  }
  return node_;
}

void server_process::kill(zmtp::simulation::death how) {
  if (std::exchange(node_, nullptr)) {
    history_->on_end(who_);
  }
  paused_ = false;
  process_->kill(how);
}

void server_process::pause() {
  paused_ = true;
  process_->pause();
  history_->on_pause(who_);
}

void server_process::resume() {
  if (std::exchange(paused_, false)) {
    process_->resume();
    history_->on_resume(who_);
  }
}

void server_process::observe() {
  if (node_) {
    const auto now = node_->status();
    take_reports(now);
    history_->on_step(who_, now.current);
  }
}

void server_process::take_reports(const node_status& now) {
  if (std::exchange(states_received_, now.states_received) != now.states_received) {
    history_->on_heard(who_);
  }
}

void server_process::on_active(epoch with) {
  believes_active_ = true;
  const auto now = node_->status();
  const bool by_report =
      now.states_received != states_received_ && now.peer->state != peer_state::active;
  take_reports(now);
  boost::system::error_code ec;
  history_->on_active(who_, with, epoch_file{options_.node.epoch_file}.load(ec), by_report);
}

void server_process::echo(zmtp::routed_message request, zmtp::router_socket& on) {
  history_->on_served(who_);
  if (!options_.serves_nobody) {
    // A client that has gone gets no answer.
    static_cast<void>(on.try_send(request.peer, std::move(request.content)));
  }
}

asio::awaitable<void> server_process::serve_without_vote(zmtp::router_socket on) {
  for (;;) {
    zmtp::routed_message request = co_await on.async_receive(asio::use_awaitable);
    if (believes_active_ || node_->vote()) {
      echo(std::move(request), on);
    }
  }
}

}  // namespace bstar::simulation
