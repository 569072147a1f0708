// The new store takes the place of the damaged store, and there is a store at each moment.

#include "mdp/titanic/salvage.h"

#include "test/mdp/titanic/request_ids.h"
#include "test/support/scratch_folder.h"
#include "zmtp/storage/sqlite_database.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace {

// Called before each fsync(2) with the path of the file.
std::function<void(const std::filesystem::path&)> on_sync;

}  // namespace

// Replaces the C library's call.
extern "C" int fsync(int descriptor) {
  if (on_sync) {
    on_sync(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor)));
  }
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

namespace mdp::titanic {
namespace {

namespace fs = std::filesystem;
using test::id_of;

class salvage_test : public testing::Test {
protected:
  salvage_test() {
    slot_file file{{.path = path_, .reserve_bytes = 0}};
    std::vector<stored_request> slots;
    EXPECT_FALSE(file.open(slots));
    std::vector<store_operation> batch;
    for (std::uint8_t n = 1; n <= 5; ++n) {
      batch.push_back({.what = operation::accept,
                       .number = n,
                       .accepted = n,
                       .id = id_of(n),
                       .service = "echo",
                       .body = {"body"}});
    }
    std::vector<store_result> results;
    file.carry_out(batch, results);
  }
  void damage() {
    zmtp::sqlite_database vandal;
    EXPECT_FALSE(vandal.open(path_.c_str(), nullptr));
    EXPECT_FALSE(vandal.execute("UPDATE requests SET service = 'other' WHERE number = 3"));
  }
  std::size_t requests(const std::string& path) {
    slot_file file{{.path = path, .reserve_bytes = 0}};
    std::vector<stored_request> slots;
    EXPECT_FALSE(file.open(slots));
    return slots.size();
  }
  static std::string content(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
  }

  zmtp::test::scratch_folder folder_;
  std::string path_ = folder_.path("store");
};

// The names that disappear from a folder, in order.
class vanished_names {
public:
  explicit vanished_names(const std::string& folder) {
    EXPECT_GE(::inotify_add_watch(watch_, folder.c_str(), IN_DELETE | IN_MOVED_FROM), 0);
  }
  vanished_names(const vanished_names&) = delete;
  vanished_names& operator=(const vanished_names&) = delete;
  ~vanished_names() { ::close(watch_); }

  std::vector<std::string> all() {
    std::vector<std::string> names;
    alignas(inotify_event) std::array<char, 16'384> events;
    const auto size = ::read(watch_, events.data(), events.size());
    for (ssize_t at = 0; at < size;) {
      const auto* const one = reinterpret_cast<const inotify_event*>(events.data() + at);
      names.emplace_back(one->name);
      at += static_cast<ssize_t>(sizeof *one + one->len);
    }
    return names;
  }

private:
  int watch_ = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
};

TEST_F(salvage_test, there_is_a_store_at_each_moment) {
  damage();
  const auto before = content(path_);
  vanished_names gone{folder_.path()};
  salvage_report report;
  ASSERT_FALSE(salvage(path_, report));
  EXPECT_EQ(report.kept, 4U);
  EXPECT_EQ(report.lost, 1U);
  bool renamed = false;
  for (const auto& name : gone.all()) {
    EXPECT_NE(name, "store") << "a moment without a store";
    renamed |= name == "store.salvaged";
  }
  EXPECT_TRUE(renamed) << "the watch does not work";
  EXPECT_EQ(requests(path_), 4U);
  EXPECT_EQ(content(path_ + ".damaged"), before);
  EXPECT_FALSE(fs::exists(path_ + ".salvaged"));
}

TEST_F(salvage_test, syncs_the_folder_before_and_after_the_renames) {
  using names = std::vector<std::string>;
  damage();
  std::vector<names> synced;
  on_sync = [&](const fs::path& file) {
    if (file == folder_.path()) {
      auto& all = synced.emplace_back();
      for (const auto& one : fs::directory_iterator{file}) {
        all.push_back(one.path().filename());
      }
      std::sort(all.begin(), all.end());
    }
  };
  salvage_report report;
  EXPECT_FALSE(salvage(path_, report));
  on_sync = nullptr;
  EXPECT_EQ(synced, (std::vector<names>{{"store", "store.salvaged"}, {"store", "store.damaged"}}));
}

TEST_F(salvage_test, the_log_of_the_damaged_store_is_salvaged_too) {
  damage();
  {
    // A killed process leaves its log.
    slot_file file{{.path = folder_.path("other"), .reserve_bytes = 0}};
    std::vector<stored_request> slots;
    ASSERT_FALSE(file.open(slots));
    std::vector<store_result> results;
    file.carry_out({{.what = operation::accept,
                     .number = 1,
                     .accepted = 1,
                     .id = id_of(9),
                     .service = "echo",
                     .body = {"body"}}},
                   results);
    ASSERT_GT(fs::file_size(folder_.path("other-wal")), 0U);
    path_ = folder_.path("killed");
    fs::copy_file(folder_.path("other"), path_);
    fs::copy_file(folder_.path("other-wal"), path_ + "-wal");
  }
  salvage_report report;
  ASSERT_FALSE(salvage(path_, report));
  EXPECT_EQ(report.kept, 1U);
  EXPECT_EQ(requests(path_), 1U);
  EXPECT_EQ(requests(path_ + ".damaged"), 1U) << "with the content of its log";
}

TEST_F(salvage_test, a_salvage_that_was_interrupted_can_be_repeated) {
  damage();
  fs::create_hard_link(path_, path_ + ".damaged");
  salvage_report report;
  ASSERT_FALSE(salvage(path_, report));
  EXPECT_EQ(report.kept, 4U);
  EXPECT_EQ(requests(path_), 4U);
  EXPECT_NE(content(path_), content(path_ + ".damaged"));
}

TEST_F(salvage_test, an_earlier_damaged_store_is_not_overwritten) {
  damage();
  salvage_report report;
  ASSERT_FALSE(salvage(path_, report));
  const auto kept = content(path_ + ".damaged");
  const auto store = content(path_);
  EXPECT_EQ(salvage(path_, report), boost::system::errc::file_exists);
  EXPECT_EQ(content(path_ + ".damaged"), kept);
  EXPECT_EQ(content(path_), store);
}

TEST_F(salvage_test, a_store_in_use_is_not_changed) {
  slot_file other{{.path = path_, .reserve_bytes = 0}};
  std::vector<stored_request> slots;
  ASSERT_FALSE(other.open(slots));
  salvage_report report;
  EXPECT_EQ(salvage(path_, report), zmtp::storage_errc::store_in_use);
  EXPECT_FALSE(fs::exists(path_ + ".damaged"));
  EXPECT_FALSE(fs::exists(path_ + ".salvaged"));
}

}  // namespace
}  // namespace mdp::titanic
