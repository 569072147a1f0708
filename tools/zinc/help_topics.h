#pragma once
// The texts of zinc help that are about no subcommand.

#include <string>
#include <string_view>
#include <vector>

namespace zinc {

// The words that zinc help takes, as in --help.
inline constexpr const char* help_words = "SUBCOMMAND|configuration|endpoints|exit-codes";

[[nodiscard]] std::vector<std::string> names_of_topics();
// Returns an empty text if there is no such topic.
[[nodiscard]] std::string_view text_of_topic(std::string_view name) noexcept;

}  // namespace zinc
