#pragma once
// The clients of chp_storm, all in one thread, which update the map at a steady rate and record the updates.

#include "chp/client.h"
#include "test/interop/chp_storm_options.h"
#include "test/interop/update_ledger.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace chp::test {

class crowd {
public:
  using clock = std::chrono::steady_clock;
  using event_counts =
      std::array<std::uint64_t, static_cast<std::size_t>(client_event::kind::replicated) + 1>;

  // Keys with a time to live are below this, each set once.
  static constexpr std::string_view lifetime_keys = "/ttl/";

  struct participant {
    std::uint32_t number = 0;  // from 0, in the order in which they came
    std::string subtree{};
    std::unique_ptr<chp::client> client{};
    clock::time_point made{};
    std::chrono::milliseconds ready_after{-1};  // below 0: it has no map
    std::uint64_t waiting = 0;                  // updates that are not committed
    std::uint64_t committed = 0;
    std::uint64_t next_key = 0;
    // When it last committed something, or had nothing to commit.
    clock::time_point progress{};
    clock::duration longest_wait{};
    sequence seen = 0;
  };

  // With the clients of the groups, which write. The options outlive it.
  crowd(boost::asio::io_context& context, const storm_options& how);

  // One client more, which only follows.
  const participant& join(const std::vector<server_address>& servers, const std::string& subtree);
  void stop();

  // Waits until the condition holds or the timeout of the options ends. Returns whether the condition holds.
  // Checks the condition after each commit and each received change. Only one caller may wait at a time.
  boost::asio::awaitable<bool> until(std::function<bool()> condition);

  // Sets the preloaded keys before all else. Throws if they are not committed in time.
  boost::asio::awaitable<void> preload();
  // Updates at the rate of the options until stop(). Makes no updates while paused.
  boost::asio::awaitable<void> write();
  void pause(bool paused) noexcept { paused_ = paused; }

  // The longest wait of each writer for its next commit counts, from a fault to the next or to the end of
  // faults.
  void begin_fault();
  void end_faults();

  [[nodiscard]] const std::vector<std::unique_ptr<participant>>& all() const noexcept {
    return all_;
  }
  [[nodiscard]] bool writes(const participant& p) const noexcept { return p.number < writers_; }
  [[nodiscard]] bool all_follow() const;
  // Returns whether no client waits for the outcome of updates that only one server had.
  [[nodiscard]] bool all_are_answered() const;
  [[nodiscard]] std::uint64_t waiting() const noexcept { return waiting_; }

  [[nodiscard]] update_ledger& ledger() noexcept { return ledger_; }
  [[nodiscard]] const lifetime_ledger& lifetimes() const noexcept { return lifetimes_; }
  [[nodiscard]] std::uint64_t failed() const noexcept { return failed_; }
  [[nodiscard]] std::uint64_t invented() const noexcept { return invented_; }
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }
  [[nodiscard]] std::uint64_t out_of_order() const noexcept { return out_of_order_; }
  [[nodiscard]] const event_counts& events() const noexcept { return events_; }
  // The waits after faults, and the latencies of updates. A percentile computation sorts them.
  [[nodiscard]] std::vector<clock::duration>& waits() noexcept { return waits_; }
  [[nodiscard]] std::vector<std::chrono::microseconds>& latencies() noexcept { return latencies_; }

private:
  participant& add(const std::vector<server_address>& servers, const std::string& subtree);
  boost::asio::awaitable<void> watch(participant& p);
  void look_at(participant& p, const change& notified, clock::time_point now);
  void notice() { changed_.cancel(); }
  void begin_waiting(participant& p, clock::time_point now);
  void end_waiting(participant& p, clock::time_point began, clock::time_point now);
  void update(participant& p, const std::string& key, update_ledger::kind what);
  void update_next(participant& p);
  void set_lifetime(participant& p);
  void note_waits();

  boost::asio::io_context& context_;
  const storm_options& how_;
  boost::asio::steady_timer changed_;  // waits for the end of a timeout
  std::vector<std::unique_ptr<participant>> all_;
  std::size_t writers_ = 0;  // those are the first
  update_ledger ledger_;
  lifetime_ledger lifetimes_;
  std::mt19937_64 random_{18};
  bool paused_ = false;
  bool over_ = false;
  bool counting_waits_ = false;
  std::uint64_t next_lifetime_ = 0;
  std::uint64_t waiting_ = 0;  // updates, of all
  std::uint64_t failed_ = 0;
  std::uint64_t invented_ = 0;      // values that a watcher received
  std::uint64_t lost_ = 0;          // updates that were reported as lost to their clients
  std::uint64_t out_of_order_ = 0;  // changes with a lower sequence than the change before
  std::vector<clock::duration> waits_;
  std::vector<std::chrono::microseconds> latencies_;
  event_counts events_{};
};

}  // namespace chp::test
