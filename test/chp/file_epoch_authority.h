#pragma once
// An epoch_authority in a file that both servers of a pair can reach, for tests.

#include "chp/epoch_authority.h"

#include <boost/asio/any_io_executor.hpp>

#include <string>

namespace chp::test {

class file_epoch_authority final : public epoch_authority {
public:
  file_epoch_authority(boost::asio::any_io_executor executor, std::string path, member_id self)
      : executor_{std::move(executor)}, path_{std::move(path)}, self_{self} {}

  void read(handler on_read) override;
  void acquire(std::uint64_t epoch, std::vector<member_id> in_sync, handler on_done) override;
  void change(std::vector<member_id> in_sync, handler on_done) override;
  void on_lost(std::function<void(membership)> on_lost) override { on_lost_ = std::move(on_lost); }

  // Carries out the next attempt, and answers it with an error.
  void lose_next_answer() noexcept { loses_answer_ = true; }
  // Looks at the file, as a watch of a real witness does.
  void poll();

private:
  void attempt(membership to, handler on_done);
  void see(const membership& found);

  boost::asio::any_io_executor executor_;
  std::string path_;
  member_id self_;
  membership known_;         // as it was read last
  std::uint64_t epoch_ = 0;  // ours; 0 after it was lost
  bool loses_answer_ = false;
  std::function<void(membership)> on_lost_;
};

}  // namespace chp::test
