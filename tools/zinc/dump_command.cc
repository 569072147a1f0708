// zinc dump: what two programs say to each other.

#include "tools/zinc/dump_command.h"

#include "tools/zinc/commands.h"
#include "tools/zinc/dump/connection_decoder.h"
#include "tools/zinc/dump/record_lines.h"
#include "tools/zinc/dump/relay.h"
#include "tools/zinc/output.h"
#include "tools/zinc/stop_signals.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <fmt/core.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace zinc {

namespace {

namespace asio = boost::asio;

// Writes lines at the end of each piece of bytes, because somebody may be watching.
class printer {
public:
  explicit printer(std::function<void()> on_failure) : on_failure_{std::move(on_failure)} {}

  void write(std::string_view lines) {
    if (failed_ || lines.empty()) {
      return;
    }
    try {
      write_output(lines);
    } catch (const std::system_error& e) {
      failed_ = true;
      fmt::print(stderr, "zinc dump: {}\n", e.what());
      on_failure_();
    }
  }
  [[nodiscard]] bool failed() const noexcept { return failed_; }

private:
  std::function<void()> on_failure_;
  bool failed_ = false;
};

class printed_connection final : public dump::relay_observer {
public:
  printed_connection(const dump_arguments& arguments, std::uint64_t number, printer& to)
      : arguments_{arguments}, number_{number}, printer_{to} {}

  void on_opened(const std::string& peer) override {
    decoder_.open(peer, arguments_.connect);
    write();
  }
  void on_bytes(dump::side from, std::string_view bytes) override {
    decoder_.feed(from, bytes);
    write();
  }
  void on_end(dump::side from) override {
    decoder_.finish(from);
    write();
  }
  void on_closed(const std::string& why) override {
    decoder_.close(why);
    write();
  }

private:
  void add(const dump::record& one) {
    const dump::stamp when{std::chrono::duration_cast<std::chrono::microseconds>(
                               std::chrono::system_clock::now().time_since_epoch()),
                           number_};
    lines_ += arguments_.json ? json_line_of(one, when) : text_line_of(one, when);
  }
  void write() {
    printer_.write(lines_);
    lines_.clear();
  }

  const dump_arguments& arguments_;
  std::uint64_t number_;
  printer& printer_;
  std::string lines_;
  dump::connection_decoder decoder_{arguments_.decoder,
                                    [this](const dump::record& one) { add(one); }};
};

int run_live(const dump_arguments& arguments) {
  asio::io_context context{1};
  std::optional<dump::relay> relay;
  std::optional<stop_signals> signals;
  // Not at once, because a connection of the relay may be writing.
  printer lines{[&] {
    asio::post(context, [&] {
      relay->stop();
      signals->cancel();
    });
  }};
  std::uint64_t connections = 0;
  relay.emplace(context.get_executor(), zmtp::endpoint::parse(arguments.listen).value(),
                zmtp::endpoint::parse(arguments.connect).value(), [&] {
                  return std::make_unique<printed_connection>(arguments, ++connections, lines);
                });
  signals.emplace(context.get_executor(), [&relay] { relay->stop(); });
  fmt::print(stderr, "bound {}\n", relay->bound().to_string());
  context.run();
  return lines.failed() ? exit_code::failed : exit_code::done;
}

}  // namespace

int run_dump(const dump_arguments& arguments) {
  try {
    return run_live(arguments);
  } catch (const std::exception& e) {
    fmt::print(stderr, "zinc dump: {}\n", e.what());
    return exit_code::failed;
  }
}

}  // namespace zinc
