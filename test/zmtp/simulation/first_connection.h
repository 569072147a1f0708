#pragma once
// The first connection of a run, where it is cut, and how much of it the programs have read.

#include "zmtp/simulation/simulated_network.h"
#include "zmtp/simulation/virtual_connection.h"

#include <cstddef>
#include <cstdint>
#include <span>

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

class first_connection : public stream_observer {
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
  [[nodiscard]] bool is_cut() const { return stream_->is_cut(); }
  [[nodiscard]] std::size_t taken(end_of_stream from) const { return stream_->taken(from); }
  // Bytes from the connecting program that its kernel took and the other program did not read.
  [[nodiscard]] std::size_t lost() const {
    return stream_->taken(end_of_stream::connecting) - read_;
  }

private:
  void on_written(std::uint64_t, end_of_stream, std::span<const std::byte>) override {}
  void on_read(std::uint64_t stream, end_of_stream at, std::size_t count) override {
    if (stream_ && stream == stream_->id() && at == end_of_stream::accepting) {
      read_ += count;
    }
  }

  simulated_network::stream_ptr stream_;
  std::size_t read_ = 0;
};

}  // namespace zmtp::simulation
