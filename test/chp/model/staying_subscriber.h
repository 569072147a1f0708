#pragma once
// A subscriber that is not Zinc's and stays connected to one server, whether that is active or not.

#include "chp/command.h"
#include "test/chp/model/kept.h"

#include <cstdint>

namespace chp::model {

// A subscriber that stays does not notice that another server was active for a short time, and asks
// for no snapshot. After a longer time, the subscriber would have left.
class staying_subscriber {
public:
  static constexpr std::uint64_t stays = 20;  // ticks of a passive server

  // Takes what the server has published.
  void take(const chp::update& u);

  void on_passive(const kept& server, std::uint64_t now);
  // The server is active, and has published everything. Returns false if the subscriber has
  // another map.
  [[nodiscard]] bool check(const kept& server, std::uint64_t now);
  // The server was passive, and what it had published before.
  [[nodiscard]] bool is_back() const { return is_passive_; }
  [[nodiscard]] number left_at() const { return left_.at; }

private:
  bool joined_ = false;
  bool is_passive_ = false;
  position left_{};
  std::uint64_t passive_since_ = 0;
  rows_of_map map_{};
  number last_ = 0;
};

}  // namespace chp::model
