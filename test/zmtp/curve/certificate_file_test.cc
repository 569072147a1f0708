#include "zmtp/curve/certificate_file.h"

#include "test/support/fixed_random.h"
#include "test/support/scratch_folder.h"
#include "zmtp/curve/private_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>

namespace zmtp {
namespace {

curve_certificate fresh(unsigned seed = 1) {
  const auto keys = make_key_pair(test::fixed_random(seed));
  return {
      .public_key = keys.public_key, .secret_key = keys.secret_key, .metadata = {{"name", "A"}}};
}

unsigned mode_of(const std::string& path) {
  struct ::stat info {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
  return info.st_mode & 0777U;
}

std::string fault_of(const auto& use) {
  try {
    use();
  } catch (const certificate_error& e) {
    return e.what();
  }
  return "none";
}

class certificate_file : public testing::Test {
protected:
  test::scratch_folder folder;
  std::string path = folder.path() + "/alice.cert";
};

TEST_F(certificate_file, both_files_are_read_again) {
  const auto one = fresh();
  save_certificate(one, path);
  const auto open = load_certificate(path);
  EXPECT_EQ(open.public_key, one.public_key);
  EXPECT_FALSE(open.secret_key);
  EXPECT_EQ(open.metadata, one.metadata);
  const auto secret = load_certificate(path + "_secret");
  EXPECT_EQ(secret.public_key, one.public_key);
  EXPECT_TRUE(equal_secrets(secret.secret_key.value().bytes(), one.secret_key->bytes()));
}

TEST_F(certificate_file, only_its_owner_reads_the_secret_file) {
  save_certificate(fresh(), path);
  EXPECT_EQ(mode_of(path + "_secret"), 0600U);
}

TEST_F(certificate_file, no_file_is_replaced_and_none_is_left_half_made) {
  std::ofstream{path + "_secret"} << "precious";
  EXPECT_NE(fault_of([&] { save_certificate(fresh(), path); }).find("the file exists; choose"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path));
  std::filesystem::remove(path + "_secret");
  save_certificate(fresh(1), path);
  EXPECT_NE(fault_of([&] { save_certificate(fresh(2), path); }), "none");
  EXPECT_EQ(load_certificate(path).public_key, fresh(1).public_key);
}

TEST_F(certificate_file, a_fault_names_the_file_the_line_and_a_remedy) {
  const auto missing = fault_of([&] { static_cast<void>(load_certificate(path)); });
  EXPECT_NE(missing.find(path), std::string::npos);
  EXPECT_NE(missing.find("No such file"), std::string::npos);
  EXPECT_NE(missing.find("; create one"), std::string::npos);
  std::ofstream{path} << "curve\n    public-key = \"short\"\n";
  EXPECT_NE(fault_of([&] {
              static_cast<void>(load_certificate(path));
            }).find(path + ": line 2: the public-key"),
            std::string::npos);
  std::ofstream{path} << std::string(100'000, '#');
  EXPECT_NE(fault_of([&] { static_cast<void>(load_certificate(path)); }).find("above 64 KiB"),
            std::string::npos);
  EXPECT_NE(
      fault_of([&] { static_cast<void>(load_certificate(folder.path())); }).find("Is a directory"),
      std::string::npos);
}

// Without a process at its other end, opening a pipe would never end.
TEST_F(certificate_file, a_pipe_or_device_is_not_opened_for_long) {
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  for (const auto& each : {path, std::string{"/dev/zero"}}) {
    EXPECT_EQ(fault_of([&] { static_cast<void>(load_certificate(each)); }),
              "cannot read the certificate " + each +
                  ": it is a device or a pipe, not a file; check the path");
    EXPECT_EQ(fault_of_file(each)->why, "it is a device or a pipe, not a file");
  }
  EXPECT_EQ(fault_of_file(folder.path())->why, "Is a directory");
  EXPECT_EQ(fault_of_file(folder.path("none"))->why, "No such file or directory");
  std::ofstream{folder.path("regular")};
  EXPECT_FALSE(fault_of_file(folder.path("regular")));
}

}  // namespace
}  // namespace zmtp
