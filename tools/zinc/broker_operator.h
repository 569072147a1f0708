#pragma once
// The operations of HTTP on brokers that run in threads of their own: lists and drains workers.

#include "mdp/broker_actions.h"
#include "tools/zinc/http/operations.h"
#include "zmtp/peer.h"

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace zinc {

// The object must outlive the runs of the contexts of its parts.
class broker_operator {
public:
  static constexpr std::size_t most_workers = 200;  // in a list

  // The functions are called in `executor`.
  struct part {
    boost::asio::any_io_executor executor;
    std::function<std::vector<mdp::worker_status>(std::size_t)> workers;
    std::function<bool(zmtp::peer_id)> drain;
  };
  broker_operator(boost::asio::any_io_executor here, std::vector<part> parts);

  // Must be called, and calls their handlers, in `here`.
  [[nodiscard]] http::operations operations(std::string token);

private:
  using take_result = http::operations::take_result;
  struct pending_list {
    take_result take;
    std::vector<std::vector<mdp::worker_status>> found;  // by part
    std::size_t missing;
  };

  void list(take_result take);
  void drain(const std::string& id, take_result take);

  boost::asio::any_io_executor here_;
  std::vector<part> parts_;
  // The other contexts never own a handler, which belongs to this one.
  std::map<std::uint64_t, pending_list> lists_;
  std::map<std::uint64_t, take_result> drains_;
  std::uint64_t last_id_ = 0;
};

}  // namespace zinc
