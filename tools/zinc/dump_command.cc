// zinc dump: what two programs say to each other.

#include "tools/zinc/dump_command.h"

#include "tools/zinc/commands.h"
#include "tools/zinc/dump/capture_reader.h"
#include "tools/zinc/dump/printed_connection.h"
#include "tools/zinc/dump/relay.h"
#include "tools/zinc/dump/tcp_segment.h"
#include "tools/zinc/dump/tcp_streams.h"
#include "tools/zinc/output.h"
#include "tools/zinc/security_files.h"
#include "tools/zinc/security_flags.h"
#include "tools/zinc/stop_signals.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace zinc {

namespace {

namespace asio = boost::asio;

// Writes lines at the end of each piece of bytes, so that a user sees them at once.
class printer {
public:
  explicit printer(std::function<void()> on_end) : on_end_{std::move(on_end)} {}

  void write(std::string_view lines) {
    if (over_ || lines.empty()) {
      return;
    }
    try {
      over_ = !write_unless_stopped(lines);
    } catch (const std::system_error& e) {
      over_ = failed_ = true;
      fmt::print(stderr, "zinc dump: {}\n", e.what());
    }
    if (over_) {
      on_end_();
    }
  }
  [[nodiscard]] bool failed() const noexcept { return failed_; }

private:
  std::function<void()> on_end_;
  bool over_ = false;
  bool failed_ = false;
};

class printed_stream final : public dump::stream_observer {
public:
  printed_stream(const dump_arguments& arguments, const dump::line_output& output,
                 std::uint64_t number)
      : connection_{arguments.decoder, output, number} {}

  void on_opened(const std::string& from, const std::string& to) override {
    connection_([&](auto& decoder) { decoder.open(from, to); });
  }
  void on_bytes(dump::side from, std::string_view bytes) override {
    connection_([&](auto& decoder) { decoder.feed(from, bytes); });
  }
  void on_missing(dump::side from, std::uint64_t bytes) override {
    connection_([&](auto& decoder) { decoder.lose(from, bytes); });
  }
  void on_end(dump::side from) override {
    connection_([&](auto& decoder) { decoder.finish(from); });
  }
  void on_closed(const std::string& why) override {
    connection_([&](auto& decoder) { decoder.close(why); });
  }

private:
  dump::printed_connection connection_;
};

std::chrono::microseconds system_time() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::system_clock::now().time_since_epoch());
}

int run_live(const dump_arguments& arguments) {
  if (!is_local(arguments.listen)) {
    warn(fmt::format("{} is open to the network, and so is {} behind it; bind to 127.0.0.1 or ipc",
                     arguments.listen, arguments.connect));
  }
  asio::io_context context{1};
  std::function<void()> stop;
  // Not at once, because a connection of the relay is writing.
  printer lines{[&] { asio::post(context, [&stop] { stop(); }); }};
  const dump::line_output output{arguments.json, system_time,
                                 [&lines](const std::string& text) { lines.write(text); }};
  std::uint64_t connections = 0;
  dump::relay relay{context.get_executor(), zmtp::endpoint::parse(arguments.listen).value(),
                    zmtp::endpoint::parse(arguments.connect).value(), [&] {
                      return std::make_unique<printed_stream>(arguments, output, ++connections);
                    }};
  stop_signals signals{context.get_executor(), [&relay] { relay.stop(); }};
  stop = [&] {
    relay.stop();
    signals.cancel();
  };
  fmt::print(stderr, "bound {}\n", relay.bound().to_string());
  context.run();
  return lines.failed() ? exit_code::failed : exit_code::done;
}

bool is_wanted(const dump_arguments& arguments, const dump::tcp_segment& one) {
  const auto& ports = arguments.ports;
  return ports.empty() || std::ranges::any_of(ports, [&one](std::uint16_t port) {
           return port == one.from_port || port == one.to_port;
         });
}

std::system_error unreadable(const std::string& name) {
  return {errno, std::generic_category(), "cannot read " + name};
}

// Standard input if the name is `-`.
using open_file = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
open_file open(const std::string& name) {
  if (name == "-") {
    return {stdin, [](std::FILE*) { return 0; }};
  }
  open_file file{std::fopen(name.c_str(), "rb"), std::fclose};
  if (!file) {
    throw unreadable(name);
  }
  return file;
}

void run_capture(const dump_arguments& arguments) {
  const auto file = open(arguments.file);
  std::chrono::microseconds now{0};
  const dump::line_output output{arguments.json, [&now] { return now; },
                                 [](const std::string& text) { write_output(text); }};
  std::uint64_t connections = 0;
  dump::tcp_streams streams{
      [&] { return std::make_unique<printed_stream>(arguments, output, ++connections); }};
  dump::capture_reader packets{[&](std::span<char> to) {
    const auto size = std::fread(to.data(), 1, to.size(), file.get());
    if (size < to.size() && std::ferror(file.get()) != 0) {
      throw dump::capture_fault{unreadable(arguments.file).what()};
    }
    return size;
  }};
  std::uint64_t unknown = 0;
  try {
    while (const auto packet = packets.next()) {
      now = packet->time;
      const auto segment = dump::segment_of(packet->link, packet->bytes);
      if (segment && is_wanted(arguments, *segment)) {
        streams.add(*segment);
      }
      unknown += dump::is_known_link(packet->link) ? 0 : 1;
    }
  } catch (const dump::capture_fault&) {
    streams.finish();
    throw;
  }
  streams.finish();
  if (streams.strays() != 0) {
    fmt::print(stderr,
               "zinc dump: segments of no open connection: {}; those that began before the capture "
               "cannot be decoded, so start it before the programs\n",
               streams.strays());
  }
  if (unknown != 0) {
    fmt::print(stderr,
               "zinc dump: packets of an unknown link type: {}; capture on one interface, such as "
               "tcpdump -i eth0\n",
               unknown);
  }
}

}  // namespace

int run_dump(const dump_arguments& arguments) {
  try {
    if (arguments.file.empty()) {
      return run_live(arguments);
    }
    run_capture(arguments);
    return exit_code::done;
  } catch (const std::exception& e) {
    fmt::print(stderr, "zinc dump: {}\n", e.what());
    return exit_code::failed;
  }
}

}  // namespace zinc
