#pragma once
// A server of the clustered hashmap in a thread of its own, whose turns are looked at.

#include "chp/keeping.h"
#include "chp/map_store.h"
#include "chp/server.h"

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace bench {

class watched_server {
public:
  // With `store`, the map is what is in this file, and is written there. Returns when it serves; throws what keeps it from
  // that.
  explicit watched_server(const std::string& store = {});
  watched_server(const watched_server&) = delete;
  watched_server& operator=(const watched_server&) = delete;
  ~watched_server();

  [[nodiscard]] const std::string& at() const noexcept { return at_; }
  // How long it took until it served.
  [[nodiscard]] std::chrono::steady_clock::duration start() const noexcept { return start_; }

  void watch() noexcept;
  // Seconds: the most that one of its handlers has used of a processor since watch(). For so long nothing else of the server
  // went on, even had it had the processor to itself.
  [[nodiscard]] double longest_handler() const noexcept { return longest_handler_; }
  // The most that one has waited since, for anything but a processor: for a lock that the store's thread had, or the kernel.
  [[nodiscard]] double longest_wait() const noexcept { return longest_wait_; }

  // Its store has no room for what it is given next.
  void refuse_next_write() noexcept;
  // As it was after its last turn.
  [[nodiscard]] chp::keeping kept() const noexcept { return kept_; }

private:
  class short_store;

  void run(const std::string& store, std::promise<std::string>& bound);
  void load(const std::string& store, chp::loaded_map& into);
  void turn();

  boost::asio::io_context context_{1};
  std::shared_ptr<short_store> store_;
  std::string at_;
  std::chrono::steady_clock::duration start_{};
  std::atomic<chp::keeping> kept_{chp::keeping::nothing};
  std::atomic<bool> over_{false};
  std::atomic<double> longest_handler_{0};
  std::atomic<double> longest_wait_{0};
  std::thread thread_;
};

}  // namespace bench
