#include "bench/watched_server.h"

#include "chp/sqlite_log_store.h"
#include "zmtp/storage/error.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <ctime>
#include <exception>
#include <sys/resource.h>
#include <utility>

namespace bench {

namespace asio = boost::asio;

namespace {

using clock_type = std::chrono::steady_clock;

// The processor time and the waits of the calling thread.
struct usage {
  double processor;  // seconds
  long waits;        // times that the thread gave up the processor itself
  clock_type::time_point now;

  static usage so_far() {
    std::timespec used{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    rusage counted{};
    ::getrusage(RUSAGE_THREAD, &counted);
    return {static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9,
            counted.ru_nvcsw, clock_type::now()};
  }
};

void raise(std::atomic<double>& longest, double to) {
  if (to > longest) {
    longest = to;
  }
}

}  // namespace

// A store that rejects its next write as a full disk does: also all later ones, until one replaces
// everything.
class watched_server::short_store final : public chp::log_store {
public:
  short_store(asio::any_io_executor executor, std::unique_ptr<chp::log_store> of)
      : executor_{std::move(executor)}, of_{std::move(of)} {}
  void load(std::unique_ptr<chp::history> into, chp::history::time_point now,
            load_handler on_loaded) override {
    of_->load(std::move(into), now, std::move(on_loaded));
  }
  void write(chp::state_write&& change, write_handler on_written) override {
    rejects_ = refuses_.exchange(false) || (rejects_ && !change.replaces);
    if (!rejects_) {
      of_->write(std::move(change), std::move(on_written));
      return;
    }
    asio::post(executor_, [handler = std::move(on_written)] {
      handler(make_error_code(zmtp::storage_errc::store_full));
    });
  }
  void refuse_next() noexcept { refuses_ = true; }

private:
  asio::any_io_executor executor_;
  std::unique_ptr<chp::log_store> of_;
  std::atomic<bool> refuses_{false};
  bool rejects_ = false;
};

watched_server::watched_server(const std::string& store) {
  std::promise<std::string> bound;
  const auto begin = clock_type::now();
  thread_ = std::thread{[&] { run(store, bound); }};
  try {
    at_ = bound.get_future().get();
  } catch (...) {
    thread_.join();
    throw;
  }
  start_ = clock_type::now() - begin;
}

watched_server::~watched_server() {
  over_ = true;
  asio::post(context_, [] {});
  thread_.join();
}

void watched_server::watch() noexcept {
  longest_handler_ = 0;
  longest_wait_ = 0;
}

void watched_server::refuse_next_write() noexcept { store_->refuse_next(); }

void watched_server::load(const std::string& store, chp::loaded_log& into) {
  const auto executor = context_.get_executor();
  store_ = std::make_shared<short_store>(
      executor,
      std::make_unique<chp::sqlite_log_store>(executor, zmtp::sqlite_file_options{.path = store}));
  boost::system::error_code result;
  chp::load_log(executor, store_, {}, [&](boost::system::error_code ec, chp::loaded_log found) {
    result = ec;
    into = std::move(found);
  });
  context_.run();
  context_.restart();
  if (result) {
    throw boost::system::system_error{result, "store " + store};
  }
}

void watched_server::run(const std::string& store, std::promise<std::string>& bound) {
  std::optional<chp::server> server;
  try {
    chp::server_handlers handlers;
    handlers.on_turn = [this](const chp::server_status& now) { stored_ = now.stored; };
    if (store.empty()) {
      server.emplace(context_.get_executor(), chp::server_options{}, std::move(handlers));
    } else {
      chp::loaded_log from;
      load(store, from);
      server.emplace(context_.get_executor(), chp::server_options{}, std::move(from),
                     std::move(handlers));
    }
    bound.set_value(server->bind("tcp://127.0.0.1:*").snapshots.to_string());
  } catch (...) {
    bound.set_exception(std::current_exception());
    return;
  }
  const auto work = asio::make_work_guard(context_);
  while (!over_) {
    turn();
  }
  server->stop();
  server.reset();
  store_.reset();
}

void watched_server::turn() {
  const auto before = usage::so_far();
  // A handler that was due already waits only for locks and the kernel, not for its time.
  const bool was_due = context_.poll_one() != 0;
  if (!was_due) {
    context_.run_one();
  }
  const auto after = usage::so_far();
  const auto used = after.processor - before.processor;
  raise(longest_handler_, used);
  if (was_due && after.waits != before.waits) {
    raise(longest_wait_, std::chrono::duration<double>(after.now - before.now).count() - used);
  }
}

}  // namespace bench
