#pragma once
// A server of the clustered hashmap in a thread of its own, which measures its handlers.

#include "chp/log_store.h"
#include "chp/server.h"
#include "chp/store_status.h"

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
  // With `store`, the server loads its map from this file and writes it there. Returns when the server
  // accepts requests. Throws the error that prevents this.
  explicit watched_server(const std::string& store = {});
  watched_server(const watched_server&) = delete;
  watched_server& operator=(const watched_server&) = delete;
  ~watched_server();

  [[nodiscard]] const std::string& at() const noexcept { return at_; }
  // The time that the server took to start.
  [[nodiscard]] std::chrono::steady_clock::duration start() const noexcept { return start_; }

  void watch() noexcept;
  // The longest processor time of one handler since watch(), in seconds. The server did nothing else during
  // this time.
  [[nodiscard]] double longest_handler() const noexcept { return longest_handler_; }
  // The longest time since then that one handler waited for a lock of the store's thread or for the kernel,
  // in seconds.
  [[nodiscard]] double longest_wait() const noexcept { return longest_wait_; }

  // The server's store reports a full disk for the next write.
  void refuse_next_write() noexcept;
  // The state of the store after the server's last turn.
  [[nodiscard]] chp::store_status stored() const noexcept { return stored_; }

private:
  class short_store;

  void run(const std::string& store, std::promise<std::string>& bound);
  void load(const std::string& store, chp::loaded_log& into);
  void turn();

  boost::asio::io_context context_{1};
  std::shared_ptr<short_store> store_;
  std::string at_;
  std::chrono::steady_clock::duration start_{};
  std::atomic<chp::store_status> stored_{chp::store_status::nothing};
  std::atomic<bool> over_{false};
  std::atomic<double> longest_handler_{0};
  std::atomic<double> longest_wait_{0};
  std::thread thread_;
};

}  // namespace bench
