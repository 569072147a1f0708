#include "tools/zinc/status/top_command.h"

#include "tools/zinc/exit_code.h"
#include "tools/zinc/input_reader.h"
#include "tools/zinc/output.h"
#include "tools/zinc/status/fault.h"
#include "tools/zinc/status/screen.h"
#include "tools/zinc/status/source.h"
#include "tools/zinc/status/terminal.h"
#include "tools/zinc/status/views.h"
#include "tools/zinc/stop_signals.h"
#include "tools/zinc/terminal_text.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace zinc::status {

namespace asio = boost::asio;
using clock = std::chrono::steady_clock;

namespace {

constexpr auto token = asio::as_tuple(asio::use_awaitable);
constexpr const char* keys_text =
    "s services  w workers  c clients  o next order  r reverse  q quit";

std::span<const std::string_view> lists_of(subject about) {
  switch (about) {
    case subject::all:
    case subject::services: break;
    case subject::workers: return worker_groups;
    case subject::clients: return client_groups;
  }
  return service_groups;
}

class top {
public:
  top(asio::io_context& context, const top_arguments& arguments)
      : arguments_{arguments},
        about_{arguments.from.about},
        sort_{sort_key_of(arguments.sort)},
        from_{open(context.get_executor(), arguments.from.connect, arguments.from.options)},
        pause_{context},
        signals_{context.get_executor(), [this] { stop(); }},
        resized_{context} {
    if (!arguments.from.json && ::isatty(STDOUT_FILENO) == 1) {
      screen_.emplace();
      resized_.add(SIGWINCH);
      asio::co_spawn(context, watch_size(), [this](const std::exception_ptr& e) { end(e); });
      if (screen_->has_keys()) {
        keys_.emplace(context.get_executor(), STDIN_FILENO);
        asio::co_spawn(context, read_keys(), [this](const std::exception_ptr& e) { end(e); });
      }
    }
    asio::co_spawn(context, watch(), [this](const std::exception_ptr& e) { end(e); });
  }

  // Call it when the context has run. Throws what ended the command.
  void finish() {
    screen_.reset();
    if (failure_) {
      std::rethrow_exception(failure_);
    }
  }

private:
  asio::awaitable<void> watch() {
    for (std::size_t shown = 0; !stopping_;) {
      const auto due = clock::now() + arguments_.interval;
      try {
        co_await read();
        ++shown;
      } catch (const fault& e) {
        // A wrong address must not look like a server that is away for now.
        if (stopping_ || now_.is_null()) {
          throw;
        }
        lose(e);
      }
      if (stopping_ || shown == arguments_.count) {
        break;
      }
      if (std::exchange(changed_, false)) {
        continue;
      }
      pause_.expires_at(due);
      co_await pause_.async_wait(token);
      changed_ = false;
    }
    stop();
  }

  asio::awaitable<void> read() {
    // Titanic's services come with its totals, those of a broker only if asked for.
    const wanted groups{.totals = true,
                        .services = about_ == subject::services,
                        .workers = about_ == subject::workers,
                        .clients = about_ == subject::clients};
    auto found = co_await from_->read(groups);
    if (stopping_) {
      co_return;
    }
    // Check the form before it is kept.
    const auto groups_found = groups_of(found.status);
    if (now_.is_null()) {
      check_sort(groups_found);
    }
    before_ = std::exchange(now_, std::move(found.status));
    const auto last = std::exchange(read_at_, clock::now());
    seconds_ = std::chrono::duration<double>(read_at_ - last).count();
    remark_ = std::move(found.remark);
    lost_ = false;
    show();
  }

  void check_sort(const std::vector<group>& groups) const {
    const auto* const list = find(groups, lists_of(about_));
    if (sort_.empty() || list == nullptr || list->members.empty()) {
      return;
    }
    std::string known;
    for (const auto& each : list->members) {
      if (each.key == sort_) {
        return;
      }
      known += (known.empty() ? "" : ", ") + each.key;
    }
    throw fault{exit_code::misused,
                fmt::format("--sort {}: no such column; choose one of {}", arguments_.sort, known)};
  }

  void lose(const fault& e) {
    const bool first = !std::exchange(lost_, true);
    remark_ = fmt::format("lost, trying again: {}", e.what());
    if (screen_) {
      draw();
    } else if (first) {
      fmt::print(stderr, "zinc top: {}\n", for_terminal(remark_));
    }
  }

