#pragma once
// Suicidal Snail: decides whether a subscriber keeps up with its publishers. Pure: time is an
// argument.

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
  // Maximum age of a message. Absent: no limit.
  std::optional<std::chrono::milliseconds> max_delay = std::chrono::milliseconds{1'000};
  // The clocks of publishers differ from the local clock. The youngest message of each publisher so
  // far then counts as age zero.
  bool clocks_differ = false;
  // The numbers of a publisher have no gaps. Set to false if the subscription covers only a part of
  // its messages.
  bool gapless = true;
  // Number of publishers to remember. Beyond that, the snail forgets the publisher that has sent
  // nothing for longest.
  std::size_t publishers = 1'000;
};

// The stamp of a message. `publisher` is any name that distinguishes sequences of numbers.
struct snail_stamp {
  std::string_view publisher{};
  std::optional<std::uint64_t> number{};
  // Time of publication, since the local epoch or an epoch of the publisher.
  std::optional<std::chrono::milliseconds> at{};
};

enum class snail_verdict {
  keeps_up,
  too_late,  // the message is older than snail_options::max_delay
  gap,       // messages before this one are missing
};

class snail_state {
public:
  explicit snail_state(const snail_options& options) : options_{options} {}

  // Judges a message. A number that is not above the last one comes from a restarted publisher, and
  // its sequence and the ages of its messages start again.
  [[nodiscard]] snail_verdict on_message(const snail_stamp& stamp, std::chrono::milliseconds now);

  // Returns the age of the last message, at least zero. For a message without a time, returns the
  // age of the one before.
  [[nodiscard]] std::chrono::milliseconds delay() const noexcept { return delay_; }
  // Returns the number of messages missing before the last one.
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
  std::list<publisher> known_;  // last active publisher first
  std::map<std::string_view, std::list<publisher>::iterator> by_name_;
  std::chrono::milliseconds delay_{0};
  std::uint64_t missed_ = 0;
};

}  // namespace zmtp
