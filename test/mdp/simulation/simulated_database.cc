#include "test/mdp/simulation/simulated_database.h"

#include <utility>

namespace mdp::simulation {

using std::chrono::milliseconds;
using titanic::operation;

namespace {

titanic::sqlite_options options_of(const zmtp::test::faulty_disk& disk, bool sync) {
  titanic::sqlite_options o;
  o.path = "titanic";
  o.sync = sync;
  o.reserve_bytes = 64 * 1024;
  o.reserve_retry = milliseconds{0};
  o.log_pages = 30;
  o.vfs = disk.name();
  return o;
}

}  // namespace

simulated_database::simulated_database(setting& in, const zmtp::runtime& of,
                                       zmtp::test::faulty_disk& disk, titanic_history& stored,
                                       const planted_fault& faults, timer after)
    : in_{in},
      disk_{disk},
      stored_{stored},
      faults_{faults},
      after_{std::move(after)},
      file_{std::in_place, options_of(disk, !faults.never_syncs), of} {}

void simulated_database::open(load_handler on_loaded, result_handler on_results) {
  on_results_ = std::move(on_results);
  after_(in_.up_to(milliseconds{20}), [this, on_loaded = std::move(on_loaded)] {
    std::vector<titanic::stored_request> slots;
    const auto ec = file_->open(slots);
    if (!ec) {
      stored_.on_recovered(slots);
    }
    on_loaded(ec, std::move(slots));
  });
}

void simulated_database::submit(std::vector<titanic::store_operation>&& batch) {
  for (auto& one : batch) {
    stored_.on_operation(one);
    to_do_.push_back(std::move(one));
  }
  write_soon();
}

void simulated_database::write_soon() {
  if (!to_do_.empty() && !std::exchange(writing_, true)) {
    after_(in_.up_to(milliseconds{5}), [this] { write(); });
  }
}

void simulated_database::write() {
  const auto batch = std::exchange(to_do_, {});
  auto edited = batch;
  if (faults_.edit) {
    for (auto& one : edited) {
      faults_.edit(one);
    }
  }
  std::vector<titanic::store_result> results;
  file_->carry_out(edited, results);
  for (std::size_t i = 0; i != results.size(); ++i) {
    stored_.on_result(batch[i], !results[i].ec);
    if (faults_.edit_result) {
      faults_.edit_result(results[i]);
    }
  }
  if (faults_.loses_outcomes) {
    for (auto i = results.size(); i-- != 0;) {
      if (batch[i].what == operation::answer) {
        results.erase(results.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }
  after_(in_.up_to(milliseconds{5}), [this, done = std::move(results)] {
    file_->tidy();
    writing_ = false;
    on_results_(done);
    write_soon();
  });
}

void simulated_database::die() {
  auto& random = in_.random();
  if (!to_do_.empty() && random.chance(50)) {
    disk_.switch_off_at(disk_.steps() + random.between(1, 12));
    std::vector<titanic::store_result> nobody_hears;
    file_->carry_out(to_do_, nobody_hears);
  }
  disk_.switch_off_at(0);
  file_.reset();
}

}  // namespace mdp::simulation
