#pragma once
// A terminal that one program fills, and that has its old content again afterwards.

#include <cstddef>
#include <optional>
#include <string>
#include <termios.h>
#include <vector>

namespace zinc::status {

class terminal {
public:
  // Standard output must be a terminal. Keys are read without a line break, if standard input is one too.
  terminal();
  terminal(const terminal&) = delete;
  terminal& operator=(const terminal&) = delete;
  ~terminal();

  [[nodiscard]] bool has_keys() const noexcept;
  struct size {
    std::size_t width;
    std::size_t height;
  };
  // A terminal that does not know its size counts as 80 x 24.
  [[nodiscard]] static size now() noexcept;
  // Shows these lines, none of which is longer than the width. `inverse`: the line that is shown inversely.
  static void show(const std::vector<std::string>& lines, std::optional<std::size_t> inverse);

private:
  std::optional<::termios> before_;
};

}  // namespace zinc::status
