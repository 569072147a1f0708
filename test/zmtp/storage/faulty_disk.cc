#include "test/zmtp/storage/faulty_disk.h"

#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace zmtp::test {

struct faulty_disk::handle {
  sqlite3_file base;
  faulty_disk* disk;
  std::shared_ptr<file> of;
};

struct faulty_disk::methods {
  static handle& of(sqlite3_file* f) { return *reinterpret_cast<handle*>(f); }
  static faulty_disk& of(sqlite3_vfs* v) { return *static_cast<faulty_disk*>(v->pAppData); }

  static int close(sqlite3_file* f) {
    of(f).~handle();
    return SQLITE_OK;
  }
  static int read(sqlite3_file* f, void* to, int count, sqlite3_int64 at) {
    auto& disk = *of(f).disk;
    const auto number = ++disk.reads_;
    if (number >= disk.failing_.begin && number < disk.failing_.end) {
      // As a file system of the kernel does.
      errno = disk.failing_.code == SQLITE_IOERR_NOMEM ? ENOMEM : EIO;
      return disk.failing_.code;
    }
    const auto& bytes = of(f).of->current;
    const auto begin = std::min(static_cast<std::size_t>(at), bytes.size());
    const auto there = std::min(static_cast<std::size_t>(count), bytes.size() - begin);
    std::copy_n(bytes.data() + begin, there, static_cast<std::byte*>(to));
    std::memset(static_cast<std::byte*>(to) + there, 0, static_cast<std::size_t>(count) - there);
    return there == static_cast<std::size_t>(count) ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
  }
  static int write(sqlite3_file* f, const void* from, int count, sqlite3_int64 at) {
    auto& h = of(f);
    auto& bytes = h.of->current;
    const auto begin = static_cast<std::size_t>(at);
    const auto end = begin + static_cast<std::size_t>(count);
    if (!h.disk->step()) {
      return SQLITE_IOERR_WRITE;
    }
    if (end > bytes.size() && h.disk->size() + end - bytes.size() > h.disk->limit_) {
      return SQLITE_FULL;
    }
    const auto* const first = static_cast<const std::byte*>(from);
    bytes.resize(std::max(bytes.size(), end));
    std::copy_n(first, count, bytes.data() + begin);
    h.of->unsynced.push_back({begin, {first, first + count}, false});
    return SQLITE_OK;
  }
  static int truncate(sqlite3_file* f, sqlite3_int64 size) {
    auto& h = of(f);
    if (!h.disk->step()) {
      return SQLITE_IOERR_TRUNCATE;
    }
    h.of->current.resize(static_cast<std::size_t>(size));
    h.of->unsynced.push_back({static_cast<std::size_t>(size), {}, true});
    return SQLITE_OK;
  }
  static int sync(sqlite3_file* f, int) {
    auto& h = of(f);
    if (!h.disk->step()) {
      return SQLITE_IOERR_FSYNC;
    }
    h.of->synced = h.of->current;
    h.of->unsynced.clear();
    return SQLITE_OK;
  }
  static int file_size(sqlite3_file* f, sqlite3_int64* size) {
    *size = static_cast<sqlite3_int64>(of(f).of->current.size());
    return SQLITE_OK;
  }
  static int lock(sqlite3_file*, int) { return SQLITE_OK; }
  static int check_lock(sqlite3_file*, int* taken) {
    *taken = 0;
    return SQLITE_OK;
  }
  static int control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
  static int sector_size(sqlite3_file*) { return static_cast<int>(sector); }
  static int characteristics(sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

  static constexpr sqlite3_io_methods io{
      1,       close,      read,    write,       truncate,        sync,    file_size, lock,
      lock,    check_lock, control, sector_size, characteristics, nullptr, nullptr,   nullptr,
      nullptr, nullptr,    nullptr};

  static int open(sqlite3_vfs* v, const char* path, sqlite3_file* f, int flags, int* out) {
    auto& disk = of(v);
    f->pMethods = nullptr;
    const std::string name = path == nullptr ? "temporary" : path;
    if ((flags & SQLITE_OPEN_CREATE) == 0 && !disk.files_.contains(name)) {
      return SQLITE_CANTOPEN;
    }
    auto& found = disk.files_[name];
    if (!found) {
      found = std::make_shared<file>();
    }
    ::new (static_cast<void*>(f)) handle{{&io}, &disk, found};
    if (out != nullptr) {
      *out = flags;
    }
    return SQLITE_OK;
  }
  static int remove(sqlite3_vfs* v, const char* path, int) {
    auto& disk = of(v);
    if (!disk.step()) {
      return SQLITE_IOERR_DELETE;
    }
    return disk.files_.erase(path) != 0 ? SQLITE_OK : SQLITE_IOERR_DELETE_NOENT;
  }
  static int access(sqlite3_vfs* v, const char* path, int, int* there) {
    *there = of(v).files_.contains(path) ? 1 : 0;
    return SQLITE_OK;
  }
  static int full_path(sqlite3_vfs*, const char* path, int size, char* to) {
    sqlite3_snprintf(size, to, "%s", path);
    return SQLITE_OK;
  }
  static int randomness(sqlite3_vfs*, int count, char* to) {
    std::memset(to, 7, static_cast<std::size_t>(count));
    return count;
  }
  static int sleep(sqlite3_vfs*, int) { return 0; }
  static int time(sqlite3_vfs*, double* now) {
    *now = 2460000.5;
    return SQLITE_OK;
  }
};

faulty_disk::faulty_disk()
    : name_{"faulty" + std::to_string(reinterpret_cast<std::uintptr_t>(this))},
      vfs_{std::make_unique<sqlite3_vfs>()} {
  vfs_->iVersion = 1;
  vfs_->szOsFile = static_cast<int>(sizeof(handle));
  vfs_->mxPathname = 200;
  vfs_->zName = name_.c_str();
  vfs_->pAppData = this;
  vfs_->xOpen = methods::open;
  vfs_->xDelete = methods::remove;
  vfs_->xAccess = methods::access;
  vfs_->xFullPathname = methods::full_path;
  vfs_->xRandomness = methods::randomness;
  vfs_->xSleep = methods::sleep;
  vfs_->xCurrentTime = methods::time;
  sqlite3_vfs_register(vfs_.get(), 0);
}

faulty_disk::~faulty_disk() { sqlite3_vfs_unregister(vfs_.get()); }

bool faulty_disk::step() noexcept {
  ++steps_;
  return steps_ < off_at_ && steps_ != fail_at_;
}

std::size_t faulty_disk::size() const noexcept {
  std::size_t sum = 0;
  for (const auto& [path, one] : files_) {
    sum += one->current.size();
  }
  return sum;
}

void faulty_disk::switch_on(std::uint64_t seed) {
  std::mt19937_64 random{seed};
  switch_on();
  for (auto& [path, one] : files_) {
    auto& left = one->synced;
    for (const auto& made : one->unsynced) {
      if (made.truncates) {
        if (random() % 2 == 0) {
          left.resize(made.at);
        }
        continue;
      }
      for (std::size_t done = 0; done < made.bytes.size();) {
        const auto at = made.at + done;
        const auto count = std::min(sector - at % sector, made.bytes.size() - done);
        if (random() % 2 == 0) {
          left.resize(std::max(left.size(), at + count));
          std::copy_n(made.bytes.data() + done, count, left.data() + at);
        }
        done += count;
      }
    }
    one->current = left;
    one->unsynced.clear();
  }
}

std::vector<std::byte>& faulty_disk::content(const std::string& path) {
  return files_.at(path)->current;
}

}  // namespace zmtp::test
