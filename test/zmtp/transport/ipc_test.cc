// The files of ipc:// endpoints: their creation, replacement and removal.

#include "zmtp/transport/ipc.h"

#include "test/support/scratch_folder.h"
#include "test/support/transport_test.h"

#include <boost/asio/error.hpp>
#include <gtest/gtest.h>

#include <barrier>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace zmtp::test {
namespace {

namespace fs = std::filesystem;

class ipc : public transport_test {
protected:
  [[nodiscard]] static std::string ipc_at(const std::string& where) { return "ipc://" + where; }
  [[nodiscard]] static mode_t mode_of(const std::string& file) {
    struct ::stat status {};
    EXPECT_EQ(::lstat(file.c_str(), &status), 0) << file;
    return status.st_mode & 07777;
  }
  // A file that a socket has left behind.
  static void leave_behind(const std::string& file, asio::io_context& context) {
    transport::listening_socket socket{context};
    ASSERT_EQ(transport::open(socket, AF_UNIX, {}), error_code{});
    socket.bind(transport::kernel_address({file}));
    socket.listen();
  }
  [[nodiscard]] error_code open(acceptor& a, const std::string& where) {
    return a.open(at(ipc_at(where)), backlog);
  }

  scratch_folder folder;
  const std::string path = folder.path("socket");
};

class mask_scope {
public:
  explicit mask_scope(mode_t mask) : before_{::umask(mask)} {}
  mask_scope(const mask_scope&) = delete;
  mask_scope& operator=(const mask_scope&) = delete;
  ~mask_scope() { ::umask(before_); }

private:
  mode_t before_;
};

TEST_F(ipc, files_have_the_mode_of_the_option_with_any_umask) {
  EXPECT_EQ(transport_options{}.file_mode, 0600U);
  for (const mode_t mask : {0U, 022U, 0777U}) {
    for (const mode_t mode : {0600U, 0660U, 0666U, 0U}) {
      transport_options options;
      options.file_mode = mode;
      acceptor a{executor(), options};
      const mask_scope scope{mask};
      ASSERT_EQ(open(a, path), error_code{});
      EXPECT_EQ(mode_of(path), mode) << "umask " << mask;
    }
  }
}

TEST_F(ipc, files_are_removed_with_the_listener) {
  {
    acceptor a{executor(), {}};
    ASSERT_EQ(open(a, path), error_code{});
    EXPECT_EQ(a.bound().to_string(), ipc_at(path));
    EXPECT_EQ(connect(a.bound()), error_code{});
    EXPECT_FALSE(folder.empty());
    a.close();
    EXPECT_TRUE(folder.empty());
    EXPECT_EQ(connect(a.bound()), boost::system::errc::no_such_file_or_directory);
    ASSERT_EQ(open(a, path), error_code{}) << "again";
  }
  EXPECT_TRUE(folder.empty());
}

TEST_F(ipc, files_without_a_listener_are_replaced) {
  leave_behind(path, context());
  EXPECT_EQ(connect(at(ipc_at(path))), asio::error::connection_refused);
  acceptor a{executor(), {}};
  ASSERT_EQ(open(a, path), error_code{});
  EXPECT_EQ(connect(a.bound()), error_code{});
}

TEST_F(ipc, paths_with_a_listener_are_in_use) {
  acceptor first{executor(), {}};
  ASSERT_EQ(open(first, path), error_code{});
  acceptor second{executor(), {}};
  EXPECT_EQ(open(second, path), asio::error::address_in_use);
  EXPECT_EQ(connect(first.bound()), error_code{});
  second.close();
  EXPECT_FALSE(folder.empty());
}

TEST_F(ipc, paths_with_a_listener_with_a_full_backlog_are_in_use) {
  acceptor first{executor(), {}};
  ASSERT_EQ(first.open(at(ipc_at(path)), 1), error_code{});
  std::vector<stream> waiting;
  error_code ec;
  while (!ec && waiting.size() < 100) {
    waiting.emplace_back();
    ec = connect(first.bound(), waiting.back());
  }
  // Not connected, even if the socket is ready.
  EXPECT_EQ(ec, asio::error::would_block);
  acceptor second{executor(), {}};
  EXPECT_EQ(open(second, path), asio::error::address_in_use);
}

TEST_F(ipc, files_other_than_sockets_stay) {
  const auto file = folder.path("file");
  std::ofstream{file} << "content";
  const auto subfolder = folder.path("folder");
  fs::create_directory(subfolder);
  const auto fifo = folder.path("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const auto link = folder.path("link");
  leave_behind(path, context());
  fs::create_symlink(path, link);
  const auto dangling = folder.path("dangling");
  fs::create_symlink(folder.path("nothing"), dangling);
  for (const auto& taken : {file, subfolder, fifo, link, dangling}) {
    acceptor a{executor(), {}};
    EXPECT_EQ(open(a, taken), errc::path_taken) << taken;
    a.close();
    EXPECT_TRUE(fs::exists(fs::symlink_status(taken))) << taken;
  }
  std::string content;
  std::ifstream{file} >> content;
  EXPECT_EQ(content, "content");
}

TEST_F(ipc, missing_folders_are_an_error) {
  acceptor a{executor(), {}};
  EXPECT_EQ(open(a, folder.path("none/socket")), boost::system::errc::no_such_file_or_directory);
}

TEST_F(ipc, a_file_that_replaced_the_socket_stays) {
  acceptor first{executor(), {}};
  ASSERT_EQ(open(first, path), error_code{});
  // As libzmq does.
  ASSERT_EQ(::unlink(path.c_str()), 0);
  acceptor second{executor(), {}};
  ASSERT_EQ(open(second, path), error_code{});
  first.close();
  EXPECT_EQ(connect(second.bound()), error_code{});
}

TEST_F(ipc, a_relative_file_is_removed_from_any_working_directory) {
  const auto before = fs::current_path();
  fs::current_path(folder.path());
  acceptor a{executor(), {}};
  ASSERT_EQ(open(a, "socket"), error_code{});
  EXPECT_EQ(a.bound().to_string(), "ipc://socket");
  fs::current_path(before);
  a.close();
  EXPECT_TRUE(folder.empty());
}

TEST_F(ipc, paths_of_the_longest_allowed_size_work) {
  const auto longest =
      folder.path(std::string(ipc_address::max_size - folder.path().size() - 1, 'a'));
  ASSERT_EQ(longest.size(), ipc_address::max_size);
  acceptor a{executor(), {}};
  ASSERT_EQ(open(a, longest), error_code{});
  stream connected;
  ASSERT_EQ(connect(a.bound(), connected), error_code{});
  EXPECT_EQ(connected->remote().address, longest);
}

TEST_F(ipc, generated_path_is_a_new_one_in_the_temporary_folder) {
  ASSERT_EQ(::setenv("TMPDIR", folder.path().c_str(), 1), 0);
  std::optional<acceptor> first{std::in_place, executor(), transport_options{}};
  std::optional<acceptor> second{std::in_place, executor(), transport_options{}};
  ASSERT_EQ(open(*first, "*"), error_code{});
  ASSERT_EQ(open(*second, "*"), error_code{});
  EXPECT_NE(first->bound(), second->bound());
  for (const auto* each : {&*first, &*second}) {
    EXPECT_TRUE(each->bound().connectable());
    EXPECT_TRUE(each->bound().ipc()->path.starts_with(folder.path()));
    EXPECT_EQ(mode_of(each->bound().ipc()->path), 0600U);
    EXPECT_EQ(connect(each->bound()), error_code{});
  }
  first.reset();
  second.reset();
  EXPECT_TRUE(folder.empty());

  ASSERT_EQ(::setenv("TMPDIR", ("/" + std::string(107, 'a')).c_str(), 1), 0);
  acceptor third{executor(), {}};
  EXPECT_EQ(open(third, "*"), errc::address_too_long);
  ::unsetenv("TMPDIR");
}

TEST_F(ipc, abstract_names_have_no_files) {
  const auto name = "@" + folder.path("abstract");
  acceptor first{executor(), {}};
  ASSERT_EQ(open(first, name), error_code{});
  EXPECT_TRUE(folder.empty());
  EXPECT_EQ(first.bound().to_string(), ipc_at(name));
  stream connected;
  ASSERT_EQ(connect(first.bound(), connected), error_code{});
  EXPECT_EQ(connected->remote().address, name);
  EXPECT_EQ(take(first)->remote().address, name);
  acceptor second{executor(), {}};
  EXPECT_EQ(open(second, name), asio::error::address_in_use);
  first.close();
  EXPECT_EQ(open(second, name), error_code{});
}

TEST_F(ipc, one_of_several_simultaneous_binds_succeeds) {
  constexpr int rivals = 4;
  constexpr int rounds = 200;
  std::barrier meeting{rivals};
  std::vector<std::vector<error_code>> results(rivals, std::vector<error_code>(rounds));
  std::vector<std::thread> threads;
  for (auto& mine : results) {
    threads.emplace_back([&] {
      asio::io_context own{1};
      for (auto& result : mine) {
        if (&mine == &results.front()) {
          leave_behind(path, own);
        }
        meeting.arrive_and_wait();
        std::optional<acceptor> a{std::in_place, own.get_executor(), transport_options{}};
        result = open(*a, path);
        meeting.arrive_and_wait();
        if (!result) {
          transport::stream_socket probe{own};
          result = transport::connect_ipc(probe, {path}, {});
        }
        meeting.arrive_and_wait();
        a.reset();
        meeting.arrive_and_wait();
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  for (std::size_t round = 0; round < rounds; ++round) {
    int winners = 0;
    for (const auto& of : results) {
      winners += of[round] ? 0 : 1;
      EXPECT_TRUE(!of[round] || of[round] == asio::error::address_in_use) << of[round].message();
    }
    EXPECT_EQ(winners, 1) << "round " << round;
  }
}

TEST_F(ipc, child_of_a_fork_can_drop_its_copy_without_side_effects) {
  acceptor a{executor(), {}};
  ASSERT_EQ(open(a, path), error_code{});
  const auto waiting = std::make_shared<recorder>();
  a.wait(waiting);
  context().notify_fork(asio::execution_context::fork_prepare);
  const auto child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    context().notify_fork(asio::execution_context::fork_child);
    a.close();
    ::_exit(0);
  }
  context().notify_fork(asio::execution_context::fork_parent);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(folder.empty());
  EXPECT_EQ(connect(a.bound()), error_code{});
  run_until([&] { return waiting->result.has_value(); });
  EXPECT_EQ(waiting->result, error_code{});
}

}  // namespace
}  // namespace zmtp::test
