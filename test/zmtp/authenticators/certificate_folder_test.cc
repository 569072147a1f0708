#include "zmtp/authenticators/certificate_folder.h"

#include "test/support/fixed_random.h"
#include "test/support/scratch_folder.h"
#include "test/zmtp/authenticators/later_answer.h"
#include "zmtp/curve/certificate_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <sys/stat.h>
#include <vector>

namespace zmtp {
namespace {

using namespace std::chrono_literals;
using test::text_of;

void write(const std::string& path, const std::string& text) {
  std::ofstream file{path};
  file << text;
  ASSERT_TRUE(file.flush()) << path;
}

class certificates : public testing::Test {
protected:
  static curve_public_key key(unsigned seed) {
    return make_key_pair(test::fixed_random(seed)).public_key;
  }
  void add(const std::string& file, unsigned seed, const std::string& name = {}) {
    curve_certificate made{.public_key = key(seed)};
    if (!name.empty()) {
      made.metadata.emplace_back("name", name);
    }
    write(folder.path(file), to_text(made));
  }
  void remove(const std::string& file) { std::filesystem::remove(folder.path(file)); }
  // Checks the files at each handshake.
  std::unique_ptr<certificate_folder> open(std::chrono::milliseconds interval = 0ms) {
    return std::make_unique<certificate_folder>(
        folder.path(),
        [this](const std::string& fault) {
          const std::lock_guard lock{mutex};
          faults.push_back(fault);
        },
        interval);
  }
  static std::string answer(authenticator& whom, unsigned seed) {
    return text_of(test::ask(whom, curve_credentials{key(seed)}));
  }
  std::vector<std::string> reported() {
    const std::lock_guard lock{mutex};
    return faults;
  }

  test::scratch_folder folder;
  std::mutex mutex;
  std::vector<std::string> faults;
};

TEST_F(certificates, the_owner_of_a_certificate_is_admitted) {
  add("alice.cert", 1, "Alice");
  add("bob.cert", 2);
  const auto clients = open();
  EXPECT_EQ(answer(*clients, 1), "user Alice");
  EXPECT_EQ(answer(*clients, 2), "user bob.cert");
  EXPECT_EQ(answer(*clients, 3), "refused 400");
  EXPECT_EQ(text_of(test::ask(*clients, {})), "refused 400");
  EXPECT_EQ(text_of(test::ask(*clients, plain_credentials{"Alice", ""})), "refused 400");
  EXPECT_TRUE(reported().empty());
}

TEST_F(certificates, a_change_applies_to_the_next_handshake) {
  add("alice.cert", 1);
  const auto clients = open();
  EXPECT_EQ(answer(*clients, 2), "refused 400");
  add("bob.cert", 2);
  EXPECT_EQ(answer(*clients, 2), "user bob.cert");
  remove("alice.cert");
  EXPECT_EQ(answer(*clients, 1), "refused 400");
  // The file has the same name and the same size, and perhaps the same times.
  add("bob.cert", 3);
  EXPECT_EQ(answer(*clients, 2), "refused 400");
  EXPECT_EQ(answer(*clients, 3), "user bob.cert");
}

TEST_F(certificates, the_files_are_not_checked_before_the_interval_has_passed) {
  add("alice.cert", 1);
  const auto clients = open(1h);
  add("bob.cert", 2);
  EXPECT_EQ(answer(*clients, 2), "refused 400");
  EXPECT_EQ(answer(*clients, 1), "user alice.cert");
}

TEST_F(certificates, a_broken_file_is_named_once_and_disturbs_no_other) {
  add("alice.cert", 1);
  write(folder.path("broken.cert"), "curve\n    public-key = \"short\"\n");
  const auto clients = open();
  EXPECT_EQ(answer(*clients, 1), "user alice.cert");
  ASSERT_EQ(reported().size(), 1U);
  EXPECT_EQ(reported().at(0), "invalid certificate " + folder.path("broken.cert") +
                                  ": line 2: the public-key is not one key of 40 characters; copy "
                                  "it again");
  add("broken.cert", 2);
  EXPECT_EQ(answer(*clients, 2), "user broken.cert");
  write(folder.path("broken.cert"), "nothing");
  EXPECT_EQ(answer(*clients, 2), "refused 400");
  EXPECT_EQ(answer(*clients, 1), "user alice.cert");
  EXPECT_EQ(reported().size(), 2U);
}

TEST_F(certificates, two_files_with_one_key_are_reported) {
  add("a.cert", 1, "first");
  add("b.cert", 1, "second");
  const auto clients = open();
  EXPECT_EQ(answer(*clients, 1), "user first");
  ASSERT_EQ(reported().size(), 1U);
  EXPECT_NE(reported().at(0).find("b.cert: " + folder.path("a.cert") + " has the same key"),
            std::string::npos);
  remove("a.cert");
  EXPECT_EQ(answer(*clients, 1), "user second");
}

TEST_F(certificates, other_files_are_ignored) {
  add(".hidden", 1);
  add("alice.cert~", 2);
  write(folder.path("alice.cert_secret"), "not a certificate");
  std::filesystem::create_directory(folder.path("folder"));
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);  // reading it would block
  const auto clients = open();
  EXPECT_EQ(answer(*clients, 1), "refused 400");
  EXPECT_EQ(answer(*clients, 2), "refused 400");
  EXPECT_TRUE(reported().empty());
}

TEST_F(certificates, a_missing_folder_is_named) {
  try {
    const certificate_folder clients{folder.path("nowhere")};
    FAIL() << "no exception";
  } catch (const certificate_error& e) {
    EXPECT_EQ(std::string{e.what()}, "cannot read the folder of certificates " +
                                         folder.path("nowhere") +
                                         ": No such file or directory; create it, or check the "
                                         "path");
  }
}

TEST_F(certificates, without_the_folder_no_client_is_admitted) {
  std::filesystem::create_directory(folder.path("in"));
  add("in/alice.cert", 1);
  certificate_folder clients{folder.path("in"), {}, 0ms};
  EXPECT_EQ(answer(clients, 1), "user alice.cert");
  std::filesystem::rename(folder.path("in"), folder.path("away"));
  EXPECT_EQ(answer(clients, 1), "refused 400");
  std::filesystem::rename(folder.path("away"), folder.path("in"));
  EXPECT_EQ(answer(clients, 1), "user alice.cert");
}

TEST_F(certificates, the_authenticator_may_be_destroyed_while_it_is_asked) {
  add("alice.cert", 1);
  auto clients = open();
  std::vector<test::later_answer> answers;
  for (int i = 0; i < 100; ++i) {
    answers.push_back(test::ask(*clients, curve_credentials{key(1)}));
  }
  clients.reset();
  for (auto& each : answers) {
    const auto text = text_of(std::move(each));
    EXPECT_TRUE(text == "user alice.cert" || text == "dropped") << text;
  }
}

}  // namespace
}  // namespace zmtp
