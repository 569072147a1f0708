// A capture file has anything in it. The streams put together are never longer than the file.

#include "test/fuzz/oracle.h"
#include "tools/zinc/dump/capture_reader.h"
#include "tools/zinc/dump/tcp_segment.h"
#include "tools/zinc/dump/tcp_streams.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace zmtp::fuzz {
namespace {

using zinc::dump::side;

class checking_observer final : public zinc::dump::stream_observer {
public:
  explicit checking_observer(std::size_t& seen) : seen_{seen} {}
  ~checking_observer() override { require(closed_, "each connection is closed"); }

  void on_opened(const std::string&, const std::string&) override {}
  void on_bytes(side from, std::string_view bytes) override {
    require(!over(from) && !bytes.empty(), "bytes come before the end");
    seen_ += bytes.size();
  }
  void on_missing(side from, std::uint64_t bytes) override {
    require(!over(from) && bytes != 0, "bytes are missing before the end");
    over(from) = true;
  }
  void on_end(side from) override {
    require(!over(from), "a stream ends once");
    over(from) = true;
  }
  void on_closed(const std::string&) override {
    require(!closed_, "a connection is closed once");
    closed_ = true;
  }

private:
  bool& over(side which) { return over_[static_cast<std::size_t>(which)]; }

  std::size_t& seen_;
  std::array<bool, 2> over_{};
  bool closed_ = false;
};

}  // namespace
}  // namespace zmtp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace zinc::dump;
  auto rest = zmtp::fuzz::text_of(data, size);
  std::size_t seen = 0;
  tcp_streams streams{[&seen] { return std::make_unique<zmtp::fuzz::checking_observer>(seen); }};
  try {
    capture_reader packets{[&rest](std::span<char> to) {
      const auto taken = rest.copy(to.data(), to.size());
      rest.remove_prefix(taken);
      return taken;
    }};
    while (const auto packet = packets.next()) {
      if (const auto segment = segment_of(packet->link, packet->bytes)) {
        streams.add(*segment);
      }
    }
  } catch (const capture_fault&) {
  }
  streams.finish();
  zmtp::fuzz::require(seen <= size, "bytes that are sent again count once");
  return 0;
}
