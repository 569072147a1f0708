#include "tools/guide/clone_log.h"

#include "chp/sequence.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

namespace guide {

clone_log::clone_log(const clone_words& words, printer print)
    : words_{words}, print_{std::move(print)} {}

// Almost every turn has changes of one kind only. Otherwise, the lines of the first kind get the lowest numbers.
void clone_log::on_turn(const chp::server_status& now) {
  const auto all_before = std::exchange(before_, now).counters;
  const auto& before = all_before.log;
  const auto& after = now.counters.log;
  const struct {
    std::string_view words;
    std::uint64_t count;
  } done[] = {{words_.pending, after.replayed - before.replayed},
              {words_.update, after.updates - before.updates},
              {words_.expired, after.expired - before.expired},
              {words_.followed, after.followed - before.followed}};
  std::uint64_t left = 0;
  for (const auto& each : done) {
    left += each.count;
  }
  for (const auto& each : done) {
    for (auto count = each.count; count != 0; --count) {
      --left;
      print(each.words, now.number - left);
    }
  }
  for (auto count = now.counters.snapshots - all_before.snapshots; count != 0; --count) {
    print(words_.snapshot, now.number);
  }
}

void clone_log::print(std::string_view words, chp::sequence number) const {
  if (!words.empty()) {
    print_(fmt::format(fmt::runtime(words), number));
  }
}

}  // namespace guide
