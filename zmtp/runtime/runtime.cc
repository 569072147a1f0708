#include "zmtp/runtime/runtime.h"

#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/system_error.hpp>

#include <cerrno>
#include <sys/random.h>
#include <utility>

namespace zmtp {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

class system_timer final : public timer_source {
public:
  explicit system_timer(const asio::any_io_executor& executor)
      : timer_{executor, time_point::max()} {}

  void expires_at(time_point at) override { timer_.expires_at(at); }
  // Does not pass on the handler's executor. In Boost 1.81, a type-erased handler allocates memory
  // whenever its executor is requested.
  void wait(handler h) override {
    const auto memory = asio::get_associated_allocator(h);
    const auto slot = asio::get_associated_cancellation_slot(h);
    timer_.async_wait(asio::bind_allocator(
        memory, asio::bind_cancellation_slot(
                    slot, [h = std::move(h)](error_code ec) mutable { std::move(h)(ec); })));
  }
  void cancel() override { timer_.cancel(); }

private:
  asio::steady_timer timer_;
};

class system_runtime final : public runtime {
public:
  [[nodiscard]] time_point now() const noexcept override {
    return std::chrono::steady_clock::now();
  }
  [[nodiscard]] wall_time wall_clock() const noexcept override {
    return std::chrono::system_clock::now();
  }
  // Not std::random_device, which makes several system calls.
  void random(std::span<std::byte> to) override {
    while (!to.empty()) {
      const auto got = ::getrandom(to.data(), to.size(), 0);
      if (got > 0) {
        to = to.subspan(static_cast<std::size_t>(got));
      } else if (errno != EINTR) {
        throw boost::system::system_error{errno, boost::system::system_category(), "getrandom"};
      }
    }
  }
  [[nodiscard]] std::unique_ptr<timer_source> make_timer(
      const asio::any_io_executor& executor) override {
    return std::make_unique<system_timer>(executor);
  }
  void shutdown() noexcept override {}  // Asio shuts down its own timers
};

class runtime_service final : public asio::execution_context::service {
public:
  using key_type = runtime_service;
  static inline asio::execution_context::id id;

  explicit runtime_service(asio::execution_context& context,
                           std::unique_ptr<runtime> installed = nullptr)
      : asio::execution_context::service{context},
        installed_{std::move(installed)},
        used_{installed_ ? *installed_ : runtime::system()} {}

  [[nodiscard]] runtime& used() noexcept { return used_; }

private:
  void shutdown() noexcept override { used_.shutdown(); }

  std::unique_ptr<runtime> installed_;
  runtime& used_;
};

}  // namespace

runtime& runtime::of(const asio::any_io_executor& executor) {
  return asio::use_service<runtime_service>(asio::query(executor, asio::execution::context)).used();
}

void runtime::install(asio::execution_context& context, std::unique_ptr<runtime> what) {
  asio::make_service<runtime_service>(context, std::move(what));
}

// Never destroyed, because objects of static storage duration may use it in their destructors.
runtime& runtime::system() noexcept {
  static auto& only = *new system_runtime;
  return only;
}

}  // namespace zmtp
