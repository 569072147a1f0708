#include "test/chp/file_epoch_authority.h"

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
  file >> found.epoch >> found.active;
  for (member_id each = 0; file >> each;) {
    found.in_sync.push_back(each);
  }
  return found;
}

void save(const std::string& path, const membership& record) {
  std::ofstream file{path, std::ios::trunc};
  file << record.epoch << ' ' << record.active;
  for (const auto each : record.in_sync) {
    file << ' ' << each;
  }
}

}  // namespace

void file_epoch_authority::read(handler on_read) {
  const file_lock lock{path_};
  see(load(path_));
  boost::asio::post(executor_, [on_read = std::move(on_read), now = known_] {
    on_read({}, {.granted = true, .now = now});
  });
}

void file_epoch_authority::acquire(std::uint64_t epoch, std::vector<member_id> in_sync,
                                   handler on_done) {
  attempt({epoch, self_, std::move(in_sync)}, std::move(on_done));
}

void file_epoch_authority::change(std::vector<member_id> in_sync, handler on_done) {
  attempt({epoch_, self_, std::move(in_sync)}, std::move(on_done));
}

void file_epoch_authority::poll() {
  const file_lock lock{path_};
  see(load(path_));
}

void file_epoch_authority::attempt(membership to, handler on_done) {
  const file_lock lock{path_};
  const auto found = load(path_);
  const bool granted = found == known_ && may_change(found, to, self_);
  if (granted) {
    save(path_, to);
  }
  if (std::exchange(loses_answer_, false)) {
    boost::asio::post(executor_, [on_done = std::move(on_done)] {
      on_done(make_error_code(boost::system::errc::timed_out), {});
    });
    return;
  }
  see(granted ? to : found);
  boost::asio::post(executor_, [on_done = std::move(on_done), granted, now = known_] {
    on_done({}, {granted, now});
  });
}

void file_epoch_authority::see(const membership& found) {
  known_ = found;
  if (found.active == self_) {
    epoch_ = found.epoch;
  } else if (std::exchange(epoch_, 0) != 0 && on_lost_) {
    boost::asio::post(executor_, [on_lost = on_lost_, found] { on_lost(found); });
  }
}

}  // namespace chp::test
