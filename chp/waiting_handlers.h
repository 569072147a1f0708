#pragma once
// The handlers of a client's operations in progress, by number.

#include "zmtp/runtime/completion.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/cancellation_type.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace chp {

template <class Signature>
class waiting_handlers {
public:
  using handler = zmtp::completion_handler<Signature>;
  using number = std::uint64_t;

  explicit waiting_handlers(boost::asio::any_io_executor executor)
      : executor_{std::move(executor)} {}
  // The remaining handlers are not called.
  ~waiting_handlers() {
    for (auto& [of, one] : waiting_) {
      one.slot().clear();
    }
  }
  waiting_handlers(const waiting_handlers&) = delete;
  waiting_handlers& operator=(const waiting_handlers&) = delete;

  // `cancel` is called by the handler's cancellation slot, and may outlive this object.
  template <class Cancel>
  void add(number of, handler&& h, Cancel&& cancel) {
    auto work = zmtp::work_elsewhere(executor_, h);
    // Numbers rise, so that the place is known.
    const auto at =
        waiting_.try_emplace(waiting_.end(), of, operation{std::move(h), std::move(work)});
    if (auto slot = at->second.slot(); slot.is_connected()) {
      slot.assign([cancel = std::forward<Cancel>(cancel)](boost::asio::cancellation_type type) {
        if (type != boost::asio::cancellation_type::none) {
          cancel();
        }
      });
    }
  }
  [[nodiscard]] bool empty() const noexcept { return waiting_.empty(); }
  // Returns the lowest number.
  [[nodiscard]] number first() const noexcept { return waiting_.begin()->first; }

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

  [[nodiscard]] std::optional<operation> take(number of) {
    // Most operations complete in their order.
    const auto found = !waiting_.empty() && first() == of ? waiting_.begin() : waiting_.find(of);
    if (found == waiting_.end()) {
      return std::nullopt;
    }
    found->second.slot().clear();
    std::optional<operation> taken{std::move(found->second)};
    waiting_.erase(found);
    return taken;
  }

  boost::asio::any_io_executor executor_;
  std::map<number, operation> waiting_;
};

}  // namespace chp
