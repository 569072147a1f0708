#pragma once
// Suicidal Snail: whether a subscriber keeps up with its publishers. Pure: time is an argument.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace zmtp {

struct snail_options {
  // A message may be so much older than now. Absent: its age does not matter.
  std::optional<std::chrono::milliseconds> max_delay = std::chrono::milliseconds{1'000};
  // The clocks of publishers differ from ours: of each the youngest message so far counts as of no age.
  bool clocks_differ = false;
  // The numbers of a publisher follow each other. With a subscription to a part of what it publishes they
  // do not.
  bool gapless = true;
  // That are remembered; beyond that, who has been silent longest begins anew.
  std::size_t publishers = 1'000;
};

// What a message says of itself. A publisher is whatever distinguishes one sequence from another.
struct snail_stamp {
  std::string_view publisher{};
  std::optional<std::uint64_t> number{};
  // When it was published, since an epoch that is ours too, or of the publisher's own.
  std::optional<std::chrono::milliseconds> at{};
};

enum class snail_verdict {
  keeps_up,
  too_late,  // it was on its way for longer than snail_options::max_delay
  gap,       // messages before it were dropped on their way
};

class snail_state {
public:
  explicit snail_state(const snail_options& options) : options_{options} {}

  // A number that is not above the last one is of a publisher that was restarted: its sequence, and
  // the age of its messages, begin anew.
  [[nodiscard]] snail_verdict on_message(const snail_stamp& stamp, std::chrono::milliseconds now);

  // Of the last message, at least zero; of one without a time, that of the one before.
  [[nodiscard]] std::chrono::milliseconds delay() const noexcept { return delay_; }
  // How many were missed before the last message.
  [[nodiscard]] std::uint64_t missed() const noexcept { return missed_; }
  [[nodiscard]] std::size_t publishers() const noexcept { return known_.size(); }

private:
  struct publisher {
    std::string name;
    std::optional<std::uint64_t> last_number{};
    std::optional<std::chrono::milliseconds> least_age{};
  };

  [[nodiscard]] publisher& find(std::string_view name);
  [[nodiscard]] bool has_gap(publisher& from, const snail_stamp& stamp);
  [[nodiscard]] bool is_late(publisher& from, const snail_stamp& stamp,
                             std::chrono::milliseconds now);

  snail_options options_;
  std::list<publisher> known_;  // who was heard last first
  std::map<std::string_view, std::list<publisher>::iterator> by_name_;
  std::chrono::milliseconds delay_{0};
  std::uint64_t missed_ = 0;
};

}  // namespace zmtp
