#include "zmtp/conversation/framed_output.h"

#include "zmtp/frame.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace zmtp {

namespace {

constexpr std::size_t most_pieces = 64;
// A burst of small messages has thousands of units. An idle connection keeps no more than this.
constexpr std::size_t stored_units = 64;

// Walks over whole messages and commands. A header is always within one piece, because only the
// body of the last part of a message can be a piece of its own.
class frame_walk {
public:
  using piece = framed_output::piece;

  explicit frame_walk(std::span<const piece> over) noexcept : over_{over} {}

  // Finds the next message or command. Returns false if none is left, or if its end is missing.
  [[nodiscard]] bool next() noexcept {
    at_ = end_;
    bytes_ = frames_ = 0;
    for (bool follows = true; follows; ++frames_) {
      if (end_.piece == over_.size()) {
        return false;
      }
      const auto* const header = over_[end_.piece].data() + end_.offset;
      follows = frame::has(*header, frame::more);
      const auto size =
          frame::header_size(*header) + static_cast<std::size_t>(frame::declared_size(header));
      if (!skip(size)) {
        return false;
      }
      bytes_ += size;
    }
    return true;
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t frames() const noexcept { return frames_; }

  // Returns the pieces that next() has found. Valid until the next call.
  [[nodiscard]] std::span<const piece> pieces() noexcept {
    std::size_t count = 0;
    auto rest = bytes_;
    for (auto p = at_; rest != 0; p = {p.piece + 1, 0}) {
      const auto whole = over_[p.piece].subspan(p.offset);
      found_[count] = whole.first(std::min(rest, whole.size()));
      rest -= found_[count++].size();
    }
    return std::span{found_}.first(count);
  }

private:
  struct place {
    std::size_t piece = 0;
    std::size_t offset = 0;
  };

  [[nodiscard]] bool skip(std::size_t bytes) noexcept {
    while (bytes != 0) {
      if (end_.piece == over_.size()) {
        return false;
      }
      const auto step = std::min(bytes, over_[end_.piece].size() - end_.offset);
      bytes -= step;
      end_.offset += step;
      if (end_.offset == over_[end_.piece].size()) {
        end_ = {end_.piece + 1, 0};
      }
    }
    return true;
  }

  std::span<const piece> over_;
  place at_;
  place end_;
  std::size_t bytes_ = 0;
  std::size_t frames_ = 0;
  std::array<piece, most_pieces> found_;
};

}  // namespace

framed_output::framed_output(std::unique_ptr<framing> form, piece plain) : form_{std::move(form)} {
  if (!plain.empty()) {
    batch_ = block_ptr{block::create(plain.size())};
    std::memcpy(batch_->data(), plain.data(), plain.size());
    size_ = plain.size();
  }
}

void framed_output::fill(control_output& commands, send_queue& queue) {
  if (pending()) {
    return;
  }
  const auto expected = commands.front().size() + queue.bytes();
  if (commands.pending()) {
    const std::array from{commands.front()};
    (void)commands.advance(frame_all(from, expected, false));
  }
  // Messages that were sent after a change follow it.
  if (commands.pending() || commands.changes_due()) {
    return;
  }
  std::array<piece, most_pieces> from;
  while (const auto count = queue.gather(from)) {
    const auto framed = frame_all(std::span{from}.first(count), expected, true);
    queue.lend(framed);
    if (framed == 0) {
      return;
    }
  }
}

// Frames what fits into the batch. Returns the number of bytes of `from` that were framed. A batch
// holds at least one message, however long it is.
std::size_t framed_output::frame_all(std::span<const piece> from, std::size_t expected,
                                     bool queued) {
  std::size_t framed = 0;
  for (frame_walk walk{from}; walk.next(); framed += walk.bytes()) {
    const auto most = walk.bytes() + walk.frames() * form_->overhead();
    if (size_ == 0) {
      reserve(most, expected);
    } else if (most > batch_->capacity() - size_) {
      break;
    }
    units_.push_back({.end = 0, .queued = queued ? walk.bytes() : 0});
    size_ += form_->write(walk.pieces(), {batch_->data() + size_, most});
    units_.back().end = size_;
  }
  return framed;
}

void framed_output::reserve(std::size_t least, std::size_t expected) {
  const auto usual = std::clamp(std::bit_ceil(expected), block_size::small, block_size::large);
  batch_ = block_ptr{block::create(std::max(least, usual))};
}

void framed_output::advance(std::size_t count, send_queue& queue) noexcept {
  written_ += count;
  std::size_t queued = 0;
  for (; done_ < units_.size() && units_[done_].end <= written_; ++done_) {
    queued += units_[done_].queued;
  }
  queue.advance(queued);
  if (!pending()) {
    drop();
  }
}

void framed_output::drop() noexcept {
  batch_ = block_ptr{};
  size_ = written_ = done_ = 0;
  if (units_.capacity() > stored_units) {
    units_ = std::vector<unit>{};
  } else {
    units_.clear();
  }
}

}  // namespace zmtp
