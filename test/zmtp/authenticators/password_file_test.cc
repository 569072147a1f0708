#include "zmtp/authenticators/password_file.h"

#include "test/support/scratch_folder.h"
#include "test/zmtp/authenticators/later_answer.h"
#include "zmtp/authenticators/password_list_file.h"

#include <gtest/gtest.h>
#include <sodium.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <future>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using namespace std::chrono_literals;
using test::text_of;

// With the least cost, so that the tests take no time.
std::string hash_of(const std::string& password) {
  std::array<char, crypto_pwhash_STRBYTES> hash;
  if (::crypto_pwhash_str_alg(hash.data(), password.data(), password.size(),
                              crypto_pwhash_OPSLIMIT_MIN, crypto_pwhash_MEMLIMIT_MIN,
                              crypto_pwhash_ALG_ARGON2ID13) != 0) {
    throw std::bad_alloc{};
  }
  return hash.data();
}

class passwords : public testing::Test {
protected:
  void write(const std::string& text) const {
    std::ofstream file{path};
    file << text;
    ASSERT_TRUE(file.flush());
  }
  password_file_options options() {
    password_file_options made;
    made.on_fault = [this](const std::string& fault) {
      const std::lock_guard lock{mutex};
      faults.push_back(fault);
    };
    made.check_interval = 0ms;  // at each handshake
    made.attempts.recovery = 1h;
    return made;
  }
  static std::string answer(authenticator& whom, const std::string& user,
                            const std::string& password,
                            const std::string& address = "127.0.0.1:1") {
    return text_of(test::ask(whom, plain_credentials{user, password}, test::peer_at(address)));
  }
  std::vector<std::string> reported() {
    const std::lock_guard lock{mutex};
    return faults;
  }

  test::scratch_folder folder;
  std::string path = folder.path("users");
  std::mutex mutex;
  std::vector<std::string> faults;
};

TEST_F(passwords, a_user_with_the_right_password_is_admitted) {
  write("alice:" + hash_of("secret") + "\nbob:" + hash_of("") + "\n");
  password_file users{path, options()};
  EXPECT_EQ(answer(users, "alice", "secret"), "user alice");
  EXPECT_EQ(answer(users, "bob", ""), "user bob");
  EXPECT_EQ(answer(users, "alice", ""), "refused 400");
  EXPECT_EQ(answer(users, "bob", "secret"), "refused 400");
  EXPECT_EQ(answer(users, "carol", "secret"), "refused 400");
  EXPECT_EQ(text_of(test::ask(users, {})), "refused 400");
  EXPECT_EQ(text_of(test::ask(users, curve_credentials{})), "refused 400");
  EXPECT_TRUE(reported().empty());
}

TEST_F(passwords, a_change_applies_to_the_next_handshake) {
  write("alice:" + hash_of("secret") + "\n");
  password_file users{path, options()};
  EXPECT_EQ(answer(users, "alice", "secret"), "user alice");
  // The file has the same size, and perhaps the same times.
  write("alice:" + hash_of("better") + "\n");
  EXPECT_EQ(answer(users, "alice", "secret"), "refused 400");
  EXPECT_EQ(answer(users, "alice", "better"), "user alice");
  write("# nobody\n");
  EXPECT_EQ(answer(users, "alice", "better"), "refused 400");
}

TEST_F(passwords, without_the_file_no_user_is_admitted) {
  write("alice:" + hash_of("secret") + "\n");
  password_file users{path, options()};
  EXPECT_EQ(answer(users, "alice", "secret"), "user alice");
  std::filesystem::rename(path, path + ".away");
  EXPECT_EQ(answer(users, "alice", "secret"), "refused 400");
  EXPECT_EQ(answer(users, "alice", "secret"), "refused 400");
  ASSERT_EQ(reported().size(), 1U);
  EXPECT_EQ(reported().at(0),
            "cannot read the passwords " + path + ": no such file; create it with zinc passwd");
  std::filesystem::rename(path + ".away", path);
  EXPECT_EQ(answer(users, "alice", "secret"), "user alice");
}

TEST_F(passwords, a_broken_line_is_named_once_and_disturbs_no_other) {
  write("alice:secret\nbob:" + hash_of("guess") + "\n");
  password_file users{path, options()};
  EXPECT_EQ(answer(users, "bob", "guess"), "user bob");
  EXPECT_EQ(answer(users, "alice", "secret"), "refused 400");
  ASSERT_EQ(reported().size(), 1U);
  EXPECT_EQ(reported().at(0),
            "ignored line 1 of " + path +
                ": not an Argon2id hash behind the user; write the line with zinc passwd");
}

