// A descriptor is read when asked, to its end, and waiting for it can be cancelled.

#include "tools/zinc/input_reader.h"

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>

namespace zinc {
namespace {

class input_reader_test : public testing::Test {
protected:
  struct outcome {
    zmtp::error_code ec;
    std::string bytes;
  };

  input_reader_test() {
    EXPECT_EQ(::pipe(pipe_.data()), 0);
    reader_.emplace(context_.get_executor(), pipe_[0]);
  }
  // The thread may be about to read still: its end of the pipe stays.
  ~input_reader_test() override { close_writer(); }

  void close_writer() {
    if (pipe_[1] >= 0) {
      ::close(std::exchange(pipe_[1], -1));
    }
  }
  void write(const std::string& text) {
    EXPECT_EQ(::write(pipe_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void start() {
    done_.reset();
    reader_->async_read([this](zmtp::error_code ec, std::string bytes) {
      done_ = outcome{ec, std::move(bytes)};
    });
  }
  outcome wait() {
    context_.restart();
    context_.run_for(std::chrono::seconds{20});
    EXPECT_TRUE(done_);
    return done_.value_or(outcome{});
  }
  outcome read() {
    start();
    return wait();
  }

  boost::asio::io_context context_{1};
  std::array<int, 2> pipe_{};
  std::optional<input_reader> reader_;
  std::optional<outcome> done_;
};

TEST_F(input_reader_test, reads_the_input_and_its_end) {
  write("hello");
  EXPECT_EQ(read().bytes, "hello");
  start();
  write("world");
  EXPECT_EQ(wait().bytes, "world");
  close_writer();
  EXPECT_TRUE(read().bytes.empty());
  const auto again = read();
  EXPECT_TRUE(!again.ec && again.bytes.empty());
}

TEST_F(input_reader_test, reads_no_more_than_it_is_asked_to) {
  write(std::string(60'000, 'x'));
  EXPECT_EQ(read().bytes.size(), 60'000U);
  write("y");
  context_.restart();
  context_.poll();
  EXPECT_EQ(read().bytes, "y");
}

TEST_F(input_reader_test, faults_are_reported) {
  reader_.emplace(context_.get_executor(), -1);
  EXPECT_EQ(read().ec, boost::system::errc::bad_file_descriptor);
}

TEST_F(input_reader_test, waiting_can_be_cancelled_and_is_over_then) {
  start();
  context_.poll();
  reader_->cancel();
  EXPECT_EQ(wait().ec, boost::asio::error::operation_aborted);
  EXPECT_EQ(read().ec, boost::asio::error::operation_aborted);
}

TEST_F(input_reader_test, the_destructor_drops_a_pending_read) {
  const auto kept = std::make_shared<int>();
  reader_->async_read([kept](zmtp::error_code, const std::string&) { FAIL(); });
  reader_.reset();
  EXPECT_EQ(kept.use_count(), 1);
  write("x");
  context_.run_for(std::chrono::seconds{20});
  EXPECT_TRUE(context_.stopped());
}

}  // namespace
}  // namespace zinc
