#pragma once
// Counts the wrong passwords from each address. Pure.

#include <chrono>
#include <cstddef>
#include <map>
#include <string>

namespace zmtp {

struct failed_attempts_limits {
  // Wrong passwords from one address in a row. Then the address gets one attempt per `recovery`.
  unsigned failures = 10;
  // The time in which one wrong password of an address is forgotten.
  std::chrono::seconds recovery{30};
  // Addresses with wrong passwords that are remembered. A further one replaces the address that is
  // forgotten first.
  std::size_t addresses = 4'096;
};

class failed_attempts_state {
public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit failed_attempts_state(const failed_attempts_limits& limits) : limits_{limits} {}

  // Returns whether the address has had too many wrong passwords.
  [[nodiscard]] bool blocked(const std::string& address, time_point now) const;
  // Call after a wrong password.
  void note(const std::string& address, time_point now);
  [[nodiscard]] std::size_t size() const noexcept { return forgotten_at_.size(); }

private:
  void make_room(time_point now);

  failed_attempts_limits limits_;
  // When all wrong passwords of an address are forgotten: each adds `recovery`.
  std::map<std::string, time_point> forgotten_at_;
};

}  // namespace zmtp
