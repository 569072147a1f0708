#include "test/chp/file_witness.h"

#include <boost/asio/post.hpp>

#include <fcntl.h>
#include <fstream>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

namespace chp::test {

namespace {

// Holds the lock of the file, so that a change compares and sets.
class file_lock {
public:
  explicit file_lock(const std::string& path)
      : handle_{::open((path + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)} {
    (void)::flock(handle_, LOCK_EX);
  }
  file_lock(const file_lock&) = delete;
  file_lock& operator=(const file_lock&) = delete;
  ~file_lock() { ::close(handle_); }

private:
  int handle_;
};

membership load(const std::string& path) {
  membership found;
  std::ifstream file{path};
  file >> found.revision >> found.epoch >> found.active;
  for (member_id each = 0; file >> each;) {
    found.in_sync.push_back(each);
  }
  return found;
}

void save(const std::string& path, const membership& record) {
  std::ofstream file{path, std::ios::trunc};
  file << record.revision << ' ' << record.epoch << ' ' << record.active;
  for (const auto each : record.in_sync) {
    file << ' ' << each;
  }
}

}  // namespace

void file_witness::replace(const membership& from, const membership& to, handler on_done) {
  boost::system::error_code ec;
  membership now;
  if (is_reachable_) {
    const file_lock lock{path_};
    now = load(path_);
    if (now == from && to != from) {
      save(path_, to);
      now = to;
    }
  }
  if (!is_reachable_ || std::exchange(loses_answer_, false)) {
    ec = make_error_code(boost::system::errc::timed_out);
  }
  boost::asio::post(executor_, [on_done = std::move(on_done), ec, now] { on_done(ec, now); });
}

void file_witness::poll() {
  const file_lock lock{path_};
  boost::asio::post(executor_, [on_change = on_change_, now = load(path_)] { on_change(now); });
}

}  // namespace chp::test
