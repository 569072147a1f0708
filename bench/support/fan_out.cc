#include "bench/support/fan_out.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace bench {
namespace {

constexpr std::byte probe_mark{'?'};

}  // namespace

std::string unmatched_topic(std::uint64_t number) {
  const auto digits = std::to_string(number);
  return "!" + std::string(15 - digits.size(), '0') + digits;
}

std::array<std::byte, 9> make_probe(std::uint64_t number) {
  std::array<std::byte, 9> probe{probe_mark};
  std::memcpy(probe.data() + 1, &number, sizeof number);
  return probe;
}

fan_out_step fan_out_receiver::on_signal(std::span<const std::byte> message) {
  std::uint64_t number = 0;
  if (message.size() == 1 + sizeof number && message.front() == probe_mark) {
    std::memcpy(&number, message.data() + 1, sizeof number);
    if (!live_ && ++probes_[number] == peers_) {
      live_ = true;
      return fan_out_step::send_go;
    }
    return fan_out_step::wait;
  }
  if (std::ranges::equal(message, std::as_bytes(std::span{fan_out_end})) && ++ends_ == peers_) {
    return finish();
  }
  return fan_out_step::wait;
}

fan_out_step fan_out_receiver::finish() {
  if (clock_) {
    seconds_ = clock_->seconds();
  }
  return fan_out_step::finish;
}

int fan_out_receiver::report() const {
  if (delivered_ < expected_) {
    std::printf("missing: %" PRIu64 " of %" PRIu64 "\n", expected_ - delivered_, expected_);
    return 1;
  }
  print_fan_out(peers_, size_, delivered_, seconds_);
  return 0;
}

}  // namespace bench
