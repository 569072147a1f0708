#pragma once
// A status in the form of /status (docs/http.md), from any server. Nothing about it is trusted. Pure.

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zinc::status {

enum class kind : std::uint8_t { label, state, counter, times };
enum class unit : std::uint8_t { none, bytes, seconds };

// A member of the records of a group.
struct member {
  std::string key;
  kind is;
  unit in;
};

// The records of a group, which the status owns.
struct group {
  std::string name;
  std::vector<member> members;  // those of the first record, in their order
  std::vector<const boost::json::object*> records;

  // Returns whether the group has any number of records, such as one for each service.
  [[nodiscard]] bool is_list() const noexcept;
};

// Throws status::fault unless the value is an object with groups of records.
[[nodiscard]] std::vector<group> groups_of(const boost::json::value& status);
// Returns the first group with one of these names, or null.
[[nodiscard]] const group* find(const std::vector<group>& all,
                                std::span<const std::string_view> names);

// A value of another type is 0.
[[nodiscard]] double number_of(const boost::json::object& record, std::string_view key);
// The number and the sum of the durations of a histogram.
struct total_time {
  double count = 0;
  double seconds = 0;
};
[[nodiscard]] total_time times_of(const boost::json::object& record, std::string_view key);
// Returns the text of a string, or an empty one.
[[nodiscard]] std::string word_of(const boost::json::object& of, std::string_view key);

// The texts of table cells.
[[nodiscard]] std::string cell_of(const boost::json::object& record, const member& of);
[[nodiscard]] std::string mean_text(const total_time& of);
// Returns whether a column of this member would say nothing: a counter that is 0 in all records, or a label that
// is empty, or an endpoint that all records share.
[[nodiscard]] bool says_nothing(const group& of, const member& which);

}  // namespace zinc::status
