#pragma once
// The handlers of a client's operations in progress, by number.

#include "zmtp/runtime/completion.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/cancellation_type.hpp>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

namespace chp {

// In a queue, because most operations complete in their order, so that their memory is read in its
// order too. An operation that completes earlier leaves an empty place.
template <class Signature>
class waiting_handlers {
public:
  using handler = zmtp::completion_handler<Signature>;
  using number = std::uint64_t;

  explicit waiting_handlers(boost::asio::any_io_executor executor)
      : executor_{std::move(executor)} {}
  // The remaining handlers are not called.
  ~waiting_handlers() {
    for (auto& each : places_) {
      if (each.what) {
        each.what->slot().clear();
      }
    }
  }
  waiting_handlers(const waiting_handlers&) = delete;
  waiting_handlers& operator=(const waiting_handlers&) = delete;

  // The number must be above all earlier ones. `cancel` is called by the handler's cancellation
  // slot, and may outlive this object.
  template <class Cancel>
  void add(number of, handler&& h, Cancel&& cancel) {
    assert(places_.empty() || places_.back().of < of);
    auto work = zmtp::work_elsewhere(executor_, h);
    drop_empty_places();
    auto& added = places_.emplace_back(of, operation{std::move(h), std::move(work)});
    ++waiting_;
    if (auto slot = added.what->slot(); slot.is_connected()) {
      slot.assign([cancel = std::forward<Cancel>(cancel)](boost::asio::cancellation_type type) {
        if (type != boost::asio::cancellation_type::none) {
          cancel();
        }
      });
    }
  }
  [[nodiscard]] bool empty() const noexcept { return places_.empty(); }
  // Returns the lowest number. There must be one.
  [[nodiscard]] number first() const noexcept { return places_.front().of; }
  // Number of places: at most twice that of operations, and some.
  [[nodiscard]] std::size_t places() const noexcept { return places_.size(); }

  // Complete an operation if it is still there. complete_now() may call the handler inside this
  // call, complete_later() never does.
  template <class... Args>
  void complete_now(number of, Args&&... args) {
    if (auto one = take(of)) {
      zmtp::complete_now(executor_, std::move(one->what), std::forward<Args>(args)...);
    }
  }
  template <class... Args>
  void complete_later(number of, Args&&... args) {
    if (auto one = take(of)) {
      zmtp::complete_later(executor_, std::move(one->what), std::forward<Args>(args)...);
    }
  }

private:
  struct operation {
    handler what;
    boost::asio::any_io_executor work_elsewhere;

    [[nodiscard]] boost::asio::cancellation_slot slot() const noexcept {
      return boost::asio::get_associated_cancellation_slot(what.erased());
    }
  };

  struct place {
    place(number n, operation&& one) : of{n}, what{std::move(one)} {}

    number of;
    std::optional<operation> what;
  };
  static constexpr std::size_t spare_places = 64;

  [[nodiscard]] std::optional<operation> take(number of) {
    const auto found =
        !empty() && first() == of
            ? places_.begin()
            : std::lower_bound(places_.begin(), places_.end(), of,
                               [](const place& one, number wanted) { return one.of < wanted; });
    if (found == places_.end() || found->of != of || !found->what) {
      return std::nullopt;
    }
    found->what->slot().clear();
    std::optional<operation> taken{std::move(*found->what)};
    found->what.reset();
    --waiting_;
    while (!places_.empty() && !places_.front().what) {
      places_.pop_front();
    }
    return taken;
  }
  // Drops the empty places behind an operation that takes long.
  void drop_empty_places() {
    if (places_.size() > 2 * waiting_ + spare_places) {
      std::deque<place> left;
      for (auto& each : places_) {
        if (each.what) {
          left.push_back(std::move(each));
        }
      }
      places_.swap(left);
    }
  }

  boost::asio::any_io_executor executor_;
  std::deque<place> places_;  // in ascending order of numbers; the first one is not empty
  std::size_t waiting_ = 0;
};

}  // namespace chp
