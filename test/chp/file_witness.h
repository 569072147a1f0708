#pragma once
// A witness in a file that both servers of a pair can reach, for tests.

#include "chp/witness.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <string>

namespace chp::test {

class file_witness final : public witness {
public:
  file_witness(const boost::asio::any_io_executor& executor, const std::string& path);
  ~file_witness() override;

  void replace(const membership& from, const membership& to, handler on_done) override;
  // Reads the file again and again.
  void watch(std::function<void(const membership&)> on_change) override;

  // False: the file cannot be read or written, so calls fail without an effect.
  void set_reachable(bool is_reachable) noexcept;
  // Makes the next change, and completes with an error.
  void lose_next_answer() noexcept;

private:
  struct core;
  std::shared_ptr<core> core_;  // handlers do nothing after its end
};

}  // namespace chp::test
