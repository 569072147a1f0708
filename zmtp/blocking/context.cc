#include "zmtp/blocking/context.h"

#include "zmtp/blocking/locked_executor.h"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <atomic>
#include <new>
#include <pthread.h>
#include <signal.h>

namespace zmtp::blocking {

namespace {

std::atomic<unsigned> forks{0};

// A longer time could overflow the clock.
constexpr std::chrono::milliseconds longest = std::chrono::hours{24 * 365};

void watch_forks() {
  [[maybe_unused]] static const bool once = [] {
    ::pthread_atfork(nullptr, nullptr, [] { ++forks; });
    return true;
  }();
}

// Blocks all signals, so that only threads of the program receive them.
class no_signals {
public:
  no_signals() noexcept {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  no_signals(const no_signals&) = delete;
  no_signals& operator=(const no_signals&) = delete;
  ~no_signals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
  sigset_t before_;
};

}  // namespace

std::shared_ptr<engine> engine::start() {
  watch_forks();
  std::shared_ptr<engine> started{new engine, [](engine* e) {
                                    if (!e->forked()) {
                                      delete e;
                                    }
                                  }};
  const no_signals while_it_starts;
  started->thread_ = std::thread{[e = started.get()] { e->run(); }};
  return started;
}

engine::engine()
    : forks_{forks},
      work_{context_.get_executor()},
      executor_{locked_executor{context_.get_executor(), lock_}} {}

bool engine::forked() const noexcept { return forks_ != forks; }

void engine::run() noexcept {
  for (bool again = true; again;) {
    again = false;
    try {
      context_.run();
    } catch (const std::bad_alloc&) {
      // The step that had no memory has failed. The rest continues.
      again = true;
    }
  }
  const monitor::scope alone{lock_};
  over_ = true;
  changed_.notify_all();
}

void engine::shut_down(std::chrono::milliseconds limit) {
  {
    const monitor::scope alone{lock_};
    open_ = false;
    for (auto& socket : members_) {
      socket.close();
    }
    // Runs after the handlers of all waiting calls.
    asio::post(executor_, [this] {
      members_told_ = true;
      changed_.notify_all();
    });
    lock_.wait(changed_, [this] { return members_told_; });
    work_.reset();
    if (!lock_.wait_for(changed_, std::min(limit, longest), [this] { return over_; })) {
      context_.stop();
    }
  }
  thread_.join();
}

context::context(std::chrono::milliseconds longest_close)
    : engine_{engine::start()}, longest_close_{longest_close} {}

context::~context() {
  if (!engine_->forked()) {
    engine_->shut_down(longest_close_);
  }
}

boost::asio::any_io_executor context::get_executor() const { return engine_->executor(); }

}  // namespace zmtp::blocking
