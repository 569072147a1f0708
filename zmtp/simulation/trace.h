#pragma once
// All events of a simulation, as one hash value and, to find a fault, as text.

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace zmtp::simulation {

class trace {
public:
  // Gets each event as a line.
  using printer = std::function<void(std::string_view)>;

  void print_to(printer to) { print_ = std::move(to); }
  // `microseconds` is the virtual time. `what` determines the meaning of the numbers.
  void note(std::uint64_t microseconds, std::string_view what,
            std::initializer_list<std::uint64_t> figures);
  [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }

private:
  void mix(std::uint64_t figure) noexcept;

  std::uint64_t hash_ = 0xcbf2'9ce4'8422'2325;  // FNV-1a
  printer print_;
};

}  // namespace zmtp::simulation
