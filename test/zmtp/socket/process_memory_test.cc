// The memory limit of a process, read from system files that the test creates.

#include "test/support/scratch_folder.h"
#include "zmtp/engine/memory_limit.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace zmtp::test {
namespace {

class cgroup_memory : public testing::Test {
protected:
  void put(const std::string& name, const std::string& content) {
    const std::filesystem::path file{root_.path(name)};
    std::filesystem::create_directories(file.parent_path());
    std::ofstream{file} << content;
  }
  [[nodiscard]] std::optional<std::size_t> limit() const {
    return cgroup_memory_limit(root_.path());
  }

private:
  scratch_folder root_;
};

TEST_F(cgroup_memory, has_no_limit_without_cgroups) {
  EXPECT_EQ(limit(), std::nullopt);
  put("proc/self/cgroup", "");
  EXPECT_EQ(limit(), std::nullopt);
}

TEST_F(cgroup_memory, is_the_smallest_on_the_way_to_the_root) {
  put("proc/self/cgroup", "0::/outer/middle/inner\n");
  put("sys/fs/cgroup/outer/middle/inner/memory.max", "max\n");
  EXPECT_EQ(limit(), std::nullopt);
  put("sys/fs/cgroup/outer/memory.max", "268435456\n");
  EXPECT_EQ(limit(), 268435456U);
  put("sys/fs/cgroup/outer/middle/memory.max", "1000000000\n");
  EXPECT_EQ(limit(), 268435456U);
  put("sys/fs/cgroup/outer/middle/inner/memory.max", "4096\n");
  EXPECT_EQ(limit(), 4096U);
}

TEST_F(cgroup_memory, is_that_of_version_1_too) {
  put("proc/self/cgroup", "9:name=systemd:/memory\n4:cpu,memory:/a/b\n3:cpuset:/c\n0::/d\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(limit(), 9223372036854771712U);
  put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "2000\n");
  put("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "3000\n");
  put("sys/fs/cgroup/memory/c/memory.limit_in_bytes", "1\n");
  put("sys/fs/cgroup/memory/memory/memory.limit_in_bytes", "1\n");
  EXPECT_EQ(limit(), 2000U);
  put("sys/fs/cgroup/d/memory.max", "1500");
  EXPECT_EQ(limit(), 1500U) << "where both are in use, the smaller";
}

// A container sees its own group as the root, but its name is that of the host.
TEST_F(cgroup_memory, the_group_of_a_container_is_found_at_the_root) {
  put("proc/self/cgroup", "4:memory:/docker/0123\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "1000\n");
  EXPECT_EQ(limit(), 1000U);
}

TEST_F(cgroup_memory, stays_within_its_hierarchy) {
  put("proc/self/cgroup", "0::/../../elsewhere\n");
  put("sys/elsewhere/memory.max", "1\n");
  put("elsewhere/memory.max", "1\n");
  put("sys/fs/cgroup/memory.max", "77\n");
  EXPECT_EQ(limit(), 77U);
}

TEST_F(cgroup_memory, ignores_unknown_content) {
  put("proc/self/cgroup", "\nnonsense\n4\n5:memory\n:\n::\n0::/a:b\n");
  put("sys/fs/cgroup/memory.max", "\n");
  EXPECT_EQ(limit(), std::nullopt);
  put("sys/fs/cgroup/memory.max", "lots\n");
  EXPECT_EQ(limit(), std::nullopt);
  put("sys/fs/cgroup/a:b/memory.max", "12\n");
  EXPECT_EQ(limit(), 12U);
}

TEST(process_memory, is_that_of_the_machine_at_most) {
  std::ifstream in{"/proc/meminfo"};
  std::string name;
  std::size_t kibi = 0;
  ASSERT_TRUE(in >> name >> kibi);
  ASSERT_EQ(name, "MemTotal:");
  EXPECT_LE(process_memory(), kibi * 1024);
  EXPECT_GT(process_memory(), 1024U * 1024);
}

}  // namespace
}  // namespace zmtp::test
