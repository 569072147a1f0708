#include "test/chp/simulation/simulated_log_store.h"

#include <boost/asio/post.hpp>

#include <utility>

namespace chp::simulation {

namespace asio = boost::asio;
using boost::system::error_code;

void simulated_disk::open(simulated_log_store& store) {
  open_ = &store;
  ++opened_;
  rejected_ = {};
  syncing_ = false;
}

void simulated_disk::close() {
  open_ = nullptr;
  auto& random = world_->random();
  for (auto left = random.pick(waiting_.size() + 1); left != 0; --left) {
    rejected_ = take(waiting_.front().what);
    waiting_.pop_front();
  }
  waiting_.clear();
  content_.drop_pieces();
}

void simulated_disk::write(state_write&& change, log_store::write_handler&& handler) {
  if (planted_.loses_sessions) {
    change.sessions.clear();
  }
  if (planted_.loses_entries) {
    change.entries.clear();
  }
  if (planted_.confirms_early) {
    asio::post(open_->executor_, [early = std::exchange(handler, {})] { early({}); });
  }
  waiting_.push_back({std::move(change), std::move(handler)});
  sync_later();
}

void simulated_disk::sync_later() {
  if (!waiting_.empty() && !std::exchange(syncing_, true)) {
    world_->after(world_->random().up_to(most_delay_), [this, now = opened_] {
      if (open_ != nullptr && opened_ == now) {
        sync();
      }
    });
  }
}

void simulated_disk::sync() {
  syncing_ = false;
  for (auto& one : std::exchange(waiting_, {})) {
    rejected_ = take(one.what);
    if (one.handler) {
      asio::post(open_->executor_,
                 [handler = std::move(one.handler), ec = rejected_] { handler(ec); });
    }
  }
}

error_code simulated_disk::take(const state_write& change) {
  const bool is_over =
      rejected_ == zmtp::storage_errc::store_failed || (rejected_ && !change.replaces);
  if (is_over) {
    return rejected_;
  }
  if (fault_ || change.replaces) {
    content_.drop_pieces();
  }
  if (!fault_) {
    content_.write(change);
    if (observer_) {
      observer_(change);
    }
  }
  return fault_;
}

void simulated_log_store::load(std::unique_ptr<history> into, history::time_point now,
                               load_handler on_loaded) {
  auto found = std::make_shared<loaded_state>();
  errc fault{};
  found->past = disk_->content_.load(std::move(into), now, fault);
  found->numbers = disk_->content_.numbers;
  const error_code ec = found->past ? error_code{} : zmtp::storage_errc::store_damaged;
  asio::post(executor_,
             [on_loaded = std::move(on_loaded), ec, found] { on_loaded(ec, std::move(*found)); });
}

}  // namespace chp::simulation
