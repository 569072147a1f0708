#include "bstar/epoch_file.h"

#include "bstar/error.h"
#include "test/support/scratch_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <sys/stat.h>

namespace bstar {
namespace {

using boost::system::error_code;

class epochs : public testing::Test {
public:
  [[nodiscard]] epoch load() { return file.load(ec); }
  struct place {
    ::ino_t file;
    ::blkcnt_t blocks;
  };
  [[nodiscard]] static place place_of(const std::string& of) {
    struct ::stat found {};
    EXPECT_EQ(::stat(of.c_str(), &found), 0) << of;
    return {found.st_ino, found.st_blocks};
  }
  void write(const std::string& text) { std::ofstream{path, std::ios::binary} << text; }

  zmtp::test::scratch_folder folder;
  const std::string path = folder.path("epoch");
  const epoch_file file{path};
  error_code ec;
};

TEST_F(epochs, are_stored_and_loaded) {
  for (const epoch e : {epoch{1}, epoch{2}, max_epoch, epoch{0}}) {
    file.store(e, ec);
    EXPECT_FALSE(ec);
    EXPECT_EQ(load(), e);
    EXPECT_FALSE(ec);
  }
  std::ifstream text{path};
  std::string line;
  std::getline(text, line);
  EXPECT_EQ(line, "0");
}

// A full disk has no room for another file or another block.
TEST_F(epochs, are_stored_in_files_that_exist) {
  file.make_spare(ec);
  ASSERT_FALSE(ec);
  const auto first = place_of(path + ".new");
  ASSERT_GT(first.blocks, 0) << "its bytes are on the disk";
  file.store(1, ec);
  ASSERT_FALSE(ec);
  EXPECT_EQ(place_of(path).file, first.file);
  const auto second = place_of(path + ".new");
  for (const epoch e : {epoch{2}, max_epoch, epoch{3}}) {
    file.store(e, ec);
    ASSERT_FALSE(ec);
    EXPECT_EQ(load(), e);
    EXPECT_EQ((std::set{place_of(path).file, place_of(path + ".new").file}),
              (std::set{first.file, second.file}));
    EXPECT_EQ(place_of(path).blocks, first.blocks);
  }
}

TEST_F(epochs, a_spare_with_any_content_is_used) {
  for (const std::string text : {"", "7\n", "000007\n", "a long text that is no number\n"}) {
    std::ofstream{path + ".new", std::ios::binary} << text;
    file.make_spare(ec);
    EXPECT_FALSE(ec);
    EXPECT_EQ(load(), 0U) << "the spare does not count";
    file.store(8, ec);
    EXPECT_FALSE(ec);
    EXPECT_EQ(load(), 8U);
    std::filesystem::remove(path);
  }
}

TEST_F(epochs, are_read_from_files_of_older_versions) {
  write("12\n");
  EXPECT_EQ(load(), 12U);
  file.store(13, ec);
  EXPECT_EQ(load(), 13U);
}

TEST_F(epochs, are_zero_without_a_file) {
  EXPECT_EQ(load(), 0U);
  EXPECT_FALSE(ec);
}

TEST_F(epochs, are_not_stored_without_a_path) {
  const epoch_file nowhere{""};
  nowhere.store(7, ec);
  EXPECT_FALSE(ec);
  EXPECT_EQ(nowhere.load(ec), 0U);
  EXPECT_FALSE(ec);
}

TEST_F(epochs, a_damaged_file_is_an_error) {
  for (const std::string text : {"", "\n", "x\n", "1", "1 \n", "-1\n", "1\n2\n", "1\n\n", " 1\n",
                                 "524288\n", "99999999999\n", "1\r\n"}) {
    write(text);
    EXPECT_EQ(load(), 0U);
    EXPECT_EQ(ec, errc::bad_epoch_file) << text;
  }
}

TEST_F(epochs, report_errors_of_the_system) {
  const epoch_file elsewhere{folder.path("gone/epoch")};
  elsewhere.store(1, ec);
  EXPECT_EQ(ec, boost::system::errc::no_such_file_or_directory);
  const epoch_file directory{folder.path()};
  EXPECT_EQ(directory.load(ec), 0U);
  EXPECT_EQ(ec, boost::system::errc::is_a_directory);
}

TEST_F(epochs, the_old_number_stays_if_the_new_one_cannot_be_written) {
  file.store(3, ec);
  std::filesystem::remove(path + ".new");
  std::filesystem::create_directory(path + ".new");
  file.store(4, ec);
  EXPECT_TRUE(ec);
  EXPECT_EQ(load(), 3U);
}

}  // namespace
}  // namespace bstar
