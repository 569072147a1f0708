#pragma once
// State and counters as a line of text, `key=number` each, for the log and for 8/MMI. Pure.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace mdp {

class line_of_numbers {
public:
  line_of_numbers& add(std::string_view key, std::uint64_t number) {
    if (!text_.empty()) {
      text_ += ' ';
    }
    text_.append(key) += '=';
    text_ += std::to_string(number);
    return *this;
  }
  [[nodiscard]] std::string text() && { return std::move(text_); }

private:
  std::string text_;
};

}  // namespace mdp
