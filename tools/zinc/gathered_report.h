#pragma once
// One report of several parts that run in threads of their own.

#include "tools/zinc/http/report.h"

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace zinc {

// A reporter for http::server. It must outlive the runs of the contexts of its parts.
class gathered_report {
public:
  struct part {
    boost::asio::any_io_executor executor;
    std::function<http::report(http::extent)> read;  // called in `executor`
  };
  gathered_report(boost::asio::any_io_executor here, std::vector<part> parts);

  // Calls `take` in `here`, after every part has been read.
  void read(http::extent wanted, std::function<void(http::report)> take);

private:
  struct pending {
    std::function<void(http::report)> take;
    std::vector<http::report> found;  // by part
    std::size_t missing;
  };
  void on_read(std::uint64_t id, std::size_t which, http::report&& found);

  boost::asio::any_io_executor here_;
  std::vector<part> parts_;
  std::map<std::uint64_t, pending> pending_;
  std::uint64_t last_id_ = 0;
};

// Returns one report, in which the records of each group are together. It is ready if all parts are.
[[nodiscard]] http::report merged(std::vector<http::report>&& parts);

}  // namespace zinc
