#include "test/chp/simulation/server_process.h"

#include "test/chp/simulation/message_edits.h"

#include <filesystem>
#include <fstream>
#include <utility>

namespace chp::simulation {

namespace asio = boost::asio;

server_process::server_process(zmtp::simulation::world& in, map_history& to, server who,
                               const std::string& folder, options how)
    : world_{&in},
      process_{&in.add(host_of(who))},
      history_{&to},
      who_{who},
      options_{std::move(how)},
      disk_{in},
      watch_{to, who, host_of(who)},
      expiries_{to, host_of(who)} {
  process_->set_clock(options_.clock);
  expiries_.set_clock(options_.clock);
  options_.server.pair.epoch_file = folder + '/' + host_of(who) + ".epoch";
  options_.server.lost_folder = folder + '/' + host_of(who) + ".lost";
  std::filesystem::create_directory(options_.server.lost_folder);
  disk_.plant(options_.disk);
  if (options_.edit || options_.reads_forged_epochs) {
    edit_reads(*process_, edits());
  }
  // The servers of a pair with the Guide's do not tell each other which updates were executed.
  if (!to.how().beside_guide) {
    disk_.observe([this](const state_write& change) { watch_.on_write(change); });
  }
}

// A server that knows no epoch takes any.
message_edit server_process::edits() {
  return [this, forge = of_states([this](bstar::account& a) {
                  if (is_forged_ && server_ && server_->status().pair.current != 0) {
                    a.of = forged_epoch;
                  }
                })](zmtp::message& m) {
    static_cast<void>(forge(m));
    return options_.edit ? options_.edit(m) : 1U;
  };
}

void server_process::start() {
  note("starts");
  if (options_.loses_everything) {
    wipe_disk();
    wipe_epochs();
    has_no_epochs_ = false;  // the history does not learn it
  }
  process_->start([this](const asio::any_io_executor& executor) {
    begin(executor);
    return nullptr;
  });
}

void server_process::begin(const asio::any_io_executor& executor) {
  if (!options_.has_store) {
    serve(executor, {});
    return;
  }
  load_log(executor, std::make_shared<simulated_log_store>(executor, disk_), options_.server.server,
           [this, executor](boost::system::error_code ec, loaded_log from) {
             if (ec) {
               history_->report(violation::damaged, host_of(who_) + ": " + ec.message());
             } else {
               serve(executor, std::move(from));
             }
           });
}

void server_process::serve(const asio::any_io_executor& executor, loaded_log from) {
  auto how = options_.server;
  if (options_.witness != nullptr) {
    how.witness = options_.witness->seen_by(executor, has_no_witness_);
  }
  how.discard_own_data = std::exchange(discards_, false);
  server_ = from.store
                ? std::make_shared<replicated_server>(executor, how, std::move(from), handlers())
                : std::make_shared<replicated_server>(executor, how, handlers());
  server_->bind("tcp://*:5556");
  server_->bind_state("tcp://*:5555");
  const auto peer = host_of(1 - who_);
  server_->connect(
      {.state = "tcp://" + peer + ":5555", .snapshots = endpoint_of(1 - who_), .publisher = {}});
}

replicated_server_handlers server_process::handlers() {
  replicated_server_handlers all;
  all.on_active = [this](bstar::epoch e) { on_active(e); };
  all.on_passive = [this](bstar::passive_reason) { on_passive(); };
  all.on_pair_error = [this](boost::system::error_code ec) { note(ec.message()); };
  all.on_turn = [this](const server_status& now) { on_turn(now); };
  all.on_event = [this](server_event event) { on_event(event); };
  all.on_lost = [this](const std::string& path, boost::system::error_code ec) {
    on_lost(path, ec);
  };
  return all;
}

void server_process::on_active(bstar::epoch e) {
  note("active in epoch " + std::to_string(e));
  history_->on_active(who_);
  expiries_.on_active(world_->now());
  if (server_) {
    look_for_expiries(server_->status().server);
  }
  // The witness knows that the pair had data.
  if (options_.witness == nullptr && has_no_epochs_ && was_empty_ && !peer_->content().empty()) {
    history_->on_empty_promoted();
  }
  has_no_epochs_ = false;  // from now on the file has one
}

void server_process::on_passive() {
  note("passive");
  expiries_.on_end();
}

void server_process::look_for_expiries(const server_status& now) {
  looked_at_ = now.committed;
  expiries_.look([this](std::string_view key) { return server_->map().find(key) != nullptr; },
                 now.both >= now.committed, world_->now());
}

void server_process::on_turn(const server_status& now) {
  if (now.both > both_) {
    history_->on_more_on_both();
  }
  both_ = now.both;
  was_empty_ = now.active ? was_empty_ : now.number == 0;
  // Also called inside the constructor.
  if (now.active && now.committed != looked_at_ && server_) {
    look_for_expiries(now);
  }
}

void server_process::on_event(server_event event) {
  note(to_string(event));
  if (event == server_event::synchronized) {
    has_no_epochs_ = false;
  } else if (event == server_event::stopped) {
    history_->on_stopped(host_of(who_));
  }
}

void server_process::on_lost(const std::string& path, boost::system::error_code ec) {
  note("file " + path.substr(path.rfind('/') + 1) + ": " + ec.message());
  if (!ec && !options_.writes_no_lost_files) {
    std::ifstream file{path};
    const auto kept = peer_ != nullptr ? peer_->published() : map_history::content{};
    for (std::string line; std::getline(file, line);) {
      history_->on_lost_line(line, kept);
    }
  }
}

// A server with a store must be destroyed before its context.
void server_process::kill(zmtp::simulation::death how) {
  reached_ = limits_reached();
  server_.reset();
  process_->kill(how);
  is_paused_ = false;
  if (how == zmtp::simulation::death::power) {
    tear_spare_epoch();
  }
  watch_.on_crash();
  expiries_.on_end();
  looked_at_ = 0;
}

void server_process::wipe_disk() {
  note("its disk is wiped");
  disk_.wipe();
  watch_.on_wipe();
}

void server_process::wipe_epochs() {
  note("its epoch file is wiped");
  has_no_epochs_ = true;
  std::filesystem::remove(options_.server.pair.epoch_file);
}

// The spare file cannot be written, because a folder has its name.
void server_process::fail_epochs(bool fails) {
  const auto spare = options_.server.pair.epoch_file + ".new";
  std::filesystem::remove(spare);
  if (fails) {
    std::filesystem::create_directory(spare);
  }
}

// The power can fail while the next epoch is written.
void server_process::tear_spare_epoch() {
  const auto spare = options_.server.pair.epoch_file + ".new";
  if (std::filesystem::is_regular_file(spare)) {
    std::filesystem::resize_file(spare, std::filesystem::file_size(spare) / 2);
  }
}

void server_process::fail_lost_files(bool fails) {
  const auto& folder = options_.server.lost_folder;
  const auto away = folder + ".away";
  if (fails != std::filesystem::exists(away)) {
    std::filesystem::rename(fails ? folder : away, fails ? away : folder);
  }
}

map_history::content server_process::content() const {
  return options_.has_store ? disk_.content().latest() : published();
}

bool server_process::has_all_in_content() const {
  if (!running() || !server_) {
    return true;
  }
  const auto now = server_->status().server;
  return !is_paused_ && (has_store() ? now.durable : now.committed) == now.number;
}

map_history::content server_process::published() const {
  map_history::content all;
  if (server_) {
    server_->map().for_each("", [&](const store::entry& e) {
      all.emplace(e.key(), e.value());
      return true;
    });
  }
  return all;
}

void server_process::check_epoch() const {
  if (server_ && server_->status().pair.current >= forged_epoch) {
    history_->report(violation::forged_epoch_taken, host_of(who_));
  }
}

server_process::reached server_process::limits_reached() const {
  auto all = reached_;
  if (server_) {
    const auto counters = server_->status().server.counters;
    for (const auto fault : {errc::too_many_keys, errc::too_many_bytes, errc::value_too_long}) {
      all.refused += counters.log.refused[static_cast<std::size_t>(fault)];
    }
    all.forgotten += counters.log.unknown;
    all.dropped += counters.log.waiting_dropped;
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
         (now.following ? ", following" : "") + ", store " + to_string(now.stored) + ", number " +
         std::to_string(now.number) + ", committed " + std::to_string(now.committed);
}

void server_process::note(const std::string& what) {
  world_->net().here().note(host_of(who_) + ": " + what, {});
}

}  // namespace chp::simulation
