#pragma once
// A witness in a file that both servers of a pair can reach, for tests.

#include "chp/witness.h"

#include <boost/asio/any_io_executor.hpp>

#include <string>

namespace chp::test {

class file_witness final : public witness {
public:
  file_witness(boost::asio::any_io_executor executor, std::string path)
      : executor_{std::move(executor)}, path_{std::move(path)} {}

  void replace(const membership& from, const membership& to, handler on_done) override;
  void watch(std::function<void(const membership&)> on_change) override {
    on_change_ = std::move(on_change);
  }

  // Looks at the file, as the watch of a real witness does.
  void poll();
  // Makes the next change, and answers it with an error.
  void lose_next_answer() noexcept { loses_answer_ = true; }
  // The file cannot be reached: calls fail without an effect.
  void set_reachable(bool is_reachable) noexcept { is_reachable_ = is_reachable; }

private:
  boost::asio::any_io_executor executor_;
  std::string path_;
  std::function<void(const membership&)> on_change_;
  bool loses_answer_ = false;
  bool is_reachable_ = true;
};

}  // namespace chp::test
