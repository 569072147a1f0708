#pragma once
// The changes that a watcher has not received. Shared by the watcher and the client.

#include "chp/client_actions.h"
#include "chp/waiting_handlers.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace chp {

class watch_queue : public std::enable_shared_from_this<watch_queue> {
public:
  using received_handler = zmtp::completion_handler<void(boost::system::error_code, std::size_t)>;

  watch_queue(const boost::asio::any_io_executor& executor, std::string subtree, std::size_t most,
              std::size_t most_bytes)
      : handlers_{executor}, subtree_{std::move(subtree)}, most_{most}, most_bytes_{most_bytes} {}

  // Stores the changes of the subtree, and completes a waiting receive.
  void add(const std::vector<change>& all);
  // The client has stopped.
  void end();
  // The watcher is destroyed.
  void close();
  [[nodiscard]] bool closed() const noexcept { return closed_; }

  [[nodiscard]] bool take(std::vector<change>& batch);
  void start_receive(std::vector<change>& batch, received_handler&& handler);

private:
  void keep_last_of_each_key();

  waiting_handlers<void(boost::system::error_code, std::size_t)> handlers_;
  std::vector<change>* batch_ = nullptr;  // batch of the receive in progress
  std::uint64_t receives_ = 0;
  std::string subtree_;
  std::vector<change> changes_;
  std::size_t bytes_ = 0;  // bytes of the keys and values in changes_
  // Limits, each at least twice what was left after the last reduction.
  std::size_t most_;
  std::size_t most_bytes_;
  bool ended_ = false;
  bool closed_ = false;
};

}  // namespace chp
