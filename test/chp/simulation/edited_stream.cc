#include "test/chp/simulation/edited_stream.h"

#include "test/zmtp/simulation/stream_over.h"
#include "zmtp/frame.h"
#include "zmtp/transport/network.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace chp::simulation {

namespace {

namespace asio = boost::asio;
namespace frame = zmtp::frame;
namespace transport = zmtp::transport;
using zmtp::error_code;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class edited_stream final : public zmtp::simulation::stream_over {
public:
  edited_stream(std::unique_ptr<transport::stream> below, asio::any_io_executor executor,
                const message_edit& edit)
      : stream_over{std::move(below)}, executor_{std::move(executor)}, edit_{edit} {}

  [[nodiscard]] std::size_t read_some(std::span<std::byte> to, error_code& ec) noexcept override {
    ec = {};
    while (edited_.empty()) {
      std::array<std::byte, 4096> bytes;
      const auto count = stream_over::read_some(bytes, ec);
      if (count == 0) {
        return 0;
      }
      received_.append(text_of({bytes.data(), count}));
      while (take_part()) {
      }
    }
    ec = {};
    const auto count = std::min(to.size(), edited_.size());
    std::memcpy(to.data(), edited_.data(), count);
    edited_.erase(0, count);
    return count;
  }
  void wait(transport::stream_side side, std::shared_ptr<transport::stream_user> user) override {
    if (side == transport::stream_side::read && !edited_.empty()) {
      asio::post(executor_, [user = std::move(user), side] { user->on_ready(side, {}); });
    } else {
      stream_over::wait(side, std::move(user));
    }
  }

private:
  // Takes a part of the greeting, a command or a part of a message. Returns false if it is not complete.
  [[nodiscard]] bool take_part() {
    if (greeting_left_ != 0) {
      const auto count = std::min(greeting_left_, received_.size());
      greeting_left_ -= count;
      pass_on(count);
      return count != 0;
    }
    const auto* const at = reinterpret_cast<const std::byte*>(received_.data());
    if (received_.size() < 2 || received_.size() < frame::header_size(*at)) {
      return false;
    }
    const auto header = frame::header_size(*at);
    const auto whole = header + static_cast<std::size_t>(frame::declared_size(at));
    if (received_.size() < whole) {
      return false;
    }
    if (frame::has(*at, frame::command)) {
      pass_on(whole);
      return true;
    }
    const bool is_last = !frame::has(*at, frame::more);
    message_.push_back(std::string_view{received_}.substr(header, whole - header));
    received_.erase(0, whole);
    if (is_last) {
      for (auto left = edit_(message_); left != 0; --left) {
        edited_.append(text_of(message_.head()));
        edited_.append(text_of(message_.tail()));
      }
      message_.clear();
    }
    return true;
  }
  void pass_on(std::size_t count) {
    edited_.append(received_, 0, count);
    received_.erase(0, count);
  }

  asio::any_io_executor executor_;
  message_edit edit_;
  std::string received_;   // a frame that is not complete
  zmtp::message message_;  // its first parts
  std::string edited_;     // not read yet
  std::size_t greeting_left_ = 64;
};

}  // namespace

void edit_reads(zmtp::simulation::process& of, message_edit edit) {
  of.wrap_streams(
      [&of, edit = std::move(edit)](std::unique_ptr<transport::stream> whole, std::uint64_t) {
        return std::make_unique<edited_stream>(std::move(whole), of.executor(), edit);
      });
}

}  // namespace chp::simulation
