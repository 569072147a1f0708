#include "zmtp/authenticators/password_list.h"

#include "test/support/scratch_folder.h"
#include "zmtp/authenticators/password_list_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace zmtp {
namespace {

// The hash of the password "secret", with the least cost.
const std::string hash =
    "$argon2id$v=19$m=8,t=1,p=1$kZdJ7O13ib64WFGtZsQxBg$"
    "SZzAryRvEO366nDo/eHQJbcKJQ21Za4nX1FrQcLYiJE";

std::string first_fault(const std::string& text) {
  const auto read = parse_password_list(text);
  return read.faults.empty()
             ? ""
             : std::to_string(read.faults.front().line) + ": " + read.faults.front().what;
}

TEST(password_list, each_line_is_a_user_and_a_hash) {
  const auto read = parse_password_list("# users\n\nalice:" + hash + "\r\nbob:by:night:" + hash);
  EXPECT_TRUE(read.faults.empty());
  EXPECT_EQ(read.hashes.size(), 2U);
  EXPECT_EQ(read.hashes.at("alice"), hash);
  EXPECT_EQ(read.hashes.at("bob:by:night"), hash);
}

TEST(password_list, a_faulty_line_is_named_and_left_out) {
  const auto write_hash = "not an Argon2id hash behind the user; write the line with zinc passwd";
  EXPECT_EQ(first_fault("\nalice"), "2: no user; write `user:hash`");
  EXPECT_EQ(first_fault(":" + hash), "1: no user; write `user:hash`");
  EXPECT_EQ(first_fault("alice:secret"), std::string{"1: "} + write_hash);
  EXPECT_EQ(first_fault("alice:$argon2id$nonsense"), std::string{"1: "} + write_hash);
  EXPECT_EQ(first_fault("alice:$argon2i$" + hash.substr(10)), std::string{"1: "} + write_hash);
  EXPECT_EQ(first_fault("alice:" + hash + std::string(200, 'A')), std::string{"1: "} + write_hash);
  EXPECT_EQ(first_fault(std::string(256, 'a') + ":" + hash),
            "1: the user has more than 255 bytes; choose a shorter name");
  EXPECT_EQ(first_fault("a\tb:" + hash),
            "1: the user begins with # or has a control character; choose another name");
  EXPECT_EQ(first_fault("alice:" + hash + "\nalice:" + hash),
            "2: the user has a line above; remove one of them");
  EXPECT_EQ(parse_password_list("x\nalice:" + hash + "\n").hashes.size(), 1U);
}

TEST(password_list, a_user_is_added_replaced_and_removed) {
  const std::string others = "# users\n\nbroken\nbob:1\n";
  const auto added = with_user(others, "alice", "2");
  EXPECT_EQ(added, others + "alice:2\n");
  EXPECT_EQ(with_user("alice:2", "bob", "1"), "alice:2\nbob:1\n");  // the last line had no end
  EXPECT_EQ(with_user(added, "bob", "3"), "# users\n\nbroken\nbob:3\nalice:2\n");
  EXPECT_EQ(with_user("a:1\nb:2\na:3\n", "a", "4"), "a:4\nb:2\n");
  EXPECT_EQ(without_user(added, "alice"), others);
  EXPECT_EQ(without_user(others, "alice"), std::nullopt);
}

TEST(password_list, a_hash_matches_its_password) {
  EXPECT_TRUE(is_password(hash, "secret"));
  for (const auto* const wrong : {"", "Secret", "secret ", "secre"}) {
    EXPECT_FALSE(is_password(hash, wrong)) << wrong;
  }
  const auto made = hash_password("new");
  EXPECT_TRUE(is_password(made, "new"));
  EXPECT_FALSE(is_password(made, "old"));
  EXPECT_NE(made, hash_password("new"));  // another salt
  EXPECT_TRUE(first_fault("alice:" + made).empty());
}

class password_list_on_disk : public testing::Test {
protected:
  static std::string fault_of(const std::function<void()>& action) {
    try {
      action();
    } catch (const password_file_error& e) {
      return e.what();
    }
    return "no exception";
  }

  test::scratch_folder folder;
  std::string path = folder.path("users");
};

TEST_F(password_list_on_disk, the_file_is_created_and_replaced_for_this_user_alone) {
  set_password(path, "alice", "secret");
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  set_password(path, "bob", "guess");
  struct ::stat found {};
  ASSERT_EQ(::stat(path.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
  const auto read = parse_password_list(read_password_list(path));
  EXPECT_EQ(read.hashes.size(), 2U);
  EXPECT_TRUE(is_password(read.hashes.at("alice"), "secret"));
  EXPECT_TRUE(is_password(read.hashes.at("bob"), "guess"));
  EXPECT_TRUE(remove_user(path, "alice"));
  EXPECT_FALSE(remove_user(path, "alice"));
  EXPECT_EQ(parse_password_list(read_password_list(path)).hashes.size(), 1U);
  EXPECT_NE(::access((path + ".new").c_str(), F_OK), 0);
}

TEST_F(password_list_on_disk, faults_are_named) {
  EXPECT_EQ(fault_of([&] { static_cast<void>(read_password_list(path)); }),
            "cannot read the passwords " + path +
                ": No such file or directory; create the file with zinc passwd, or check the path");
  EXPECT_EQ(fault_of([&] { set_password(path, "", "secret"); }),
            "cannot add a user to " + path + ": no user; write `user:hash`");
  const auto nowhere = folder.path("nowhere/users");
  EXPECT_EQ(fault_of([&] { set_password(nowhere, "alice", "secret"); }),
            "cannot create " + nowhere + ".new: No such file or directory; check the folder");
}

TEST_F(password_list_on_disk, another_change_is_not_overwritten) {
  set_password(path, "alice", "secret");
  std::ofstream{path + ".new"} << "by another program";
  EXPECT_EQ(fault_of([&] { static_cast<void>(remove_user(path, "alice")); }),
            "cannot create " + path +
                ".new: another program changes the passwords; wait for it, or remove this file if "
                "there is none");
  EXPECT_EQ(parse_password_list(read_password_list(path)).hashes.size(), 1U);
}

}  // namespace
}  // namespace zmtp
