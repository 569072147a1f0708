#pragma once
// The topics of a subscription_index: their bytes, one topic after the other, and the data of each
// topic.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp {

struct topic_texts {
  using topic_id = std::uint32_t;
  static constexpr std::uint32_t none = 0xffff'ffff;

  struct entry {
    std::uint32_t at = 0;  // position in `bytes`; for free entries the next free one
    std::uint32_t size = 0;
    std::uint32_t first = none;  // first record
    std::uint32_t in_tree =
        none;  // place in a topic_tree; none if the topic is found by its length
  };

  [[nodiscard]] std::string_view operator[](topic_id id) const noexcept {
    return std::string_view{bytes}.substr(topics[id].at, topics[id].size);
  }

  std::string bytes;
  std::vector<entry> topics;
};

}  // namespace zmtp
