#pragma once
// The first connection of a run, and where it is cut.

#include "zmtp/simulation/virtual_connection.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace zmtp::simulation {

struct planned_cut {
  enum class kind : std::uint8_t {
    taken,    // the kernel takes no more
    arrived,  // the kernel has taken more, which is lost
  };
  end_of_stream from = end_of_stream::connecting;
  kind what = kind::taken;
  std::size_t bytes = 0;  // 0: not at all
};

class first_connection {
public:
  // Call with each new connection.
  void plan(virtual_connection& s, const planned_cut& cut) {
    if (stream_) {
      return;
    }
    stream_ = s.shared_from_this();
    if (cut.bytes == 0) {
      return;
    }
    cut.what == planned_cut::kind::taken ? s.cut_when_taken(cut.from, cut.bytes)
                                         : s.cut_when_arrived(cut.from, cut.bytes);
  }
  // Call when the cut should have happened. It does not happen later.
  void spare() { stream_->spare(); }
  [[nodiscard]] std::uint64_t id() const { return stream_->id(); }
  [[nodiscard]] bool is_cut() const { return stream_->is_cut(); }
  // Bytes that the kernel of this end has taken.
  [[nodiscard]] std::size_t taken(end_of_stream from) const { return stream_->taken(from); }

private:
  std::shared_ptr<virtual_connection> stream_;
};

}  // namespace zmtp::simulation
