#include "test/chp/simulation/simulated_witness.h"

#include <boost/asio/post.hpp>
#include <boost/system/errc.hpp>

#include <utility>

namespace chp::simulation {

using std::chrono::milliseconds;

// Requests, answers and notices take a while each, and a request without an answer can arrive late.
// They overtake each other.
class simulated_witness final : public witness,
                                public std::enable_shared_from_this<simulated_witness> {
public:
  simulated_witness(witness_record& of, boost::asio::any_io_executor executor, const bool& is_cut)
      : of_{&of}, executor_{std::move(executor)}, is_cut_{&is_cut} {}

  void replace(const membership& from, const membership& to, handler on_done) override {
    auto& world = *of_->world_;
    const bool is_lost = *is_cut_ || world.random().chance(5);
    if (!is_lost) {
      world.after(delay(), [weak = weak_from_this(), of = of_, from, to, on_done] {
        of->replace(from, to);
        answer(weak, {}, of->now(), on_done);
      });
      return;
    }
    if (world.random().chance(50)) {
      world.after(10 * delay(), [of = of_, from, to] { of->replace(from, to); });
    }
    answer(weak_from_this(), make_error_code(boost::system::errc::timed_out), {},
           std::move(on_done));
  }

  void watch(std::function<void(const membership&)> on_change) override {
    on_change_ = std::move(on_change);
    look();
  }

  // While the server is cut off it looks later.
  void look() {
    of_->world_->after(delay(), [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (!self) {
        return;
      }
      if (*self->is_cut_) {
        self->look();
        return;
      }
      boost::asio::post(self->executor_, [weak, now = self->of_->now()] {
        if (const auto still = weak.lock(); still && still->on_change_) {
          still->on_change_(now);
        }
      });
    });
  }

private:
  [[nodiscard]] milliseconds delay() {
    return milliseconds{1 + of_->world_->random().up_to(milliseconds{50}).count()};
  }

  // In the process, if it still runs.
  static void answer(const std::weak_ptr<simulated_witness>& to, boost::system::error_code ec,
                     const membership& now, handler on_done) {
    const auto self = to.lock();
    if (!self) {
      return;
    }
    self->of_->world_->after(self->delay(), [to, ec, now, on_done = std::move(on_done)] {
      if (const auto still = to.lock()) {
        boost::asio::post(still->executor_, [to, ec, now, on_done] {
          if (to.lock()) {
            on_done(ec, now);
          }
        });
      }
    });
  }

  witness_record* of_;
  boost::asio::any_io_executor executor_;
  const bool* is_cut_;
  std::function<void(const membership&)> on_change_;
};

std::shared_ptr<witness> witness_record::seen_by(boost::asio::any_io_executor executor,
                                                 const bool& is_cut) {
  auto made = std::make_shared<simulated_witness>(*this, std::move(executor), is_cut);
  watchers_.push_back(made);
  return made;
}

void witness_record::replace(const membership& from, const membership& to) {
  if ((now_ == from || !compares_) && to != now_) {
    set(to);
  }
}

void witness_record::reset() { set({.revision = now_.revision + 1, .epoch = now_.epoch}); }

void witness_record::set(const membership& to) {
  now_ = to;
  world_->net().here().note("witness: epoch " + std::to_string(to.epoch) + ", members " +
                                std::to_string(to.in_sync.size()),
                            {});
  for (const auto& each : watchers_) {
    if (const auto watcher = each.lock()) {
      watcher->look();
    }
  }
}

}  // namespace chp::simulation
