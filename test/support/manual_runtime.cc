#include "test/support/manual_runtime.h"

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>

#include <vector>

namespace zmtp::test {

namespace asio = boost::asio;
using boost::system::error_code;

class manual_runtime::manual_timer final : public timer_source {
public:
  manual_timer(manual_runtime& of, const asio::any_io_executor& executor)
      : of_{of}, executor_{executor} {}
  ~manual_timer() override { cancel(); }

  void expires_at(time_point at) override {
    cancel();
    at_ = at;
  }
  void wait(handler h) override {
    const key which{at_, ++of_.waits_};
    if (auto slot = asio::get_associated_cancellation_slot(h); slot.is_connected()) {
      slot.assign([&of = of_, which](asio::cancellation_type) {
        of.complete(which, asio::error::operation_aborted);
      });
    }
    of_.pending_.emplace(
        which,
        pending{std::move(h), asio::prefer(executor_, asio::execution::outstanding_work.tracked)});
    waits_.push_back(which);
    if (at_ <= of_.now_) {
      of_.complete(which, {});
    }
  }
  void cancel() override {
    for (const auto& which : std::exchange(waits_, {})) {
      of_.complete(which, asio::error::operation_aborted);
    }
  }

private:
  manual_runtime& of_;
  asio::any_io_executor executor_;
  time_point at_ = time_point::max();
  std::vector<key> waits_;  // some may be complete
};

manual_runtime& manual_runtime::install_in(asio::execution_context& context) {
  auto made = std::make_unique<manual_runtime>();
  auto& installed = *made;
  install(context, std::move(made));
  return installed;
}

void manual_runtime::advance_to(time_point time) {
  now_ = time;
  while (!pending_.empty() && pending_.begin()->first.first <= now_) {
    complete(pending_.begin()->first, {});
  }
}

void manual_runtime::pass(time_point::duration time, asio::io_context& context) {
  const auto run = [&] {
    context.restart();
    context.poll();
  };
  const auto end = now_ + time;
  run();
  for (auto due = next(); due && *due <= end; due = next()) {
    advance_to(*due);
    run();
  }
  advance_to(end);
  run();
}

std::optional<runtime::time_point> manual_runtime::next() const noexcept {
  if (pending_.empty() || pending_.begin()->first.first == time_point::max()) {
    return std::nullopt;
  }
  return pending_.begin()->first.first;
}

runtime::wall_time manual_runtime::wall_clock() const noexcept {
  return wall_time{std::chrono::duration_cast<wall_time::duration>(now_.time_since_epoch())};
}

void manual_runtime::random(std::span<std::byte> to) {
  for (auto& byte : to) {
    byte = static_cast<std::byte>(source_());
  }
}

std::unique_ptr<timer_source> manual_runtime::make_timer(const asio::any_io_executor& executor) {
  return std::make_unique<manual_timer>(*this, executor);
}

void manual_runtime::shutdown() noexcept {
  // Handlers may own timers, which cancel their waits in turn.
  const auto destroyed = std::exchange(pending_, {});
}

// Does nothing if the wait is complete already.
void manual_runtime::complete(key which, error_code ec) {
  auto found = pending_.extract(which);
  if (!found) {
    return;
  }
  auto& [handler, executor] = found.mapped();
  asio::get_associated_cancellation_slot(handler).clear();
  asio::post(executor,
             [h = std::move(handler), work = executor, ec]() mutable { std::move(h)(ec); });
}

}  // namespace zmtp::test