TEST_F(passwords, a_missing_file_is_named_at_the_start) {
  try {
    const password_file users{path};
    FAIL() << "no exception";
  } catch (const password_file_error& e) {
    EXPECT_NE(std::string{e.what()}.find("create the file with zinc passwd"), std::string::npos);
  }
}

TEST_F(passwords, an_address_with_too_many_wrong_passwords_is_told_nothing) {
  write("alice:" + hash_of("secret") + "\n");
  auto few = options();
  few.attempts.failures = 3;
  password_file users{path, few};
  for (const auto* const user : {"alice", "bob", "alice"}) {
    EXPECT_EQ(answer(users, user, "guess", "10.0.0.1:1"), "refused 400");
  }
  // From another port too, and with the right password.
  EXPECT_EQ(answer(users, "alice", "secret", "10.0.0.1:2"), "refused ");
  EXPECT_EQ(answer(users, "alice", "secret", "10.0.0.2:1"), "user alice");
  ASSERT_EQ(reported().size(), 1U);
  EXPECT_EQ(reported().at(0), "refusing 10.0.0.1 for a while: too many wrong passwords");
}

TEST_F(passwords, the_addresses_of_one_ipv6_network_count_together) {
  write("alice:" + hash_of("secret") + "\n");
  auto few = options();
  few.attempts.failures = 1;
  password_file users{path, few};
  EXPECT_EQ(answer(users, "alice", "guess", "[2001:db8::1]:1"), "refused 400");
  EXPECT_EQ(answer(users, "alice", "secret", "[2001:db8::2]:1"), "refused ");
  EXPECT_EQ(answer(users, "alice", "secret", "[2001:db8:0:1::2]:1"), "user alice");
  EXPECT_EQ(answer(users, "alice", "guess", "[::ffff:10.0.0.1]:1"), "refused 400");
  EXPECT_EQ(answer(users, "alice", "secret", "10.0.0.1:1"), "refused ");
  EXPECT_EQ(answer(users, "alice", "secret", "10.0.0.2:1"), "user alice");
}

TEST_F(passwords, users_of_the_system_count_apart_over_ipc) {
  write("alice:" + hash_of("secret") + "\n");
  auto few = options();
  few.attempts.failures = 1;
  password_file users{path, few};
  const auto ask = [&](const char* password, std::uint32_t uid) {
    auto peer = test::peer_at("/run/a");
    peer.process = process_credentials{.uid = uid};
    return text_of(test::ask(users, plain_credentials{"alice", password}, peer));
  };
  EXPECT_EQ(ask("guess", 1'000), "refused 400");
  EXPECT_EQ(ask("secret", 1'000), "refused ");
  EXPECT_EQ(ask("secret", 1'001), "user alice");
}

TEST_F(passwords, a_client_that_finds_the_queue_full_is_told_nothing) {
  write("alice:" + hash_of("secret") + "\n");
  auto narrow = options();
  narrow.most_waiting = 1;
  std::promise<void> checked;
  std::promise<void> go_on;
  narrow.on_fault = [&](const std::string&) {  // holds the thread up
    checked.set_value();
    go_on.get_future().wait();
  };
  narrow.attempts.failures = 1;
  password_file users{path, narrow};
  auto first = test::ask(users, plain_credentials{"alice", "guess"}, test::peer_at("10.0.0.1:1"));
  checked.get_future().wait();
  auto second = test::ask(users, plain_credentials{"alice", "secret"}, test::peer_at("10.0.0.2:1"));
  EXPECT_EQ(answer(users, "alice", "secret", "10.0.0.3:1"), "refused ");
  go_on.set_value();
  EXPECT_EQ(text_of(std::move(first)), "refused 400");
  EXPECT_EQ(text_of(std::move(second)), "user alice");
}

TEST_F(passwords, the_authenticator_may_be_destroyed_while_it_is_asked) {
  write("alice:" + hash_of("secret") + "\n");
  auto users = std::make_unique<password_file>(path, options());
  std::vector<test::later_answer> answers;
  for (int i = 0; i < 50; ++i) {
    answers.push_back(test::ask(*users, plain_credentials{"alice", "secret"}));
  }
  users.reset();
  for (auto& each : answers) {
    const auto text = text_of(std::move(each));
    EXPECT_TRUE(text == "user alice" || text == "dropped") << text;
  }
}

}  // namespace
}  // namespace zmtp
