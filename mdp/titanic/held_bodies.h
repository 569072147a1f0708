#pragma once
// Bodies of requests in memory, up to a limit of bytes, by the numbers of their slots. Pure.

#include "zmtp/message.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>

namespace mdp::titanic {

class held_bodies {
public:
  explicit held_bodies(std::size_t most_bytes) noexcept : most_bytes_{most_bytes} {}

  // Stores the body if the limit allows it.
  void hold(std::uint64_t number, const zmtp::message& body) {
    if (bytes_ + body.framed_size() <= most_bytes_) {
      bytes_ += body.framed_size();
      bodies_.emplace(number, body);
    }
  }
  // Returns null if the body is not held. The pointer is valid until the next call.
  [[nodiscard]] const zmtp::message* of(std::uint64_t number) const {
    const auto known = bodies_.find(number);
    return known == bodies_.end() ? nullptr : &known->second;
  }
  void release(std::uint64_t number) {
    if (const auto known = bodies_.find(number); known != bodies_.end()) {
      bytes_ -= known->second.framed_size();
      bodies_.erase(known);
    }
  }

private:
  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  boost::unordered_flat_map<std::uint64_t, zmtp::message> bodies_;
};

}  // namespace mdp::titanic
