#include "test/chp/file_witness.h"

#include <boost/asio/post.hpp>
#include <boost/system/errc.hpp>

#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

namespace chp::test {

namespace {

constexpr std::chrono::milliseconds poll{10};

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

// A process that ends meanwhile leaves the old record.
void save(const std::string& path, const membership& record) {
  const auto made = path + ".new";
  {
    std::ofstream file{made, std::ios::trunc};
    file << record.revision << ' ' << record.epoch << ' ' << record.active;
    for (const auto each : record.in_sync) {
      file << ' ' << each;
    }
  }
  std::filesystem::rename(made, path);
}

}  // namespace

struct file_witness::core : std::enable_shared_from_this<core> {
  core(const boost::asio::any_io_executor& executor, std::string at)
      : path{std::move(at)}, timer{executor} {}

  void look() {
    if (is_reachable) {
      const file_lock lock{path};
      if (const auto now = load(path); now != seen) {
        seen = now;
        boost::asio::post(timer.get_executor(), [weak = weak_from_this(), now] {
          if (const auto self = weak.lock()) {
            self->on_change(now);
          }
        });
      }
    }
    timer.expires_after(poll);
    timer.async_wait([weak = weak_from_this()](const boost::system::error_code& ec) {
      if (const auto self = weak.lock(); self && !ec) {
        self->look();
      }
    });
  }

  std::string path;
  boost::asio::steady_timer timer;
  std::function<void(const membership&)> on_change;
  std::optional<membership> seen;
  bool is_reachable = true;
  bool loses_answer = false;
};

file_witness::file_witness(const boost::asio::any_io_executor& executor, const std::string& path)
    : core_{std::make_shared<core>(executor, path)} {}

file_witness::~file_witness() = default;

void file_witness::replace(const membership& from, const membership& to, handler on_done) {
  boost::system::error_code ec;
  membership now;
  if (core_->is_reachable) {
    const file_lock lock{core_->path};
    now = load(core_->path);
    if (now == from && to != from) {
      save(core_->path, to);
      now = to;
    }
  }
  if (!core_->is_reachable || std::exchange(core_->loses_answer, false)) {
    ec = make_error_code(boost::system::errc::timed_out);
  }
  boost::asio::post(core_->timer.get_executor(),
                    [weak = core_->weak_from_this(), on_done = std::move(on_done), ec, now] {
                      if (weak.lock()) {
                        on_done(ec, now);
                      }
                    });
}

void file_witness::watch(std::function<void(const membership&)> on_change) {
  core_->on_change = std::move(on_change);
  core_->look();
}

void file_witness::set_reachable(bool is_reachable) noexcept { core_->is_reachable = is_reachable; }

void file_witness::lose_next_answer() noexcept { core_->loses_answer = true; }

}  // namespace chp::test