  void show() {
    if (screen_) {
      draw();
      return;
    }
    std::string text;
    if (arguments_.from.json) {
      text = ascii_json(now_);
    } else {
      for (const auto& line : layout_now(0, 0).lines) {
        text += line + '\n';
      }
    }
    if (!write_unless_stopped(text + '\n')) {
      stop();
    }
    if (arguments_.from.json && !remark_.empty() && !std::exchange(remarked_, true)) {
      fmt::print(stderr, "zinc top: {}\n", for_terminal(remark_));
    }
  }

  screen layout_now(std::size_t width, std::size_t height) {
    auto made = screen_of(now_, before_.is_null() ? nullptr : &before_, seconds_,
                          {.lists = lists_of(about_),
                           .sort = sort_,
                           .reverse = reverse_,
                           .width = width,
                           .height = height},
                          remark_);
    columns_ = made.keys;
    return made;
  }

  void draw() {
    if (now_.is_null() || !screen_) {
      return;
    }
    const auto size = terminal::now();
    auto made = layout_now(size.width, size.height - (size.height > 1 && keys_ ? 1 : 0));
    if (keys_ && size.height > 1) {
      made.lines.resize(size.height - 1);
      made.lines.push_back(std::string{keys_text}.substr(0, size.width));
    }
    terminal::show(made.lines, made.titles);
  }

  asio::awaitable<void> watch_size() {
    for (;;) {
      const auto [ec, number] = co_await resized_.async_wait(token);
      if (ec) {
        co_return;
      }
      draw();
    }
  }

  asio::awaitable<void> read_keys() {
    for (;;) {
      const auto [ec, keys] = co_await keys_->async_read(token);
      if (ec || keys.empty()) {
        co_return;
      }
      for (const char key : keys) {
        on_key(key);
      }
    }
  }

  void on_key(char key) {
    switch (key) {
      case 'q': stop(); return;
      case 's': choose(subject::services); break;
      case 'w': choose(subject::workers); break;
      case 'c': choose(subject::clients); break;
      case 'r': reverse_ = !reverse_; break;
      case 'o': next_order(); break;
      default: return;
    }
    draw();
  }

  // The next status has the records of this table.
  void choose(subject about) {
    about_ = about;
    sort_.clear();
    // Also in a read, which brings the old table.
    changed_ = true;
    pause_.cancel();
  }

  void next_order() {
    if (columns_.empty()) {
      return;
    }
    const auto at = std::find(columns_.begin(), columns_.end(), sort_);
    sort_ =
        at == columns_.end() || std::next(at) == columns_.end() ? columns_.front() : *std::next(at);
  }

  void end(const std::exception_ptr& e) {
    if (e && !stopping_) {
      failure_ = e;
    }
    if (e) {
      stop();
    }
  }

  void stop() {
    stopping_ = true;
    // First, because a second signal kills the process.
    screen_.reset();
    from_->stop();
    pause_.cancel();
    signals_.cancel();
    boost::system::error_code ignored;
    resized_.cancel(ignored);
    if (keys_) {
      keys_->cancel();
    }
  }

  const top_arguments& arguments_;
  subject about_;
  std::string sort_;
  bool reverse_ = false;
  std::unique_ptr<source> from_;
  asio::steady_timer pause_;
  stop_signals signals_;
  asio::signal_set resized_;
  std::optional<terminal> screen_;  // absent: plain output
  std::optional<input_reader> keys_;
  boost::json::value now_;     // null before the first status
  boost::json::value before_;  // null before the second one
  clock::time_point read_at_;
  double seconds_ = 0;
  bool changed_ = false;   // another table is wanted
  std::string remark_;     // the fault of the last read, or what its status lacks
  bool remarked_ = false;  // on standard error, with --json
  bool lost_ = false;      // the last read had a fault
  std::vector<std::string> columns_;
  bool stopping_ = false;
  std::exception_ptr failure_;
};

}  // namespace

int run_top(const top_arguments& arguments) {
  asio::io_context context{1};
  try {
    top shown{context, arguments};
    context.run();
    shown.finish();
  } catch (const fault& e) {
    fmt::print(stderr, "zinc top: {}\n", for_terminal(e.what()));
    return e.code;
  }
  return exit_code::done;
}

}  // namespace zinc::status
