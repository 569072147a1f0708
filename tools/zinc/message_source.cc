#include "tools/zinc/message_source.h"

#include "tools/zinc/file_bytes.h"
#include "tools/zinc/units.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/core.h>

#include <unistd.h>
#include <utility>

namespace zinc {

namespace asio = boost::asio;

namespace {

// A line without an end must not fill the memory.
constexpr std::size_t most_bytes = most_file_bytes;

}  // namespace

message_source::message_source(const asio::any_io_executor& executor,
                               std::vector<std::string> files, line_style style,
                               std::function<void(std::string_view)> on_fault)
    : files_{std::move(files)},
      style_{std::move(style)},
      on_fault_{std::move(on_fault)},
      input_{executor, STDIN_FILENO} {}

asio::awaitable<bool> message_source::read(zmtp::message& to) {
  if (!files_.empty()) {
    if (next_file_ == files_.size()) {
      co_return false;
    }
    to.clear();
    to.adopt_back(bytes_of(files_[next_file_++]));
    co_return true;
  }
  for (;;) {
    const auto there = co_await read_line();
    if (!there) {
      co_return false;
    }
    ++line_number_;
    try {
      to = message_of(line_, style_);
      co_return true;
    } catch (const unreadable_line& fault) {
      on_fault_(fmt::format("line {}: {}", line_number_, fault.what()));
    }
  }
}

asio::awaitable<bool> message_source::read_line() {
  for (std::size_t seen = 0;;) {
    if (const auto end = unread_.find('\n', begin_ + seen); end != std::string::npos) {
      line_.assign(unread_, begin_, end - begin_);
      begin_ = end + 1;
      co_return true;
    }
    unread_.erase(0, begin_);
    begin_ = 0;
    seen = unread_.size();
    if (seen > most_bytes) {
      on_fault_(fmt::format("line {} is larger than {}; send a --file", line_number_ + 1,
                            text_of_size(most_bytes)));
      co_return false;
    }
    const auto [ec, bytes] = co_await input_.async_read(asio::as_tuple(asio::use_awaitable));
    if (ec) {
      if (ec != asio::error::operation_aborted) {
        on_fault_("cannot read standard input: " + ec.message());
      }
      co_return false;
    }
    if (bytes.empty()) {
      // The last line may have no newline.
      line_ = std::exchange(unread_, {});
      co_return !line_.empty();
    }
    unread_ += bytes;
  }
}

}  // namespace zinc
