#include "test/chp/simulation/server_process.h"

#include <utility>

namespace chp::simulation {

namespace asio = boost::asio;

void server_process::start() {
  note("starts");
  process_->start([this](const asio::any_io_executor& executor) { return begin(executor); });
}

std::shared_ptr<void> server_process::begin(const asio::any_io_executor& executor) {
  replicated_server_handlers handlers;
  handlers.on_active = [this](bstar::epoch e) { note("active in epoch " + std::to_string(e)); };
  handlers.on_passive = [this](bstar::passive_reason) { note("passive"); };
  handlers.on_pair_error = [this](boost::system::error_code ec) { note(ec.message()); };
  handlers.on_event = [this](server_event event) { note(to_string(event)); };
  handlers.on_lost = [this](const std::string& path, boost::system::error_code ec) {
    note("lost file " + path.substr(path.rfind('/') + 1) + ": " + ec.message());
  };
  server_ = std::make_shared<replicated_server>(executor, options_.server, std::move(handlers));
  server_->bind("tcp://*:5556");
  server_->bind_state("tcp://*:5555");
  const auto peer = host_of(1 - who_);
  server_->connect(
      {.state = "tcp://" + peer + ":5555", .snapshots = endpoint_of(1 - who_), .publisher = {}});
  return server_;
}

void server_process::kill(zmtp::simulation::death how) {
  server_.reset();
  process_->kill(how);
}

map_history::content server_process::content() const {
  map_history::content all;
  if (server_) {
    server_->map().for_each("", [&](const store::entry& e) {
      all.emplace(e.key(), e.value());
      return true;
    });
  }
  return all;
}

std::string server_process::status() const {
  if (!server_) {
    return "down";
  }
  const auto now = server_->status().server;
  return std::string{now.active ? "active" : "passive"} +
         (now.backup_in_sync ? ", backup in sync" : "") + (now.stopped ? ", stopped" : "") +
         (now.following ? ", following" : "") + ", number " + std::to_string(now.number) +
         ", committed " + std::to_string(now.committed);
}

void server_process::note(const std::string& what) {
  world_->net().here().note(host_of(who_) + ": " + what, {});
}

}  // namespace chp::simulation
