#pragma once
// The store of a server's history in virtual time, on a faulty disk.

#include "chp/log_store.h"
#include "test/chp/stored_state.h"
#include "zmtp/simulation/world.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>

namespace chp::simulation {

class simulated_log_store;

// A disk, which outlives the processes that use it. It has one store at a time.
class simulated_disk {
public:
  static constexpr std::chrono::milliseconds usual_delay{2};
  using observer = std::function<void(const state_write&)>;
  // Faults of a store, to plant in a test.
  struct planted_fault {
    bool confirms_early = false;  // before the write is on the disk
    bool loses_sessions = false;
    bool loses_entries = false;
  };

  explicit simulated_disk(zmtp::simulation::world& in) : world_{&in} {}
  simulated_disk(const simulated_disk&) = delete;
  simulated_disk& operator=(const simulated_disk&) = delete;

  // Called with each write that is carried out.
  void observe(observer with) { observer_ = std::move(with); }
  void plant(const planted_fault& fault) { planted_ = fault; }
  // The longest time of a sync.
  void slow_down(std::chrono::nanoseconds most) noexcept { most_delay_ = most; }
  // Writes fail with this error. error_code{} repairs the disk.
  void fail_with(boost::system::error_code fault) noexcept { fault_ = fault; }
  // The store must not be open.
  void wipe() { content_ = {}; }

  [[nodiscard]] const test::stored_state& content() const noexcept { return content_; }
  [[nodiscard]] bool is_open() const noexcept { return open_ != nullptr; }
  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }

private:
  friend simulated_log_store;
  struct one_write {
    state_write what;
    log_store::write_handler handler;  // empty: called already
  };

  void open(simulated_log_store& store);
  // The process or the power fails: the disk keeps a prefix of the waiting writes.
  void close();
  void write(state_write&& change, log_store::write_handler&& handler);
  void sync_later();
  void sync();
  [[nodiscard]] boost::system::error_code take(const state_write& change);

  zmtp::simulation::world* world_;
  observer observer_;
  planted_fault planted_;
  std::chrono::nanoseconds most_delay_ = usual_delay;
  boost::system::error_code fault_;
  boost::system::error_code rejected_;  // the result of the last write
  test::stored_state content_;
  std::deque<one_write> waiting_;
  simulated_log_store* open_ = nullptr;
  std::size_t opened_ = 0;  // times
  bool syncing_ = false;
};

class simulated_log_store final : public log_store {
public:
  // The disk outlives the store. Destroying the store is a crash.
  simulated_log_store(boost::asio::any_io_executor executor, simulated_disk& disk)
      : executor_{std::move(executor)}, disk_{&disk} {
    disk_->open(*this);
  }
  simulated_log_store(const simulated_log_store&) = delete;
  simulated_log_store& operator=(const simulated_log_store&) = delete;
  ~simulated_log_store() override { disk_->close(); }

  void load(std::unique_ptr<history> into, history::time_point now,
            load_handler on_loaded) override;
  void write(state_write&& change, write_handler on_written) override {
    disk_->write(std::move(change), std::move(on_written));
  }

private:
  friend simulated_disk;

  boost::asio::any_io_executor executor_;
  simulated_disk* disk_;
};

}  // namespace chp::simulation
